"""Compare a model's scores on two editions: a release, and another with simulated versions of the same tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json
from haymaker.core.rows.config_name import SIMULATED_SUFFIX
from haymaker.evaluation.score.table import print_grid
from haymaker.scoring.metrics import with_judge
from haymaker.scoring.statistics.intervals import Interval, of_difference


def compare_editions(figures: Mapping[str, Any], other: Path) -> dict[str, Any]:
    """Return the means of every task, metric and length that both editions have, and their difference (first - other).

    The rows differ, so nothing is paired: the interval of the difference is computed from the intervals of both means.

    Raises:
        ReleaseError: the file was not written by `--json`, or has no common task, metric and length.
    """
    if not other.is_file():
        raise ReleaseError("no such file", where=str(other), fix="haymaker score OUTPUTS --release OTHER --json FILE")
    theirs = read_json(other, "format", "release", "cells")
    there = {_place(cell): cell for cell in theirs["cells"]}
    pairs = [(cell, there[_place(cell)]) for cell in figures["cells"] if _place(cell) in there]
    if others := [cell["metric"] for cell, twin in pairs if cell["judge"] != twin.get("judge", "")]:
        fix = "score both sets of outputs with the same judge"
        raise ReleaseError(f"{others[0]} was scored with another judge", where=str(other), fix=fix)
    found = [_both(cell, twin) for cell, twin in pairs]
    found = [each for each in found if each["difference"] is not None]
    if not found:
        fix = "score the same tasks at the same lengths"
        raise ReleaseError("has no task, metric and length in common with these scores", where=str(other), fix=fix)
    return {"release": theirs["release"], "cells": found}


def _place(cell: Mapping[str, Any]) -> tuple[str, ...]:
    return cell["suite"], cell["task"].removesuffix(SIMULATED_SUFFIX), cell["metric"], cell["by"], cell["length"]


def _both(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: ours[name] for name in ("suite", "task", "metric", "judge", "by", "length", "primary")}
    means = ours["mean"], theirs["mean"]
    bounds: tuple[float | None, float | None] = (None, None)
    if None not in (ours["low"], theirs["low"]):
        sides = [Interval(each["low"], each["high"]) for each in (ours, theirs)]
        bounds = of_difference(means[0], sides[0], means[1], sides[1])
    difference = None if None in means else means[0] - means[1]
    of = {"mean": means[0], "other_mean": means[1], "difference": difference}
    return named | of | {"low": bounds[0], "high": bounds[1]}


def print_edition_diff(found: Mapping[str, Any]) -> None:
    """Print both means and their difference with its interval (0 to 100), one line per task and length."""
    lines = list(_lines(found["cells"]))
    heads = ["task", "metric", "length"]
    print_grid(heads, ["this", str(found["release"].get("edition") or "other"), "difference"], lines)


def _lines(cells: Sequence[Mapping[str, Any]]) -> Iterator[tuple[list[str], list[str]]]:
    for cell in cells:
        if cell["primary"]:
            bounds = "" if cell["low"] is None else f" [{100 * cell['low']:+.1f}, {100 * cell['high']:+.1f}]"
            shown = [f"{100 * cell['mean']:.1f}", f"{100 * cell['other_mean']:.1f}"]
            name = with_judge(cell["metric"], cell["judge"])
            yield [cell["task"], name, cell["length"]], [*shown, f"{100 * cell['difference']:+.1f}{bounds}"]
