"""haymaker score: model outputs against the release, one table of tasks by bucket, or a published table's means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.errors import HaymakerError, ParamsError, ReleaseError
from haymaker.json_lines import text
from haymaker.params import nearest
from pipelines.models.rows import heard, is_base, reads_cue
from pipelines.partial import not_pulled, not_pulled_of
from pipelines.progress import out, say
from pipelines.release import manifest, read_outputs, release_folder, rows
from pipelines.reports import longgen, splits
from pipelines.reports.scorebeside import print_beside
from pipelines.reports.scored import MISSING, NO_OUTPUT, PLACES, Scored, by_cell, known_as, of_row, release_of, settled
from pipelines.reports.scoredread import Given
from pipelines.reports.scorefile import Files, demand_files, write
from pipelines.reports.scoreprint import Figure, Tally, figures, print_aggregate, print_table
from pipelines.reports.simulated import BEGINS, simulated
from pipelines.reports.splits import BY
from scoring import judge
from scoring.aggregation import AggregateTable
from scoring.aggregation import table as aggregate_table
from scoring.entailment import judged_by
from scoring.metrics import Metric, get
from scoring.nli import open_entailment

EDITIONS = ("strict", "official")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be scored, and how.

    Attributes:
        metric: id, of the rows whose `metrics` name it; None: each task's first.
        entailment: what decides whether a passage entails a claim (scoring/entailment.py); None: the offline stand-in.
        replies: what a judge replied (scoring/judge.py).
        aggregate: name of a published table (scoring/aggregation).
        edition: of the table's metrics.
        by: what each line of the table is of: one of BY. Rows of other parts than test are scored by part alone.
        json_file: for all figures: of a table `longgenbench` its own, else those of docs/reference/scores.md.
        rows_file: for every score of every row: JSON lines, or Parquet by its ending.
        missing: whether test rows without an output are left out of means ("exclude") or count as 0 ("zero").
        share: of the score at the shortest length that a length must reach to be an effective one, 0 .. 1.
        all_metrics: whether every metric of every row is wanted in any case.
        beside: figures of another release (json_file of another call) to stand beside these.
        prompting: how the model was asked: "chat", or "base", where it continued the prompt: HELMET's rules read the cue of the
            prompt before such an output (docs/spec/helmet.md 11.0).
    """

    metric: str | None = None
    entailment: str | None = None
    replies: Path | None = None
    aggregate: str | None = None
    edition: str = "strict"
    by: str | None = None
    json_file: Path | None = None
    prompting: str = "chat"
    rows_file: Path | None = None
    missing: str = "exclude"
    share: float = 0.85
    beside: Path | None = None
    all_metrics: bool = False

    @property
    def every(self) -> bool:
        """Whether every metric of every row is wanted, not each task's first alone."""
        filed = self.rows_file or self.beside or (self.json_file and not self.aggregate)
        return bool(filed) or self.all_metrics or self.missing != "exclude"

    def check(self) -> None:
        """Refuse what does not go together.

        Raises:
            ParamsError: an unknown edition or column, or a table of its own metrics with others.
            UnknownMetric: no metric has that id.
        """
        if self.metric:
            get(self.metric)
        if self.edition not in EDITIONS:
            raise ParamsError(f"no edition {self.edition!r}", where="--edition", fix=nearest(self.edition, EDITIONS))
        is_base(self.prompting)
        if self.by is not None and self.by not in BY:
            raise ParamsError(f"cannot split by {self.by!r}", where="--by", fix=nearest(self.by, BY))
        if self.aggregate and (self.metric or self.by):
            raise ParamsError("a published table has its own metrics", where="--aggregate", fix="no --metric, no --by")
        if self.missing not in MISSING:
            raise ParamsError(f"no way {self.missing!r}", where="--missing", fix=nearest(self.missing, MISSING))
        if self.aggregate and (self.every or (self.json_file and self.aggregate != longgen.NAME)):
            fix = "leave --aggregate out: all published tables stand in the file of --json"
            raise ParamsError("a published table has no files of its own", where="--aggregate", fix=fix)
        if not 0 < self.share <= 1:
            raise ParamsError(f"{self.share} is no share above 0 and up to 1", where="--share", fix="--share 0.85")


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
        replies: file of a judge's replies (scoring/judge.py).
        prompting: "chat", or "base" where the model continued the prompt.

    Raises:
        ReleaseError: no release there, an id or output that is no text, an id twice, or none of the ids in the release.
        ParamsError: a wish that cannot be.
    """
    return _scores(
        outputs,
        release_folder(release),
        Wish(metric, entailment, Path(replies) if replies else None, by=by, prompting=prompting),
    )[0]


def show(release: Path, predictions: Path, wish: Wish) -> None:
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
    demand_files(wish.json_file, wish.rows_file)
    scores, tally = _scores(predictions, release, wish)
    for note in scores.notes:
        (out.print if note.startswith(BEGINS) else say)(note)  # what rows are goes where the table goes
    if wish.every:
        rows = settled(tally.rows, wish.missing)
        print_table(_of_first(rows, wish), wish.by)
        told = {"missing": wish.missing, "prompting": wish.prompting, "by": wish.by or ""}
        files = Files(wish.json_file, wish.rows_file, wish.beside, wish.share, told)
        write(release, predictions, rows, scores.notes, files)
    else:
        print_table(scores.figures, wish.by)


def scored(release: Path, outputs: Path, wish: Wish) -> Given:
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
    return Given(outputs, known_as(release), settled(tally.rows, wish.missing), scores.notes)


def _of_first(rows: list[Scored], wish: Wish) -> tuple[Figure, ...]:
    """Means of each row's first metric, or of the one that is wanted."""
    tally = Tally()
    for cell, those in by_cell(
        row for row in rows if row.metric == wish.metric or (row.primary and not wish.metric)
    ).items():
        if pairs := [(row.group, row.score) for row in those if row.score is not None]:
            tally.scores[cell] = pairs
            tally.judges[cell.metric] = those[0].judge
    return figures(tally)


