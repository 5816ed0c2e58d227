"""haymaker score: model outputs against the release, one table of tasks by bucket, or a published table's means."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.errors import HaymakerError, ParamsError, ReleaseError
from haymaker.files import read_json, written
from haymaker.params import nearest
from pipelines.parquet import read_row_groups
from pipelines.progress import say
from pipelines.project import Project
from pipelines.reports.scoreprint import Tally, print_aggregate, print_table
from scoring import judge
from scoring.aggregation import AggregateTable
from scoring.aggregation import table as aggregate_table
from scoring.entailment import judged_by, open_entailment
from scoring.metrics import Metric, get

EDITIONS = ("strict", "official")
BY = ("depth_index", "permutation", "variant", "n_distractors", "haystack", "part", "evidence", "shown")
IN_EXTRA = ("evidence", "shown")  # of rows on long documents (docs/suites/helmet.md)

_COLUMNS = ("id", "group_id", "suite", "task", "bucket", "part", "variant", "metrics")


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
            UnknownMetric: no metric has that id.
        """
        if self.metric:
            get(self.metric)
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
            print_aggregate(table, tally, wish.edition, _manifest(project))
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

    def columns(first: Mapping[str, Any]) -> tuple[str, ...]:
        chosen[:] = map(get, _wanted(first, wish, table))
        split = ("extra" if wish.by in IN_EXTRA else wish.by,) if wish.by else ()
        return (*split, *("sources",) * bool(table), *(column for metric in chosen for column in metric.columns))

    for row in _rows(project, columns):
        if why := _aside(row, wish, bool(chosen), table):
            tally.aside[why] += outputs.pop(row["id"], None) is not None
            continue
        if row["id"] not in outputs:
            tally.silent[row["suite"], row["task"], row["bucket"]] += row["part"] == "test"
            continue
        output = outputs.pop(row["id"])
        if table:
            tally.sources[row["suite"], row["task"]].update(row["sources"] or ())
        for metric in chosen:
            try:
                if metric.id not in tally.refused:
                    tally.add(metric, row, output, _value(row, wish.by))
            except HaymakerError as error:
                if not table:
                    raise
                tally.refused[metric.id] = error.what
    return tally


def _aside(row: Mapping[str, Any], wish: Wish, wanted: bool, table: AggregateTable | None) -> str:
    """What rows are that are in no mean, this one among them; "" of a row that is."""
    if table:
        plain = wanted and row["part"] == "test" and not row["variant"]
        return "" if plain else "other tasks, parts or variants than this table holds"
    if row["part"] != "test" and wish.by != "part":
        return "rows of other parts than test, which --by part shows,"
    if wish.metric and wish.metric not in row["metrics"]:
        return f"rows that {wish.metric} is no metric of"
    return ""


def _value(row: Mapping[str, Any], by: str | None) -> str:
    """What stands in a row's column or `extra`; "" where nothing does."""
    if by not in IN_EXTRA:
        return "" if by is None or row[by] is None else str(row[by])
    extra = json.loads(row["extra"] or "{}")
    if by == "shown":
        return ("whole" if extra["cut"] == "whole" else "part") if "cut" in extra else ""
    known = extra.get("evidence")
    return known if isinstance(known, str) else ""  # BABILong's `evidence` is a list of facts


def _wanted(first: Mapping[str, Any], wish: Wish, table: AggregateTable | None) -> list[str]:
    """Metric ids that are wanted of a file's rows."""
    if table:
        return _aggregated(first, table, wish.edition)
    if wish.metric:
        return [wish.metric] if wish.metric in first["metrics"] else []
    return [first["metrics"][0]]


def _aggregated(row: Mapping[str, Any], table: AggregateTable, edition: str) -> list[str]:
    """Metric ids that a table wants of a row's task."""
    wanted = [d.metrics for d in table.datasets if (d.suite, d.task) == (row["suite"], row["task"])]
    return [f"{metric}@{edition}" for metrics in wanted for metric in metrics]


def _rows(project: Project, columns: Callable[[Mapping[str, Any]], tuple[str, ...] | None]) -> Iterator[dict[str, Any]]:
    """Rows with no more columns than `columns` asks for: prompts may be long.

    It is told suite and task of a file, and the metrics that any of its rows has, those of the first row first.
    """
    for path in sorted((project.release / "data").rglob("*.parquet")):
        known = [row for rows in read_row_groups(path, ["suite", "task", "metrics"]) for row in rows.to_pylist()]
        metrics = dict.fromkeys(metric for row in known for metric in row["metrics"])
        wanted = columns(known[0] | {"metrics": list(metrics)}) if known else None
        if wanted is not None:
            for rows in read_row_groups(path, list(dict.fromkeys((*_COLUMNS, *wanted)))):
                yield from rows.to_pylist()


def _manifest(project: Project) -> dict[str, Any]:
    """What the release says of itself; nothing where it has no manifest yet."""
    path = project.release / "manifest.json"
    return read_json(path, "name", "version", "edition", "sources") if path.is_file() else {}


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
    if not known and not tally.refused and not tally.aside.total():
        raise ReleaseError(
            "no id of this file is in the release", where=str(predictions), fix="use the ids of data/release"
        )
    if strangers:
        say(f"{len(strangers)} outputs are for rows that are not in this release, e.g. {next(iter(strangers))}")
    for why, count in tally.aside.items():
        if count:
            say(f"{count} outputs are for {why} and are in no mean")
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
