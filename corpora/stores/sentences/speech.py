"""Speech of which a part was left out: what stays must neither end a speech that never began nor announce one that does not come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

_OPENING = re.compile(r'"(?=\w|[\'‘(\[])|“')
_MARK = re.compile(r'(?<!\d)"|[“”]')  # behind a digit it may stand for inches

Place = tuple[int, int]
"""A sentence by its number, and a character in it."""

_ANNOUNCES = (":", ",")


def without_announcements(sentences: Sequence[tuple[str, int]], kept: Sequence[int]) -> list[int]:
    """Numbers of those that stay without "And then he said:" where what was said is not kept.

    A paragraph of which nothing is in `sentences` was left out before.

    Args:
        sentences: of a document, each with the number of its paragraph.
        kept: numbers of those that stay, ascending.
    """
    stays: list[int] = []
    for i in reversed(kept):
        if not sentences[i][0].endswith(_ANNOUNCES) or _follows(sentences, i, stays):
            stays.append(i)
    return stays[::-1]


def _follows(sentences: Sequence[tuple[str, int]], i: int, stays: Sequence[int]) -> bool:
    """Whether the sentence behind number `i` is the first of those that stay, and nothing stood between."""
    return stays[-1:] == [i + 1] and sentences[i + 1][1] <= sentences[i][1] + 1


def halved(sentences: Sequence[tuple[str, int]], kept: Sequence[int]) -> Iterator[Place]:
    """Where marks stand in kept sentences whose other half stands in a sentence that is not kept.

    Marks are paired within a paragraph, an opening one with the next closing one. A closing one that nothing opens is a half as
    well: what opened it was left out before. A speech that goes on in the next paragraph has no closing mark; it stays as it is.

    Args:
        sentences: of a document, each with the number of its paragraph.
        kept: numbers of those that stay, ascending.
    """
    stays = set(kept)
    for _, paragraph in groupby(enumerate(sentences), lambda each: each[1][1]):
        for pair in _pairs([(number, sentence) for number, (sentence, _) in paragraph]):
            left = [place for place in pair if place[0] in stays]
            if len(left) == 1:
                yield left[0]


def _pairs(sentences: Sequence[tuple[int, str]]) -> Iterator[tuple[Place, ...]]:
    opened: Place | None = None
    for number, sentence in sentences:
        for mark in _MARK.finditer(sentence):
            opens = mark.group() == "“" or (mark.group() == '"' and _OPENING.match(sentence, mark.start()) is not None)
            if opens:
                opened = number, mark.start()
            else:
                yield ((number, mark.start()),) if opened is None else (opened, (number, mark.start()))
                opened = None
