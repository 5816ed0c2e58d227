"""haymaker score: model outputs against the release, one table of tasks by bucket, or a published table's means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.json_lines import text
from haymaker.core.progress import out, say
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score import longgen_table
from haymaker.evaluation.score.config import OWN_TABLE, ScoringOptions
from haymaker.evaluation.score.files import Files, check_files, write
from haymaker.evaluation.score.means import Figure, Tally, figures, primary_figures, score_outputs
from haymaker.evaluation.score.read import ModelScores
from haymaker.evaluation.score.reference_table import print_reference_table
from haymaker.evaluation.score.rows import apply_missing_policy, release_identity, release_of
from haymaker.evaluation.score.table import print_aggregate, print_table
from haymaker.releases.display.simulated_tasks import BEGINS, simulated_note
from haymaker.releases.folder import manifest, release_folder, rows
from haymaker.releases.pulled.partial_pull import files_not_pulled, not_pulled
from haymaker.scoring.judges import judge
from haymaker.scoring.judges.entailment import open_entailment, use_entailment
from haymaker.scoring.published_tables import table as aggregate_table


class Scores(NamedTuple):
    """What outputs are worth.

    Attributes:
        figures: means, in the order of the release's files; none where no row has a score.
        notes: lines on outputs and rows that are in no mean, and on simulated rows.
    """

    figures: tuple[Figure, ...]
    notes: tuple[str, ...]


def score(
    outputs: Mapping[str, str] | str | Path,
    release: str | Path,
    *,
    metric: str | None = None,
    by: str | None = None,
    entailment: str | None = None,
    replies: str | Path | None = None,
    prompting: str = "chat",
) -> Scores:
    """Mean scores (0 to 100) per task and bucket; six depths of a question count as one question.

    Args:
        outputs: output by row id, or a file of JSON lines with `id` and `output`.
        release: its folder, its name in the project of the current folder, or ORG/NAME[@VERSION] of one that was pulled.
        metric: id, of the rows that name it; None: each task's first.
        by: what each figure is of: one of BY.
        entailment: what decides whether a passage entails a claim; None: the offline stand-in.
        replies: file of a judge's replies (haymaker/scoring/judges/judge.py).
        prompting: "chat", or "base" where the model continued the prompt.

    Raises:
        ReleaseError: no release there, an id or output that is no text, an id twice, or none of the ids in the release.
        ParamsError: a wish that cannot be.
    """
    return _scores(
        outputs,
        release_folder(release),
        ScoringOptions(metric, entailment, Path(replies) if replies else None, by=by, prompting=prompting),
    )[0]


def show(release: Path, predictions: Path, wish: ScoringOptions) -> None:
    """Print what score() gives, or the means of a published table.

    Args:
        release: its folder.
        predictions: JSON lines with `id` and `output`.
        wish: what to score.

    Raises:
        ReleaseError: as score(), or no row has a score.
        ParamsError: a wish that cannot be.
    """
    wish.check()
    if wish.aggregate:
        _show_aggregate(release, predictions, wish, wish.aggregate)
        return
    check_files(wish.json_file, wish.rows_file)
    scores, tally = _scores(predictions, release, wish)
    for note in scores.notes:
        (out.print if note.startswith(BEGINS) else say)(note)  # what rows are goes where the table goes
    if wish.every:
        rows = apply_missing_policy(tally.rows, wish.missing)
        print_table(primary_figures(rows, wish), wish.by)
        told = {"missing": wish.missing, "prompting": wish.prompting, "by": wish.by or ""}
        files = Files(wish.json_file, wish.rows_file, wish.beside, wish.share, told)
        write(release, predictions, rows, scores.notes, files)
    else:
        print_table(scores.figures, wish.by)


def scored(release: Path, outputs: Path, wish: ScoringOptions) -> ModelScores:
    """Every score of outputs, for comparisons; what is in no score is said.

    Args:
        release: its folder.
        outputs: file of a model's outputs.
        wish: how; every metric of the rows is scored.

    Raises:
        ReleaseError: as score().
    """
    scores, tally = _scores(outputs, release, replace(wish, all_metrics=True))
    for note in scores.notes:
        say(f"{outputs}: {note}")
    return ModelScores(outputs, release_identity(release), apply_missing_policy(tally.rows, wish.missing), scores.notes)


def _scores(outputs: Mapping[str, str] | str | Path, release: Path, wish: ScoringOptions) -> tuple[Scores, Tally]:
    wish.check()
    if not isinstance(outputs, Mapping | str | Path):
        fix = 'give {"id of a row": "what the model said"}, or a file of JSON lines'
        raise ParamsError(f"are {type(outputs).__name__}, no outputs by row id", where="outputs", fix=fix)
    given, where = (outputs, "outputs") if isinstance(outputs, Mapping) else (read_outputs(Path(outputs)), str(outputs))
    told = {text(row_id, "id", where): text(output, f"output of {row_id!r}", where) for row_id, output in given.items()}
    with _judged_as(wish):
        tally = score_outputs(release, told, wish, None)
        notes = (*_left_out(tally, told, where, release), *simulated_note(manifest(release), tally.tasks))
        return Scores(figures(tally), notes), tally


def _show_aggregate(release: Path, predictions: Path, wish: ScoringOptions, name: str) -> None:
    if name == OWN_TABLE:
        with _judged_as(wish):
            longgen_table.show(release, predictions, wish.edition, wish.json_file)
        return
    table, told = aggregate_table(name), read_outputs(predictions)
    with _judged_as(wish):
        tally = score_outputs(release, told, wish, table)
        for note in _left_out(tally, told, str(predictions), release):
            say(note)
        print_aggregate(table, tally, wish.edition, manifest(release))
        print_reference_table(table, tally, wish.edition)


@contextmanager
def _judged_as(wish: ScoringOptions) -> Iterator[None]:
    """Let a wish's judges decide inside the block."""
    with ExitStack() as stack:
        if wish.entailment:
            stack.enter_context(use_entailment(open_entailment(wish.entailment)))
        if wish.replies:
            stack.enter_context(judge.use_replies(judge.read_replies(wish.replies)))
        yield


