"""Shared parts of the relational tasks: lengths of stories, and the draw of a story with one question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line, split_of
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import MOST_FACTS

MANY = 10
"""Refused stories after which new ones are so rare that shares no longer matter."""


def up_to(most: int, *, least: int) -> range:
    """Return the numbers of facts from `least` to the largest that the words allow, at most `MOST_FACTS`."""
    return range(least, min(most, MOST_FACTS) + 1)


def one_question(draw: Callable[[], list[Line]], split: Split, quota: Quota, attempt: int) -> list[Line]:
    """A story of `split` that ends in its only question.

    The quota takes its answer, if such a story can be had; after many refused ones any will do.
    """

    def in_part() -> list[Line]:
        while True:
            lines = draw()
            if part_of_story(lines) == split:
                return lines

    lines = quota.draw(in_part, _answer) if attempt < MANY else in_part()
    assert lines is not None
    quota.count(_answer(lines))
    return lines


def part_of_story(lines: Sequence[Line]) -> Split:
    """Return the split of a story with one question, by all its sentences."""
    return split_of(*(line.text if isinstance(line, Fact) else line.question for line in lines))


def _answer(lines: Sequence[Line]) -> str:
    ask = lines[-1]
    assert isinstance(ask, Ask)
    return ask.answer
