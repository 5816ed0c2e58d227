"""Rows for the row list of a page, and statistics of the test rows of a release (depths, labels)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.evaluation.report.model_scores import Model
from haymaker.evaluation.score.row_scores import NO_OUTPUT, table_order
from haymaker.evaluation.score.split_by import fifth
from haymaker.releases.folder import rows as rows_of
from haymaker.releases.selection import Selection

_COLUMNS = ("depth", "answers", "choices", "prompt_tokens")
_LABEL = 60  # maximum characters of an answer used as a label
_FEWEST = 0.5  # answers are labels if each occurs at least twice on average
FIFTHS = tuple(map(fifth, (0.0, 0.25, 0.5, 0.75, 1.0)))


Table = tuple[str, str, str]
"""Suite, task and length."""


class RowStats(NamedTuple):
    """A test row.

    Attributes:
        id, suite, task, length, depth: columns of the row.
        answer: first answer, shortened.
        choices: number of choices; 0 if there are none.
        tokens: prompt tokens.
    """

    id: str
    suite: str
    task: str
    length: str
    depth: float | None
    answer: str
    choices: int
    tokens: int

    @property
    def table(self) -> Table:
        """Suite, task and length."""
        return self.suite, self.task, self.length


def read_rows(release: Path, selection: Selection) -> list[RowStats]:
    """Return the selected test rows of a release, sorted by suite, task and length."""
    is_selected = selection.row_filter(release)
    found = (
        RowStats(
            row["id"],
            row["suite"],
            row["task"],
            row["length"],
            row["depth"],
            (row["answers"] or [""])[0][:_LABEL],
            len(row["choices"] or ()),
            row["prompt_tokens"],
        )
        for row in rows_of(release, lambda _: _COLUMNS)
        if row["split"] == "test"
    )
    kept = (row for row in found if is_selected(row.id, row.table))
    return sorted(kept, key=lambda row: table_order(row.table))


def rows_with_outputs(models: Iterable[Model]) -> dict[str, Table]:
    """Return id and table of the rows that at least one model has an output for, by suite, task and length."""
    tables = {row.id: row.table for model in models for row in model.first if row.why != NO_OUTPUT}
    order = {table: table_order(table) for table in set(tables.values())}
    return dict(sorted(tables.items(), key=lambda item: order[item[1]]))


def chosen(rows: Mapping[str, Table], wrong: Collection[str], most: int) -> list[str]:
    """Return the ids of the rows to show: tasks and lengths alternate, each with the rows a model got wrong first.

    Args:
        rows: table of each row to choose from.
        wrong: ids of rows that a model got wrong.
        most: maximum number of rows.
    """
    cells: defaultdict[Table, list[str]] = defaultdict(list)
    for name in sorted(rows, key=lambda name: name not in wrong):
        cells[rows[name]].append(name)
    turns = (name for turn in zip_longest(*cells.values()) for name in turn if name is not None)
    return list(islice(turns, most))


def imperfect_ids(models: Iterable[Model]) -> set[str]:
    """Return the ids of rows with an output that has less than the full score under the primary metric."""
    return {
        row.id
        for model in models
        for row in model.first
        if row.id in model.outputs and row.score is not None and row.score < 1
    }


def depths(rows: Iterable[RowStats]) -> list[tuple[str, str, list[int]]]:
    """Return suite, task, and number of rows with gold in each fifth of the context, for tasks with depths."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.depth is not None:
            found[row.suite, row.task][fifth(row.depth)] += 1
    return [(suite, task, [counts[band] for band in FIFTHS]) for (suite, task), counts in found.items()]


def labels(rows: Iterable[RowStats]) -> Iterator[Mapping[str, Any]]:
    """Yield the number of answers and the share of the most common one, for tasks with repeated answers."""
    found: dict[tuple[str, str], list[RowStats]] = defaultdict(list)
    for row in rows:
        found[row.suite, row.task].append(row)
    for (suite, task), those in found.items():
        counts = Counter(row.answer for row in those)
        choices = max(row.choices for row in those)
        if choices or len(counts) <= _FEWEST * len(those):
            answer, most = counts.most_common(1)[0]
            even = 1 / (choices or len(counts))
            facts = {"rows": len(those), "different": len(counts), "choices": choices}
            yield {"suite": suite, "task": task, **facts, "answer": answer, "share": most / len(those), "even": even}