def _left_out(tally: Tally, strangers: Mapping[str, str], where: str, release: Path) -> Iterator[str]:
    """One line each for outputs and rows that are in no mean."""
    known = {(cell.suite, cell.task, cell.bucket) for cell in (*tally.scores, *tally.lacking)}
    if absent := files_not_pulled(release, strangers):
        if not known:
            raise not_pulled(release, absent)
        yield f"outputs for rows that are not here yet: {not_pulled(release, absent)}"
    if not known and not tally.refused and not tally.aside.total():
        raise _no_id(release, where, next(iter(strangers), ""))
    if strangers:
        yield f"{_are(len(strangers))} for rows that are not in this release, e.g. {next(iter(strangers))}"
    for why, count in tally.aside.items():
        if count:
            yield f"{_are(count)} for {why} and {'is' if count == 1 else 'are'} in no mean"
    if missing := sum(tally.silent[key] for key in known):
        be = "has no output and is" if missing == 1 else "have no output and are"
        yield f"{missing} test row{'' if missing == 1 else 's'} of these tables {be} not counted"
    reasons: Counter[tuple[str, str]] = Counter()
    scored: Counter[str] = Counter()
    for cell, scores in tally.scores.items():
        scored[cell.metric] += len(scores)
    for cell, counts in tally.lacking.items():
        scored[cell.metric] += counts.total()
        reasons.update({(cell.metric, reason): count for reason, count in counts.items()})
    for (metric, reason), count in sorted(reasons.items()):
        yield f"{metric}: {count} of {scored[metric]} rows ({count / scored[metric]:.1%}) have no score: {reason}"


def _no_id(release: Path, where: str, given: str) -> ReleaseError:
    """Outputs for other rows: which release was looked at, and how ids are there and here."""
    of = release_of(release)
    named = f"{of['name']} {of['version']}".strip() or str(release)
    theirs = next((str(row["id"]) for row in rows(release, lambda _: ()) if row["part"] == "test"), "none")
    what = f"no id of these outputs is in the release {named}: {given!r:.120} here, {theirs!r} there"
    return ReleaseError(what, where=where, fix="use the ids of its rows, or name their release by --release")


def _are(count: int) -> str:
    return "1 output is" if count == 1 else f"{count} outputs are"
