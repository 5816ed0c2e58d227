"""Keeps the answers of a file near the shares they should have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")

SLACK = 3.0
"""By how many questions an answer may run ahead of its share."""
REDRAWS = 6
"""How often a question is drawn again because its answer has run ahead."""
WAITS = 24
"""How often in a row an even quota lets a story go on without a question; then any answer is taken."""


class Quota:
    """Counts answers and detects labels that exceed their share.

    Args:
        shares: weight of every label (any unit); a label without one is always taken.
        even: whether a task whose own shares differ must meet these shares, so that its stories may have more facts.
    """

    __slots__ = ("_counts", "_shares", "_total", "_waits", "even")

    def __init__(self, shares: Mapping[str, float], *, even: bool = False) -> None:
        whole = sum(shares.values())
        self._shares = {label: share / whole for label, share in shares.items()}
        self._counts = dict.fromkeys(self._shares, 0)
        self._total = self._waits = 0
        self.even = even

    def takes(self, label: str) -> bool:
        """False while the label has run ahead of its share."""
        share = self._shares.get(label)
        return share is None or self._counts[label] < share * (self._total + 1) + SLACK

    def count(self, label: str) -> None:
        """One more question has this answer."""
        self._total += 1
        if label in self._counts:
            self._counts[label] += 1

    def fork(self) -> Quota:
        """A copy for one attempt at a story."""
        other = Quota.__new__(Quota)
        other._shares, other._total, other._waits, other.even = self._shares, self._total, self._waits, self.even
        other._counts = self._counts.copy()
        return other

    def draw(self, draw: Callable[[], T | None], label: Callable[[T], str]) -> T | None:
        """Draw until the answer is one that is taken, a few times; the last draw is kept whatever it is.

        The caller counts the final questions.
        """
        found = draw()
        for _ in range(REDRAWS):
            if found is None or self.takes(label(found)):
                break
            found = draw()
        return found

    def ask(self, draw: Callable[[], T | None], label: Callable[[T], str], *, wait: bool = True) -> T | None:
        """As `draw`, but counts what it returns.

        While only answers that have run ahead are drawn, an even quota returns None, unless it must not `wait` or has
        done so for too long: then the story should continue and ask again.
        """
        found = self.draw(draw, label)
        return found if found is not None and self.settle(label(found), wait=wait) else None

    def settle(self, label: str, *, wait: bool = True) -> bool:
        """Count the label and return True; False where `ask` would return None."""
        if self.even and wait and self._waits < WAITS and not self.takes(label):
            self._waits += 1
            return False
        self._waits = 0
        self.count(label)
        return True

    def waited(self, other: Quota) -> None:
        """Remember how long a fork whose story came to nothing has waited."""
        self._waits = other._waits

    def become(self, other: Quota) -> None:
        """Take over the counts of a fork."""
        self._counts, self._total, self._waits = other._counts, other._total, other._waits
