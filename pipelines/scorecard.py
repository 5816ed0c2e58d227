"""haymaker score: model outputs against the release, one table of tasks by bucket, or a published table's means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.errors import HaymakerError, ParamsError, ReleaseError
from haymaker.files import written
from haymaker.params import nearest
from pipelines.parquet import read_row_groups
from pipelines.progress import say
from pipelines.project import Project
from pipelines.scoreprint import Tally, print_aggregate, print_table
from scoring import judge
from scoring.aggregation import AggregateTable
from scoring.aggregation import table as aggregate_table
from scoring.entailment import judged_by, open_entailment
from scoring.metrics import Metric, get

EDITIONS = ("strict", "official")
BY = ("depth_index", "permutation", "variant", "n_distractors", "haystack", "part")

_COLUMNS = ("id", "group_id", "suite", "task", "bucket", "part", "variant", "metrics")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be scored, and how.

    Attributes:
        metric: id; None: each task's first.
        entailment: what decides whether a passage entails a claim (scoring/entailment.py); None: the offline stand-in.
        replies: what a judge replied (scoring/judge.py).
        aggregate: name of a published table (scoring/aggregation).
        edition: of the table's metrics.
        by: column whose values are rows of the table.
    """

    metric: str | None = None
    entailment: str | None = None
    replies: Path | None = None
    aggregate: str | None = None
    edition: str = "strict"
    by: str | None = None

    def check(self) -> None:
        """Refuse what does not go together.

        Raises:
            ParamsError: an unknown edition or column, or a table of its own metrics with others.
        """
        if self.edition not in EDITIONS:
            raise ParamsError(f"no edition {self.edition!r}", where="--edition", fix=nearest(self.edition, EDITIONS))
        if self.by is not None and self.by not in BY:
            raise ParamsError(f"cannot split by {self.by!r}", where="--by", fix=nearest(self.by, BY))
        if self.aggregate and (self.metric or self.by):
            raise ParamsError("a published table has its own metrics", where="--aggregate", fix="no --metric, no --by")


def show(project: Project, predictions: Path, wish: Wish) -> None:
    """Print mean scores (0 to 100) per task and bucket; six depths of a question count as one question.

    Args:
        project: with a finished release.
        predictions: JSON lines with `id` and `output`.
        wish: what to score.

    Raises:
        ReleaseError: a line without id and output, an id twice, none of the ids in the release, or no row has a score.
        ParamsError: a wish that cannot be.
    """
    wish.check()
    table = aggregate_table(wish.aggregate) if wish.aggregate else None
    outputs = _read(predictions)
    with ExitStack() as stack:
        if wish.entailment:
            stack.enter_context(judged_by(open_entailment(wish.entailment)))
        if wish.replies:
            stack.enter_context(judge.replied_by(judge.read_replies(wish.replies)))
        tally = _tally(project, outputs, wish, table)
        _say_what_is_left_out(tally, outputs, predictions)
        if table:
            print_aggregate(table, tally, wish.edition)
        else:
            print_table(tally, wish.by)


def ask(project: Project, predictions: Path, file: Path) -> None:
    """Write what a judge is to be asked about outputs, one JSON line per call.

    Args:
        project: with a finished release.
        predictions: JSON lines with `id` and `output`.
        file: to write.

    Raises:
        ReleaseError: as `show`, or no row has a metric that a judge decides.
    """
    import json

    outputs = _read(predictions)
    calls = 0
    with written(file) as path, path.open("w", encoding="utf-8") as lines:
        for row in _rows(project, lambda first: judge.COLUMNS if _judged(first) else None):
            if row["id"] in outputs:
                for call, prompt in judge.prompts(row, outputs[row["id"]]):
                    lines.write(
                        json.dumps({"id": row["id"], "call": call, "prompt": prompt}, ensure_ascii=False) + "\n"
                    )
                    calls += 1
        if not calls:
            raise ReleaseError("no output is for a row that a judge scores", where=str(predictions))
    say(f"{calls} calls in {file}; answer each with a line of id, call and reply, then score with --replies")


def _judged(row: Mapping[str, Any]) -> bool:
    return any(metric.partition("@")[0] in judge.CALLS for metric in row["metrics"])


