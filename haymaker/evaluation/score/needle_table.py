"""Which of several texts (needles) outputs repeat, for rows with the metric `which_needle@strict`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from haymaker.evaluation.score.row_scores import table_order
from haymaker.releases.folder import rows
from haymaker.releases.selection import TEST_ROWS, Selection
from haymaker.scoring.metrics import get
from haymaker.scoring.metrics.mrcr import given

METRIC = "which_needle@strict"


class Given(NamedTuple):
    """A number of outputs.

    Attributes:
        suite, task, length: place of the rows.
        asked: number of the requested needle, from 1.
        given: number of the needle that the outputs repeat; 0: none.
        rows: number of rows, at least 1.
    """

    suite: str
    task: str
    length: str
    asked: int
    given: int
    rows: int


def given_needles(release: Path, outputs: Mapping[str, str], selection: Selection = TEST_ROWS) -> list[Given]:
    """Count the outputs of test rows by requested and repeated needle.

    Args:
        release: release folder.
        outputs: output by row id.
        selection: rows to count.
    """
    found, is_selected, metric = Counter[tuple[str, str, str, int, int]](), selection.row_filter(release), get(METRIC)
    for row in rows(release, lambda first: metric.columns if METRIC in first["metrics"] else None):
        table = row["suite"], row["task"], row["length"]
        if row["split"] == "test" and row["id"] in outputs and is_selected(row["id"], table) and not metric.misses(row):
            found[*table, json.loads(row["metadata"])["asked"], given(outputs[row["id"]], row)] += 1
    counted = (Given(*key, count) for key, count in found.items())
    return sorted(counted, key=lambda each: (table_order(each[:3]), each.asked, each.given))


def grids(found: Iterable[Given]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield title, header and lines of a table per task and length: a line per requested, a column per given needle."""
    for (suite, task, length), those in groupby(found, key=lambda each: each[:3]):
        counts = {(each.asked, each.given): each.rows for each in those}
        last, asked = max(map(max, counts)), sorted({asked for asked, _ in counts})
        lines = [[f"{each}", *(f"{counts.get((each, said), 0)}" for said in range(last + 1))] for each in asked]
        yield f"{suite}/{task} {length}", ["requested", "none", *map(str, range(1, last + 1))], lines
