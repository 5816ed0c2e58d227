"""LongGenBench figures as JSON, more detailed than the printed tables (docs/reference/scores.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from haymaker.scoring.judges import judge
from haymaker.scoring.longgen.totals import Count, Totals, share_equal


class Table(NamedTuple):
    """Task and length of a table line; ALL if it combines several."""

    task: str
    length: str


def figures(
    agreement: Counter[tuple[bool | None, bool]], tables: Sequence[tuple[Table, Totals]], edition: str
) -> dict[str, Any]:
    """Return all figures as shares from 0 to 1: the tables, event counts by entry, and the curve of the reference."""
    return {
        "edition": edition,
        "judge": "rule" if edition == "strict" else judge.active_judge().name,
        "tables": [table._asdict() | _figures(totals) for table, totals in tables],
        "agreement": {
            "share": share_equal(agreement), "both_yes": agreement[True, True], "both_no": agreement[False, False],
            "only_judge": agreement[True, False], "only_rule": agreement[False, True],
            "unclear": agreement[None, True] + agreement[None, False],
        },
    }  # fmt: skip


def _figures(totals: Totals) -> dict[str, Any]:
    def of(count: Count) -> dict[str, Any]:
        return asdict(count)

    return {
        "rows": totals.rows, "unjudged": totals.unjudged, "cr": totals.cr, "stic1": totals.places.of_judged,
        "stic2": totals.places.of_demanded, "wavg": totals.wavg, "places": of(totals.places),
        "kinds": {kind: of(count) for kind, count in totals.kinds.items()}, "mean_of_kinds": totals.mean_of_kinds,
        "words_complete": _plain_mean(totals.words_complete), "words_coded": _plain_mean(totals.words_coded),
        "precision": totals.precision, "form": dict(totals.form), "tenths": list(map(of, totals.tenths)),
        "entries": [{"entry": entry} | of(count) for entry, count in sorted(totals.entries.items())], "curve": totals.curve,
    }  # fmt: skip


def _plain_mean(words: list[int]) -> float | None:
    return sum(words) / len(words) if words else None