def _scores(outputs: Mapping[str, str] | str | Path, release: Path, wish: Wish) -> tuple[Scores, Tally]:
    wish.check()
    if not isinstance(outputs, Mapping | str | Path):
        fix = 'give {"id of a row": "what the model said"}, or a file of JSON lines'
        raise ParamsError(f"are {type(outputs).__name__}, no outputs by row id", where="outputs", fix=fix)
    given, where = (outputs, "outputs") if isinstance(outputs, Mapping) else (read_outputs(Path(outputs)), str(outputs))
    told = {text(row_id, "id", where): text(output, f"output of {row_id!r}", where) for row_id, output in given.items()}
    with _judged_as(wish):
        tally = _tally(release, told, wish, None)
        notes = (*_left_out(tally, told, where, release), *simulated(manifest(release), tally.tasks))
        return Scores(figures(tally), notes), tally


def _show_aggregate(release: Path, predictions: Path, wish: Wish, name: str) -> None:
    if name == longgen.NAME:
        with _judged_as(wish):
            longgen.show(release, predictions, wish.edition, wish.json_file)
        return
    table, told = aggregate_table(name), read_outputs(predictions)
    with _judged_as(wish):
        tally = _tally(release, told, wish, table)
        for note in _left_out(tally, told, str(predictions), release):
            say(note)
        print_aggregate(table, tally, wish.edition, manifest(release))
        print_beside(table, tally, wish.edition)


@contextmanager
def _judged_as(wish: Wish) -> Iterator[None]:
    """Let a wish's judges decide inside the block."""
    with ExitStack() as stack:
        if wish.entailment:
            stack.enter_context(judged_by(open_entailment(wish.entailment)))
        if wish.replies:
            stack.enter_context(judge.replied_by(judge.read_replies(wish.replies)))
        yield


