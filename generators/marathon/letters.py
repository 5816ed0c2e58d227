"""Which letter is right how often: rows are taken so that every letter is right equally often (docs/defects/marathon.md 4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from generators.documents.prompts import LETTERS, PromptQuestion

OPTIONS = 4


def turned(question: PromptQuestion, by: int) -> PromptQuestion:
    """A question with its options moved on by so many letters, the last ones to the front."""
    count = len(question.choices)
    at = (LETTERS.index(question.answer) + by) % count
    choices = tuple(question.choices[(place - by) % count] for place in range(count))
    return PromptQuestion(
        question.text, LETTERS[at], choices, words=question.words, title=question.title, beginning=question.beginning
    )


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
