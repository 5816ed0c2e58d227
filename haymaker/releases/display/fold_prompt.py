"""Which stretches of a long prompt are shown: both ends, and what stands around the pieces that matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FILLERS = ("distractor", "passage", "shot")
"""Kinds of which a context has thousands: marked where they show, but they show nothing by themselves."""


def shown_ranges(
    length: int, spans: Iterable[Mapping[str, Any]], edge: int = 700, around: int = 160, most: int | None = None
) -> list[tuple[int, int]]:
    """First and last character of each stretch, in order and apart from each other; what lies between is folded away.

    Args:
        length: characters of the prompt.
        spans: of the prompt, with `kind`, `start`, `end`; one with a true `shown` shows whatever its kind.
        edge: characters kept at both ends.
        around: characters kept around a span.
        most: characters of a span that are kept, half of them from its end; None: all.
    """
    keep = [(0, edge), (length - edge, length)]
    for span in spans:
        if span.get("shown") or span["kind"] not in FILLERS:
            start, end = span["start"], span["end"]
            if most is None or end - start <= most:
                keep.append((start - around, end + around))
            else:
                keep += [(start - around, start + most // 2), (end - most // 2, end + around)]
    found: list[tuple[int, int]] = []
    at = 0
    for wanted, until in sorted(keep):
        start, end = max(wanted, at), min(until, length)
        if start < end:
            found = [*found[:-1], (found[-1][0], end)] if found and start == at else [*found, (start, end)]
            at = end
    return found
