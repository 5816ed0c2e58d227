"""Novels that several tests read."""

from __future__ import annotations

from functools import cache

from worlds.novels import Novel, write_novel


@cache
def three() -> tuple[Novel, ...]:
    """Three books of one collection, a little more than 200,000 words."""
    return tuple(write_novel(5, index, words=70_000) for index in range(3))