def _tally(project: Project, outputs: dict[str, str], wish: Wish, table: AggregateTable | None) -> Tally:
    """Scores of all rows with an output; these are taken out of `outputs`."""
    tally = Tally()
    chosen: list[Metric] = []

    def columns(first: Mapping[str, Any]) -> tuple[str, ...] | None:
        chosen[:] = map(get, _aggregated(first, table, wish.edition) if table else [wish.metric or first["metrics"][0]])
        named = tuple(column for metric in chosen for column in metric.columns)
        return (*named, wish.by) if wish.by else named

    for row in _rows(project, columns):
        if table and (not chosen or row["part"] != "test" or row["variant"]):
            tally.aside += outputs.pop(row["id"], None) is not None
            continue
        if row["id"] not in outputs:
            tally.silent[row["suite"], row["task"], row["bucket"]] += row["part"] == "test"
            continue
        output = outputs.pop(row["id"])
        for metric in chosen:
            by = row[wish.by] if wish.by else ""
            try:
                if metric.id not in tally.refused:
                    tally.add(metric, row, output, "" if by is None else str(by))
            except HaymakerError as error:
                if not table:
                    raise
                tally.refused[metric.id] = error.what
    return tally


def _aggregated(row: Mapping[str, Any], table: AggregateTable, edition: str) -> list[str]:
    """Metric ids that a table wants of a row's task."""
    wanted = [d.metrics for d in table.datasets if (d.suite, d.task) == (row["suite"], row["task"])]
    return [f"{metric}@{edition}" for metrics in wanted for metric in metrics]


def _rows(project: Project, columns: Callable[[Mapping[str, Any]], tuple[str, ...] | None]) -> Iterator[dict[str, Any]]:
    """Rows with no more columns than `columns` asks for, told a file's first row: prompts may be long."""
    for path in sorted((project.release / "data").rglob("*.parquet")):
        first = next((t for t in read_row_groups(path, ["suite", "task", "metrics"]) if len(t)), None)
        wanted = columns(first.slice(0, 1).to_pylist()[0]) if first is not None else None
        if wanted is not None:
            for rows in read_row_groups(path, list(dict.fromkeys((*_COLUMNS, *wanted)))):
                yield from rows.to_pylist()


def _read(path: Path) -> dict[str, str]:
    outputs: dict[str, str] = {}
    for where, record in judge.json_lines(path):
        row_id, output = record.get("id"), record.get("output", ...)
        if not isinstance(row_id, str) or output is ...:
            raise ReleaseError('needs {"id": ..., "output": ...}', where=where)
        if row_id in outputs:
            raise ReleaseError(f"id {row_id!r} comes twice", where=where)
        outputs[row_id] = output if isinstance(output, str) else ""
    return outputs


def _say_what_is_left_out(tally: Tally, strangers: Mapping[str, str], predictions: Path) -> None:
    """One line each for outputs and rows that are in no mean."""
    known = {(cell.suite, cell.task, cell.bucket) for cell in (*tally.scores, *tally.lacking)}
    if not known and not tally.refused and not tally.aside:
        raise ReleaseError(
            "no id of this file is in the release", where=str(predictions), fix="use the ids of data/release"
        )
    if strangers:
        say(f"{len(strangers)} outputs are for rows that are not in this release, e.g. {next(iter(strangers))}")
    if tally.aside:
        say(f"{tally.aside} outputs are for other tasks, parts or variants than this table holds and are in no mean")
    if missing := sum(tally.silent[key] for key in known):
        say(f"{missing} test rows of these tables have no output and are not counted")
    reasons: Counter[tuple[str, str]] = Counter()
    rows: Counter[str] = Counter()
    for cell, scores in tally.scores.items():
        rows[cell.metric] += len(scores)
    for cell, counts in tally.lacking.items():
        rows[cell.metric] += counts.total()
        reasons.update({(cell.metric, reason): count for reason, count in counts.items()})
    for (metric, reason), count in sorted(reasons.items()):
        say(f"{metric}: {count} of {rows[metric]} rows ({count / rows[metric]:.1%}) have no score: {reason}")
