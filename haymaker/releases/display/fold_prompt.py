"""Folding of long prompts: keep both ends and the text around important spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FILLERS = ("distractor", "passage", "shot")
"""Span kinds with thousands of spans per context: marked when visible, but not kept by themselves."""


def shown_ranges(
    length: int, spans: Iterable[Mapping[str, Any]], edge: int = 700, around: int = 160, most: int | None = None
) -> list[tuple[int, int]]:
    """Return the (start, end) ranges to show, ordered and disjoint; the text between them is folded.

    Args:
        length: length of the prompt in characters.
        spans: spans of the prompt with `kind`, `start`, `end`; a true `shown` keeps a span of any kind.
        edge: characters kept at both ends.
        around: characters kept around a span.
        most: maximum characters kept of a span, half from each end; None: all.
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
