"""Edit similarity of two texts: RapidFuzz's indel ratio, 1 - (insertions + deletions) / (characters of both texts), in percent."""

from __future__ import annotations

from collections.abc import Iterable


def similarity(text: str, other: str) -> float:
    """Return the similarity of two texts, 0 to 100."""
    from rapidfuzz import fuzz

    return fuzz.ratio(text, other)


def similar(text: str, others: Iterable[str], percent: float) -> list[str]:
    """Return the other texts that are at least so similar to a text; most are excluded by their length alone."""
    from rapidfuzz import fuzz, process

    return [other for other, *_ in process.extract_iter(text, iter(others), scorer=fuzz.ratio, score_cutoff=percent)]
