"""Four options in four orders; every letter is right equally often (docs/defects/marathon.md D4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from generators.documents.prompts import LETTERS, PromptQuestion
from generators.spec import Row

OPTIONS = 4
METRICS = ("option@strict", "option@official", "option_json@strict")
MAX_NEW_TOKENS = (
    32  # the object has 7, a fence and its text fit too; the reference's readme has 32 (docs/spec/marathon.md 3.4)
)
SHARED_BY = "rotations of each question's options"
T = TypeVar("T")


def moved(options: Sequence[T], by: int) -> list[T]:
    """Return options moved on by some letters, the last ones to the front."""
    return [options[(place - by) % len(options)] for place in range(len(options))]


def turned(question: PromptQuestion, by: int) -> PromptQuestion:
    """Return a question with its options moved on by some letters."""
    at = (LETTERS.index(question.answer) + by) % len(question.choices)
    return replace(question, answer=LETTERS[at], choices=tuple(moved(question.choices, by)))


def point(variant: int) -> str:
    """Return the end of the id of a row, which distinguishes the rows of a question."""
    return f"r{variant}"


def misnumbered(row: Row, variants: int) -> Iterator[str]:
    """Yield a problem if the order of the options has another number than the id of the row."""
    if row["permutation"] not in range(variants) or not row["id"].endswith(f"-{point(row['permutation'])}"):
        yield "the order of the options has another number than the row"


def evenly(
    order: Iterable[int], letter: Callable[[int], int], fits: Callable[[int], bool]
) -> Iterator[tuple[int, bool]]:
    """Yield candidates, and whether they make letters uneven: until then each letter is right equally often, to one.

    Candidates that do not fit are yielded where they occur, those that make letters uneven at the end. `letter` returns the right
    letter of a candidate, 0 to 3; `fits` whether it makes a row.
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
    """Return the first candidate of every letter that has one, in their own order, so that letters do not alternate."""
    return [candidate for _, candidate in sorted(each.popleft() for each in waiting if each)]
