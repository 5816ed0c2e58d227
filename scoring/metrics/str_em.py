"""str_em and str_hit: which readings of an ambiguous question a long answer covers (ASQA; docs/spec/helmet.md 11.5).

`answer_groups` holds the short answers of one reading each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.metrics import Metric, no_groups, pair
from scoring.metrics.citing import folded, prepared, without, without_official
from scoring.text import groups, holds_words, normalise


def _strict(output: str, row: Mapping[str, Any]) -> list[bool]:
    text = without(folded(output))
    return [any(holds_words(text, answer) for answer in group) for group in groups(row)]


def _official(output: str, row: Mapping[str, Any]) -> list[bool]:
    text = normalise(without_official(prepared(output)))
    return [any(normalise(answer) in text for answer in group) for group in row["answer_groups"] or ()]


def _share(covered: Sequence[bool]) -> float:
    return sum(covered) / len(covered) if covered else 0.0


def _all(covered: Sequence[bool]) -> float:
    return float(bool(covered) and all(covered))


def em_strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of readings of which a short answer stands in the output as whole words.

    Differs from the reference: whole words, "one" is "1" (docs/defects/helmet.md D24); answers that normalise to nothing do not count
    (docs/defects/helmet.md D10); "[1, 2]" is removed whole (docs/defects/helmet.md D13).
    """
    return _share(_strict(output, row))


def em_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: share of readings of which a short answer is a substring of the output, both normalised."""
    return _share(_official(output, row))


def hit_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when every reading is covered, by the rule of `em_strict`."""
    return _all(_strict(output, row))


def hit_official(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when every reading is covered, by the rule of `em_official`."""
    return _all(_official(output, row))


_READ: dict[str, Any] = {"columns": ("answer_groups",), "demands": no_groups, "strict_version": 5}
METRICS = (
    Metric(
        "str_f1@strict",
        1,
        "Stand-in for a metric that is being written.",
        em_strict,
        ("answer_groups",),
        demands=no_groups,
    ),
    *pair("str_em", "Share of readings of the question that the answer covers.", em_strict, em_official, **_READ),
    *pair("str_hit", "Whether the answer covers every reading of the question.", hit_strict, hit_official, **_READ),
)
