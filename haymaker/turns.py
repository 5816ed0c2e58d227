"""An order in which kinds take turns, so that no kind fills the first places of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def in_turns(items: Iterable[T], kind: Callable[[T], str]) -> list[T]:
    """The first item of each kind, then the second of each, and so on while they last; otherwise the order stays.

    Args:
        items: in order.
        kind: of an item; items of one kind alone keep their order.
    """
    seen: Counter[str] = Counter()
    rounds: list[list[T]] = []
    for item in items:
        place = seen[kind(item)]
        if place == len(rounds):
            rounds.append([])
        rounds[place].append(item)
        seen[kind(item)] += 1
    return [item for each in rounds for item in each]
