"""Candidates of one split: what may be asked, in the order of the release, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from generators.spec import Candidate
from haymaker.core.rows.source_records import Split

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pool(Generic[T]):
    """Candidates of a split. Only names are kept for each of them.

    Attributes:
        split: split of the candidates.
        items: questions by index; None if candidates are drawn without end.
        key: name of item `index` in every row (column group_id).
        number: the task's number of item `index`; by default the index.
        left_out: unusable items of the source, counted by reason.
    """

    split: Split
    items: Sequence[T] | None
    key: Callable[[int], str]
    number: Callable[[int], int] = int
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int | None:
        """Number of candidates; None if there is no end."""
        return None if self.items is None else len(self.items)

    def candidate(self, index: int) -> Candidate:
        """Return candidate `index`."""
        return Candidate(self.split, self.number(index), self.key(index))


def endless(split: Split, prefix: str) -> Pool[object]:
    """Return a pool without end, whose candidates are named `prefix` and their number."""
    return Pool(split, None, lambda index: f"{prefix}-{split}-{index:05d}")
