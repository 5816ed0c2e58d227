"""Measure how well a keyword search or the length finds the gold units. Only these measures use the gold labels.

They show how many passages must be read to find all gold, whether one passage suffices for a two-hop question, and whether
the shortest or the longest passage is gold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median_low

from haymaker.core.text.strings import filter_aliases, holds, padded
from pipelines.checks.shortcuts.context_reader import Unit
from pipelines.checks.shortcuts.table_stats import RowView

FEW = 5
"""Number of top-ranked units read by a reader who relies on the search."""
GOLD = "gold"
_BRIDGE = "bridge"


def gold_rank(rows: Sequence[RowView]) -> dict[str, float]:
    """Rank gold against distractor passages, one row per question: percent with all gold first (`score`) or in the
    first FEW (`few`), `questions`, median rank of the last gold (`rank`), median number of passages (`of`).
    """
    found = [(places, len(seen.ranked)) for seen in rows if (places := _places(seen))]
    if not found:
        return {}
    return {
        "score": _percent([places[-1] == len(places) for places, _ in found]),
        "questions": len(found),
        "few": _percent([places[-1] <= FEW for places, _ in found]),
        "rank": median_low([places[-1] for places, _ in found]),
        "of": median_low([count for _, count in found]),
    }


def _places(seen: RowView) -> list[int]:
    """Return the ranks of the gold passages, from 1; empty without a search for them."""
    return [place for place, unit in enumerate(seen.ranked, 1) if unit.kind == GOLD] if _are_hidden(seen) else []


def _are_hidden(seen: RowView) -> bool:
    """Return whether a row has a question, and gold passages among distractors."""
    return {unit.kind for unit in seen.marked} == {GOLD, "distractor"} and bool(seen.row["question"])


def single_hop(rows: Sequence[RowView]) -> dict[str, float]:
    """Measure bridge questions, which should need two hops: `score`, percent whose answer passage is found in one hop,
    as it is ranked first or the question contains its title; `questions`, number of bridge questions.
    """
    found = [needs for seen in rows if (needs := _needs_no_hop(seen)) is not None]
    return {"score": _percent(found), "questions": len(found)} if found else {}


def _needs_no_hop(seen: RowView) -> bool | None:
    """Return whether an answer passage is found in one hop; None if not a bridge question or no gold has the answer."""
    golds = [unit for unit in seen.marked if unit.kind == GOLD]
    if len(golds) < 2 or json.loads(seen.row["metadata"] or "{}").get("kind") != _BRIDGE or not _places(seen):
        return None
    aliases = filter_aliases(seen.row["answers"])
    saying = [unit for unit in golds if holds(padded(unit.text), aliases)]
    return any(_is_at_hand(seen, unit) for unit in saying) if saying else None


def _is_at_hand(seen: RowView, unit: Unit) -> bool:
    return unit == seen.ranked[0] or holds(padded(seen.row["question"]), filter_aliases([unit.title]))


def odd_length(rows: Sequence[RowView]) -> dict[str, float]:
    """Measure whether the length shows the gold: percent of rows whose `shortest` or `longest` passage is gold; `score`,
    the larger figure; `questions`; `chance`, the percent of passages that are gold.
    """
    found = [[(len(unit.text), unit.kind == GOLD) for unit in seen.marked] for seen in rows if _are_hidden(seen)]
    if not found:
        return {}
    shortest, longest = (_percent([end(units)[1] for units in found]) for end in (min, max))
    chance = round(100 * fmean(fmean(gold for _, gold in units) for units in found), 2)
    return {
        "score": max(shortest, longest),
        "questions": len(found),
        "shortest": shortest,
        "longest": longest,
        "chance": chance,
    }


def _percent(true: Sequence[bool]) -> float:
    return round(100 * fmean(true), 2)


EVIDENCE: Mapping[str, Callable[[Sequence[RowView]], dict[str, float]]] = {
    "gold_rank": gold_rank,
    "single_hop": single_hop,
    "odd_length": odd_length,
}
