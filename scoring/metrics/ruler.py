"""RULER: how many of the wanted values an output holds, and how many others (docs/spec/synthetic.md A1).

`answer_groups` has the aliases of one wanted value each; a row whose answer is `none` asks for something that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.metrics import Metric, pair, subem
from scoring.metrics.items import (
    controlled,
    is_none,
    leaves_open,
    line,
    named,
    plain_numbers,
    predicts_none,
    stands,
    wanted,
)
from scoring.text import harmonic, whole


def all_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: share of values that are substrings of the output, case aside; "123" is in "1234567".

    Thoughts are read like all else: the reference does not know them.
    """
    groups = row["answer_groups"] or [row["answers"]]
    return sum(_part_of(group, output) for group in groups) / len(groups)


def part_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule for its two question tasks: any accepted answer is a substring of the output, case aside."""
    return float(_part_of(row["answers"], output))


def _part_of(values: Sequence[str], output: object) -> bool:
    """Whether one of the values stands in an output as the reference prepares it."""
    text = controlled(whole(output).strip()).strip().lower()
    return any(value.lower() in text for value in values)


def all_strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of values that stand in the output as whole tokens.

    Differs from the reference: digit runs are whole, "1,234,567" is 1234567, line breaks are spaces; a row whose answer is
    `none` is right where the output says so and names no code that the question does not hold; an output that says `none` beside all
    values is worth nothing ("5331199 or none"), beside some it may mean the others.
    """
    return _recall(output, row, wanted(row))


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Harmonic mean of that share and of the share of wanted values among all of their shape that the output names.

    The reference has no such figure: there, an output that lists every candidate is right (docs/defects/synthetic.md A5 #10).
    """
    groups = wanted(row)
    recall = _recall(output, row, groups)
    if not recall or is_none(groups):
        return recall
    right = {alias for group in groups for alias in group}
    items = named(output, right, row["question"])
    return harmonic(len(items & right) / len(items), recall)


def _recall(output: str, row: Mapping[str, Any], groups: list[list[str]]) -> float:
    if not groups:
        return 0.0
    if is_none(groups):
        return float(predicts_none(output, row["question"]))
    aliases = [alias for group in groups for alias in group]
    text = plain_numbers(line(output), aliases)
    recall = sum(any(stands(alias, text) for alias in group) for group in groups) / len(groups)
    return 0.0 if recall == 1 and leaves_open(output, aliases) else recall


_COLUMNS = ("answers", "answer_groups", "question")
METRICS = (
    *pair("ruler_all", "Share of the wanted values that the output holds.", all_strict, all_official, _COLUMNS, 3, 4),
    *pair("ruler_part", "An accepted answer is part of the output.", subem.strict, part_official, ("answers", "question"), strict_version=4),
    Metric("ruler_f1@strict", 4, "F1 of the wanted values among all of their shape.", f1_strict, _COLUMNS),
)  # fmt: skip