def _tally(release: Path, outputs: dict[str, str], wish: Wish, table: AggregateTable | None) -> Tally:
    """Scores of all rows with an output; these are taken out of `outputs`."""
    tally = Tally()
    chosen: list[Metric] = []

    def columns(first: Mapping[str, Any]) -> tuple[str, ...]:
        chosen[:] = map(get, _wanted(first, wish, table))
        split = (splits.column(wish.by),) if wish.by else ()
        cue = (
            ("prompt", "cue_start")
            if any(reads_cue(metric.id, first["suite"], base=is_base(wish.prompting)) for metric in chosen)
            else ()
        )
        return (
            *split,
            *PLACES * wish.every,
            *("sources",) * bool(table),
            *cue,
            *(column for metric in chosen for column in metric.columns),
        )

    for row in rows(release, columns):
        if why := _aside(row, wish, bool(chosen), table):
            tally.aside[why] += outputs.pop(row["id"], None) is not None
            if chosen and row["part"] == "test":
                tally.variants[row["suite"], row["task"], row["bucket"]].add(row["variant"] or "")
            continue
        if row["id"] not in outputs:
            tally.silent[row["suite"], row["task"], row["bucket"]] += row["part"] == "test"
            if wish.every and row["part"] == "test":
                by = splits.value(row, wish.by)
                tally.rows += (of_row(row, m, None, NO_OUTPUT, by) for m in chosen if m.id in row["metrics"])
            continue
        output = outputs.pop(row["id"])
        if table:
            tally.sources[row["suite"], row["task"]].update(row["sources"] or ())
        for metric in chosen:
            if not wish.every or metric.id in row["metrics"]:
                _score(tally, metric, row, output, wish, bool(table))
    return tally


def _score(tally: Tally, metric: Metric, row: Mapping[str, Any], output: str, wish: Wish, of_table: bool) -> None:
    """Score a row by a metric, one that cannot be computed here once."""
    score, why, by = None, "", splits.value(row, wish.by)
    try:
        if metric.id not in tally.refused:
            said = heard(metric.id, row, output, base=is_base(wish.prompting))
            score, why = tally.add(metric, row, said, by)
    except HaymakerError as error:
        if not (of_table or wish.every):
            raise
        tally.refused[metric.id] = error.what
    if wish.every:
        tally.rows.append(of_row(row, metric, score, why or tally.refused.get(metric.id, ""), by))


def _aside(row: Mapping[str, Any], wish: Wish, wanted: bool, table: AggregateTable | None) -> str:
    """What rows are that are in no mean, this one among them; "" of a row that is."""
    if table:
        plain = wanted and row["part"] == "test" and (row["variant"] or "") in ("", *table.variants)
        return "" if plain else "other tasks, parts or variants than this table holds"
    if row["part"] != "test" and wish.by != "part":
        return "rows of other parts than test, which --by part shows,"
    if wish.metric and wish.metric not in row["metrics"]:
        return f"rows that {wish.metric} is no metric of"
    return ""


def _wanted(first: Mapping[str, Any], wish: Wish, table: AggregateTable | None) -> list[str]:
    """Metric ids that are wanted of a file's rows."""
    if table:
        return _aggregated(first, table, wish.edition)
    if wish.metric:
        return [wish.metric] if wish.metric in first["metrics"] else []
    if wish.every:
        return list(first["metrics"])
    return [first["metrics"][0]]


def _aggregated(row: Mapping[str, Any], table: AggregateTable, edition: str) -> list[str]:
    """Metric ids that a table wants of a row's task."""
    wanted = [d.metrics for d in table.datasets if (d.suite, d.task) == (row["suite"], row["task"])]
    classes = [f"{metric}@strict" for metric in table.classes if wanted]
    return [*(f"{metric}@{edition}" for metrics in wanted for metric in metrics), *classes]


def _left_out(tally: Tally, strangers: Mapping[str, str], where: str, release: Path) -> Iterator[str]:
    """One line each for outputs and rows that are in no mean."""
    known = {(cell.suite, cell.task, cell.bucket) for cell in (*tally.scores, *tally.lacking)}
    if absent := not_pulled_of(release, strangers):
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
