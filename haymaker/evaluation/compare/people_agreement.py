"""haymaker agreement: compare scores of a judge or rule with human labels (docs/reference/scores.md)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.files.json_lines import json_lines, text
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.files.output_files import check_replaceable, is_object_with
from haymaker.core.progress import out, say
from haymaker.evaluation.score.files import read_scores
from haymaker.evaluation.score.row_scores import RowScore
from haymaker.evaluation.score.table import print_grid
from haymaker.scoring.metrics import with_judge
from haymaker.scoring.statistics.agreement import RESAMPLES, LabelCount, Pair, agreement

FORMAT = "haymaker-agreement"
VERSION = 1
_FIGURES = ("agreement", "kappa", "spearman", "kendall")
_PERCENT = ("agreement",)

Labels = Mapping[tuple[str, str], float]


def compare_with_people(labels: Path, scores: Path, json_file: Path | None) -> None:
    """Print and write the agreement of each metric with human labels.

    Args:
        labels: JSON lines with `id`, `label`, and `metric` if it is not the primary metric of the row.
        scores: file written by `haymaker score --row-scores`.
        json_file: file for all figures.

    Raises:
        ReleaseError: a file cannot be read, or no label belongs to a row with a score.
    """
    check_replaceable(json_file, "--json", "file of haymaker agreement --json", is_object_with((), FORMAT))
    values, given = read_labels(labels), read_scores(scores)
    pairs: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    used = set()
    for row in given.rows:
        if row.score is not None and (key := _named(row, values)):
            pairs[row.metric, row.judge].append(Pair(row.group, row.score, values[key]))
            used.add(key)
    if not pairs:
        fix = "use the ids and metrics of that file"
        raise ReleaseError(f"no label belongs to a row with a score in {scores}", where=str(labels), fix=fix)
    if others := len(values) - len(used):
        say(f"{others} of {len(values)} labels belong to rows without such a score and are not counted")
    found = [_figures(metric, judge, those) for (metric, judge), those in sorted(pairs.items())]
    _print(found)
    facts = {"format": FORMAT, "format_version": VERSION, "release": dict(given.release), "labels": labels.name}
    facts |= {"scores": scores.name, "resamples": RESAMPLES, "unused": others, "metrics": found}
    write_json_or_print(json_file, facts)


def read_labels(path: Path) -> dict[tuple[str, str], float]:
    """Read human labels by row and metric ("" for the primary metric); true and false become 1 and 0.

    Raises:
        ReleaseError: no id or label, a label other than a number, true or false, or a repeated row and metric.
    """
    found: dict[tuple[str, str], float] = {}
    for where, record in json_lines(path):
        key = text(record.get("id", ...), "id", where), text(record.get("metric", ""), "metric", where)
        label = record.get("label")
        if not isinstance(label, bool | int | float) or not math.isfinite(label):
            fix = "write true, false or a number"
            raise ReleaseError(f"label is {label!r:.80}, not true, false or a number", where=where, fix=fix)
        if key in found:
            raise ReleaseError(f"id {key[0]!r:.80} appears twice", where=where, fix="keep one label per row and metric")
        found[key] = float(label)
    return found


def _named(row: RowScore, values: Labels) -> tuple[str, str] | None:
    """Return the key of the label for a score, or None; labels for the primary metric may omit the metric."""
    keys = [(row.id, row.metric), *([(row.id, "")] if row.primary else [])]
    return next((key for key in keys if key in values), None)


def _figures(metric: str, judge: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the figures of one metric, each with value, low and high; only figures that suit its kind of labels."""
    figures = agreement(pairs, metric, judge)
    groups = len({pair.group for pair in pairs})
    return {"metric": metric, "judge": judge, "labels": len(pairs), "groups": groups} | {
        name: sure._asdict() for name, sure in figures.items()
    }


def _print(found: Sequence[Mapping[str, Any]]) -> None:
    names = [name for name in _FIGURES if any(name in each for each in found)]
    lines = [
        ([with_judge(each["metric"], each["judge"])],
         [str(each["labels"]), str(each["groups"]), *(_shown(name, each.get(name)) for name in names)])
        for each in found
    ]  # fmt: skip
    print_grid(["metric"], ["labels", "questions", *names], lines)
    out.print(
        "agreement in percent, other figures from -1 to 1; in brackets the 95 % interval (bootstrap over questions)",
        markup=False,
    )


def _shown(name: str, figure: Mapping[str, float | None] | None) -> str:
    if figure is None or figure["value"] is None:
        return "-"
    times, digits = (100, 1) if name in _PERCENT else (1, 2)
    value, low, high = (None if each is None else f"{times * each:.{digits}f}" for each in LabelCount(**figure))
    return f"{value}" if low is None else f"{value} [{low}, {high}]"
