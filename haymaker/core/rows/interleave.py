"""Interleaving of items by kind, relation and answer, so that no group dominates the first rows of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def round_robin(items: Iterable[T], kind: Callable[[T], str]) -> list[T]:
    """Return the first item of each kind, then the second of each, and so on; otherwise the order is kept.

    Args:
        items: ordered items.
        kind: function that returns the kind of an item. The order within a kind is kept.
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


def round_robin_relations(
    items: Iterable[T], relation: Callable[[T], str], answers: Callable[[T], Sequence[str]]
) -> list[T]:
    """Interleave by relation, then by answer, since one answer may dominate ("politician": half of all occupations).

    Args:
        items: ordered questions; questions without a relation keep their order.
        relation: function that returns the relation of an item, or an empty string.
        answers: function that returns accepted answers; the most common one in the relation represents the item.
    """
    every = list(items)
    accepted = Counter((relation(item), answer) for item in every for answer in set(answers(item)))

    def answer(numbered: tuple[int, T]) -> str:
        place, item = numbered
        common = max(answers(item), key=lambda each: accepted[relation(item), each], default="")
        return f"{relation(item)}: {common}" if relation(item) else str(place)

    return round_robin([item for _, item in round_robin(enumerate(every), answer)], relation)
