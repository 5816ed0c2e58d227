"""Orders in which kinds and answers take turns, so that none fills the first places of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def round_robin(items: Iterable[T], kind: Callable[[T], str]) -> list[T]:
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


def round_robin_relations(
    items: Iterable[T], relation: Callable[[T], str], answers: Callable[[T], Sequence[str]]
) -> list[T]:
    """Relations take turns, and within each the answers: else "politician" alone would be right for half of all occupations.

    Args:
        items: questions in order; those without a relation keep theirs.
        relation: of an item, empty for none.
        answers: accepted ones. The one that most items of a relation accept is what the item is counted as.
    """
    every = list(items)
    accepted = Counter((relation(item), answer) for item in every for answer in set(answers(item)))

    def answer(numbered: tuple[int, T]) -> str:
        place, item = numbered
        common = max(answers(item), key=lambda each: accepted[relation(item), each], default="")
        return f"{relation(item)}: {common}" if relation(item) else str(place)

    return round_robin([item for _, item in round_robin(enumerate(every), answer)], relation)
