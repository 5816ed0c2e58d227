"""`haymaker score`: score the outputs of a model, print a table of tasks by length or a published table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path

from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.json_lines import text
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.progress import out, say
from haymaker.evaluation.predictions import read_outputs
from haymaker.evaluation.score import longgen_table
from haymaker.evaluation.score.edition_diff import print_edition_diff
from haymaker.evaluation.score.figures import primary_rows
from haymaker.evaluation.score.files import ModelScores, all_figures, check_files, write_rows
from haymaker.evaluation.score.options import OWN_TABLE, ScoringOptions
from haymaker.evaluation.score.published_table import print_published_table
from haymaker.evaluation.score.row_scores import NO_OUTPUT, apply_missing_policy, release_identity, release_of
from haymaker.evaluation.score.score_outputs import ScoredOutputs, score_outputs
from haymaker.evaluation.score.scores import Scores
from haymaker.evaluation.score.table import (
    formula,
    print_averages,
    print_grid,
    print_lengths,
    summary_table,
    tasks_table,
)
from haymaker.releases.display.simulated_tasks import BEGINS, simulated_note
from haymaker.releases.folder import manifest, release_folder, rows
from haymaker.releases.pulled.partial_pull import files_not_pulled, not_pulled
from haymaker.releases.selection import TEST_ROWS, Selection, mini_ids
from haymaker.scoring.judges import judge
from haymaker.scoring.judges.entailment import open_entailment, use_entailment
from haymaker.scoring.published_tables import AggregateTable
from haymaker.scoring.published_tables import table as published_table


def score(
    outputs: Mapping[str, str] | str | Path,
    release: str | PathLike[str],
    *,
    metric: str | None = None,
    by: str | None = None,
    entailment: str | None = None,
    replies: str | Path | None = None,
    prompting: str = "chat",
    tasks: Sequence[str] = (),
    suites: Sequence[str] = (),
    lengths: Sequence[str] = (),
    mini: bool = False,
) -> Scores:
    """Return mean scores (0 to 100): overall, and per task and length; six depths of a question count as one question.

    Args:
        outputs: output by row id, or a file of JSON lines with `id` and `output`.
        release: folder, release name in the project of the current folder, or ORG/NAME[@VERSION] of a pulled release.
        metric: metric id, scored for the rows that have it; None: the primary metric of each task.
        by: column that splits the means, one of BY.
        entailment: entailment model for passages and claims; None: the offline stand-in.
        replies: file of a judge's replies (haymaker/scoring/judges/judge.py).
        prompting: "chat", or "base" if the model continued the prompt.
        tasks: task names, or suite/task; empty: all.
        suites: suite names; empty: all.
        lengths: lengths such as "4k"; empty: all.
        mini: rows of the small subset.

    Raises:
        ReleaseError: no such release, an id or output is not a text, an id is repeated, or none is in the release.
        ParamsError: invalid options.
    """
    names = {"suites": suites, "tasks": tasks, "lengths": lengths}
    for argument in (name for name, given in names.items() if isinstance(given, str)):
        raise ParamsError("is one text", where=argument, fix=f"give a list: {argument}=[{names[argument]!r}]")
    selection = Selection(tuple(suites), tuple(tasks), tuple(lengths), mini=mini)
    options = ScoringOptions(
        metric, entailment, Path(replies) if replies else None, by=by, prompting=prompting, selection=selection
    )
    found, notes = _scored(outputs, release_folder(release), options)
    return Scores.of(found.rows, notes)


def show(release: Path, predictions: Path, options: ScoringOptions) -> None:
    """Print the means of `score()` or of a published table, and write the files requested in the options.

    Args:
        release: release folder.
        predictions: JSON lines with `id` and `output`.
        options: metrics, judges and output files.

    Raises:
        ReleaseError: same as `score()`, or no row has a score.
        ParamsError: options that exclude each other.
    """
    options.check()
    if options.aggregate == OWN_TABLE:
        with _judges(options):
            longgen_table.show(release, predictions, options.edition, options.json_file)
        return
    if options.aggregate:
        table = published_table(options.aggregate)
        found, notes = _scored(predictions, release, options, table)
        for note in notes:
            say(note)
        print_published_table(table, found, options.edition, manifest(release))
        return
    check_files(options.json_file, options.rows_file)
    found, notes = _scored(predictions, release, options)
    rows = apply_missing_policy(found.rows, options.missing)
    scores = Scores.of(primary_rows(rows, options.metric) if options.every else rows, notes)
    if not scores.figures:
        for note in notes:
            say(note)
        fix = "give a judge's replies with --replies, or choose another --metric"
        raise ReleaseError("no row has a score", fix=fix)
    every = all_figures(release, predictions, rows, notes, options)
    if options.rows_file:
        write_rows(options.rows_file, rows, release_of(release))
    write_json_or_print(options.json_file, every)
    _print(scores, options.by)
    if options.compare_with:
        print_edition_diff(every["comparison"])
    print_averages(every["averages"])
    print_lengths(every["effective_lengths"])


def _print(scores: Scores, by: str | None) -> None:
    """Print the means of suites and of tasks, and the notes."""
    own = [note for note in scores.notes if note.startswith(BEGINS)]  # the note on simulated rows belongs to the tables
    others = [note for note in scores.notes if note not in own]
    if scores.summary and len(scores.figures) > 1:
        print_grid(*summary_table(scores.summary))
        own.insert(0, formula(scores.summary))
    for line in (*own, "") if own else ():
        out.print(line)
    print_grid(*tasks_table(scores.figures, by))
    for note in others:
        say(note)


def scored(release: Path, outputs: Path, options: ScoringOptions, *, all_metrics: bool = True) -> ModelScores:
    """Return the score of every row, for comparisons; print notes about excluded rows.

    Args:
        release: release folder.
        outputs: file of a model's outputs.
        options: scoring options.
        all_metrics: score every metric of a row.

    Raises:
        ReleaseError: same as `score()`.
    """
    found, notes = _scored(outputs, release, replace(options, all_metrics=all_metrics))
    for note in notes:
        if not note.startswith(BEGINS):
            say(f"{outputs}: {note}")
    return ModelScores(outputs, release_identity(release), apply_missing_policy(found.rows, options.missing), notes)


def _scored(
    outputs: Mapping[str, str] | str | Path,
    release: Path,
    options: ScoringOptions,
    table: AggregateTable | None = None,
) -> tuple[ScoredOutputs, tuple[str, ...]]:
    """Return the scores of all rows, and messages about outputs and rows excluded from the means."""
    options.check()
    if not isinstance(outputs, Mapping | str | Path):
        fix = 'give {"id of a row": "output of the model"}, or a file of JSON lines'
        raise ParamsError(
            f"are {type(outputs).__name__}, not a mapping of row ids to outputs", where="outputs", fix=fix
        )
    given, where = (outputs, "outputs") if isinstance(outputs, Mapping) else (read_outputs(Path(outputs)), str(outputs))
    left = {text(row_id, "id", where): text(output, f"output of {row_id!r}", where) for row_id, output in given.items()}
    with _judges(options):
        found = score_outputs(release, left, options, table)
    notes = list(_notes(found, left, where, release, options))
    if not table:
        notes += simulated_note(manifest(release), found.tasks)
    return found, tuple(notes)


@contextmanager
def _judges(options: ScoringOptions) -> Iterator[None]:
    """Use the judges of the options inside the block."""
    with ExitStack() as stack:
        if options.entailment:
            stack.enter_context(use_entailment(open_entailment(options.entailment)))
        if options.replies:
            stack.enter_context(judge.use_replies(judge.read_replies(options.replies)))
        yield


def _notes(
    found: ScoredOutputs, unknown: Mapping[str, str], where: str, release: Path, options: ScoringOptions
) -> Iterator[str]:
    """Yield one message per kind of output or row excluded from the means."""
    tables = found.tables
    if absent := files_not_pulled(release, unknown):
        if not tables:
            raise not_pulled(release, absent)
        yield f"some outputs are for rows that are not pulled yet: {not_pulled(release, absent)}"
    if not tables and not found.excluded.total():
        if options.selection != TEST_ROWS:
            raise ReleaseError(
                f"no output belongs to the rows of {options.selection}", where=where, fix="select other rows"
            )
        raise _no_id(release, where, next(iter(unknown), ""))
    if unknown:
        yield f"{_are(len(unknown))} for rows that are not in this release, e.g. {next(iter(unknown))}"
    for why, count in found.excluded.items():
        if count:
            yield f"{_are(count)} for {why} and {'is' if count == 1 else 'are'} not counted"
    silent = found.silent
    answered = {(suite, task) for suite, task, _ in tables}
    if missing := sum(count for (suite, task, _), count in silent.items() if (suite, task) in answered):
        are = ("is" if missing == 1 else "are") + (" not counted" if options.missing == "exclude" else " scored 0")
        has = " of these tasks has" if missing == 1 else "s of these tasks have"
        is_mini = not options.selection.mini and found.answered <= mini_ids(release)
        hint = "; all outputs are for the small subset: use --mini to score only its rows" if is_mini else ""
        yield f"{missing:,} test row{has} no output and {are}{hint}"
    yield from _without_score(found)


def _without_score(found: ScoredOutputs) -> Iterator[str]:
    """Yield one line per metric and reason for rows whose output has no score."""
    scored: Counter[str] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    for row in found.rows:
        if row.why != NO_OUTPUT and row.metric not in found.refused:
            scored[row.metric] += 1
            reasons[row.metric, row.why] += row.score is None
    for (metric, reason), count in sorted(reasons.items()):
        if count:
            yield f"{metric}: {count} of {scored[metric]} rows ({count / scored[metric]:.1%}) have no score: {reason}"


def _no_id(release: Path, where: str, given: str) -> ReleaseError:
    """Return the error for outputs without any row of the release, with an example id of each side."""
    of = release_of(release)
    named = f"{of['name']} {of['version']}".strip() or str(release)
    theirs = next((str(row["id"]) for row in rows(release, lambda _: ()) if row["split"] == "test"), "none")
    what = f"none of the output ids is in the release {named} (an output has {given!r:.120}, a row has {theirs!r})"
    return ReleaseError(what, where=where, fix="use the row ids of this release, or give another with --release")


def _are(count: int) -> str:
    return "1 output is" if count == 1 else f"{count} outputs are"
