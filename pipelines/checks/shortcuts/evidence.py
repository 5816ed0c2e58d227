"""Where a search by the question's words puts the evidence: the only measures that are told which units are gold.

They say of rows what no output can: how far down one has to read, and whether one passage is enough for two hops.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median_low

from haymaker.core.text.strings import filter_aliases, holds, padded
from pipelines.checks.shortcuts.context_reader import Unit
from pipelines.checks.shortcuts.table_stats import RowView

FEW = 5
"""Units that somebody looks at who trusts the search."""
GOLD = "gold"
_BRIDGE = "bridge"


def gold_rank(rows: Sequence[RowView]) -> dict[str, float]:
    """Of rows, one a question, whose units are passages, gold and others: `score`, percent in which all gold comes before all others; `few`, percent in
    which all gold is among the first FEW; `questions`, how many rows; `rank`, the median place of the last gold; `of`, the median number of passages.
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
    """Of its gold, from 1; none where its units are not passages of both kinds, or nothing is asked."""
    if {unit.kind for unit in seen.marked} != {GOLD, "distractor"} or not seen.row["question"]:
        return []
    return [place for place, unit in enumerate(seen.ranked, 1) if unit.kind == GOLD]


def single_hop(rows: Sequence[RowView]) -> dict[str, float]:
    """Of bridge questions, whose answer is two hops away: `score`, percent in which the passage that says the answer needs no hop, as it
    is the first of the search or the question has its title; `questions`, how many there are.
    """
    found = [needs for seen in rows if (needs := _needs_no_hop(seen)) is not None]
    return {"score": _percent(found), "questions": len(found)} if found else {}


def _needs_no_hop(seen: RowView) -> bool | None:
    """None where it is no bridge, or no passage alone says the answer."""
    golds = [unit for unit in seen.marked if unit.kind == GOLD]
    if len(golds) < 2 or json.loads(seen.row["extra"] or "{}").get("kind") != _BRIDGE or not _places(seen):
        return None
    aliases = filter_aliases(seen.row["answers"])
    saying = [unit for unit in golds if holds(padded(unit.text), aliases)]
    return any(_is_at_hand(seen, unit) for unit in saying) if saying else None


def _is_at_hand(seen: RowView, unit: Unit) -> bool:
    return unit == seen.ranked[0] or holds(padded(seen.row["question"]), filter_aliases([unit.title]))


def _percent(true: Sequence[bool]) -> float:
    return round(100 * fmean(true), 2)


EVIDENCE: Mapping[str, Callable[[Sequence[RowView]], dict[str, float]]] = {
    "gold_rank": gold_rank,
    "single_hop": single_hop,
}
