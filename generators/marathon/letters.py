"""Four options in four orders, and which letter is right how often: every one equally often (docs/defects/marathon.md D4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from generators.documents.prompts import LETTERS, PromptQuestion
from generators.spec import Row

OPTIONS = 4
METRICS = ("option@strict", "option@official", "option_json@strict")
# The object that is asked for has 7 tokens. The reference's code has 100, its readme 32 (docs/spec/marathon.md 3.4): 32 leave room
# for a fence around the object and for its text, not for a reasoning, which is not asked for.
MAX_NEW_TOKENS = 32
SHARED_BY = "rotations of each question's options"
T = TypeVar("T")


def moved(options: Sequence[T], by: int) -> list[T]:
    """Options moved on by so many letters, the last ones to the front."""
    return [options[(place - by) % len(options)] for place in range(len(options))]


def turned(question: PromptQuestion, by: int) -> PromptQuestion:
    """A question with its options moved on by so many letters."""
    at = (LETTERS.index(question.answer) + by) % len(question.choices)
    return replace(question, answer=LETTERS[at], choices=tuple(moved(question.choices, by)))


def point(variant: int) -> str:
    """Which of a question's rows it is at one length, as its id says."""
    return f"r{variant}"


def misnumbered(row: Row, variants: int) -> Iterator[str]:
    """The order of a row's options, whose number its id says too."""
    if row["permutation"] not in range(variants) or not row["id"].endswith(f"-{point(row['permutation'])}"):
        yield "the order of the options has another number than the row"


def evenly(
    order: Iterable[int], letter: Callable[[int], int], fits: Callable[[int], bool]
) -> Iterator[tuple[int, bool]]:
    """Candidates so that, of those that fit, any first ones have each letter equally often, to one; and whether that is over.

    Candidates that do not fit come when they are met. In the end some letters have no candidate left: then one of each of the others
    comes, and behind it come the rest, which would make letters uneven.

    Args:
        order: candidates, each once.
        letter: of a candidate, 0 to 3.
        fits: whether it makes a row.
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
    """The first candidate of every letter that has one, in their own order, so that letters do not stand in turn."""
    return [candidate for _, candidate in sorted(each.popleft() for each in waiting if each)]
