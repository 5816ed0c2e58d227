"""Four options in four rotations; every letter is right equally often (docs/defects/marathon.md D4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from generators.documents.prompts import LETTERS, PromptQuestion
from generators.spec import Row

OPTIONS = 4
METRICS = ("option@strict", "option@official", "option_json@strict")
MAX_NEW_TOKENS = 32  # as in the readme of the reference (docs/spec/marathon.md 3.4); the JSON object has 7
T = TypeVar("T")


def moved(options: Sequence[T], by: int) -> list[T]:
    """Return options rotated by some letters, the last ones to the front."""
    return [options[(place - by) % len(options)] for place in range(len(options))]


def turned(question: PromptQuestion, by: int) -> PromptQuestion:
    """Return a question with its options rotated by some letters."""
    at = (LETTERS.index(question.answer) + by) % len(question.choices)
    return replace(question, answer=LETTERS[at], choices=tuple(moved(question.choices, by)))


def misnumbered(row: Row, variants: int) -> Iterator[str]:
    """Yield a problem if the number of the rotation is not the one in the id of the row."""
    if row["order_index"] not in range(variants) or not row["id"].endswith(f"-r{row['order_index']}"):
        yield "the order of the options has another number than the row"


def evenly(
    order: Iterable[int], letter: Callable[[int], int], fits: Callable[[int], bool]
) -> Iterator[tuple[int, bool]]:
    """Yield candidates with even letters first, and whether a candidate makes the letters uneven (by more than one).

    `letter` returns the index of the right letter of a candidate, `fits` whether it makes a row. If not, its position does not matter.
    """
    waiting: list[deque[tuple[int, int]]] = [deque() for _ in range(OPTIONS)]
    for place, candidate in enumerate(order):
        if not fits(candidate):
            yield candidate, False
            continue
        waiting[letter(candidate)].append((place, candidate))
        while all(waiting):
            yield from ((each, False) for each in _round(waiting))
    yield from ((each, False) for each in _round(waiting))
    while any(waiting):
        yield from ((each, True) for each in _round(waiting))


def _round(waiting: list[deque[tuple[int, int]]]) -> list[int]:
    """The first candidate of every letter that has one, in the original order, so that letters do not alternate."""
    return [candidate for _, candidate in sorted(each.popleft() for each in waiting if each)]
