"""Incomplete speech: remove closing marks without an opening one, and announcements of speech that is not kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

_OPENING = re.compile(r'"(?=\w|[\'‘(\[])|“')
_MARK = re.compile(r'(?<!\d)"|[“”]')  # after a digit it may mean inches

Place = tuple[int, int]
"""A sentence by its number, and a character in it."""

_ANNOUNCES = (":", ",")


def without_announcements(sentences: Sequence[tuple[str, int]], kept: Sequence[int]) -> list[int]:
    """Return the kept sentences without "And then he said:" if the speech after it is not kept.

    Args:
        sentences: of a document, each with the number of its paragraph; whole paragraphs may be missing.
        kept: numbers of kept sentences, ascending.
    """
    stays: list[int] = []
    for i in reversed(kept):
        if not sentences[i][0].endswith(_ANNOUNCES) or _follows(sentences, i, stays):
            stays.append(i)
    return stays[::-1]


def _follows(sentences: Sequence[tuple[str, int]], i: int, stays: Sequence[int]) -> bool:
    """Check whether the next sentence after number `i` is kept, with no paragraph removed in between."""
    return stays[-1:] == [i + 1] and sentences[i + 1][1] <= sentences[i][1] + 1


def halved(sentences: Sequence[tuple[str, int]], kept: Sequence[int]) -> Iterator[Place]:
    """Yield quotation marks in kept sentences whose counterpart is in a sentence that is not kept.

    Marks are paired within a paragraph, an opening one with the next closing one. A closing mark without an opening one
    is a half too. A speech that continues in the next paragraph has no closing mark and is unchanged.

    Args:
        sentences: of a document, each with the number of its paragraph.
        kept: numbers of kept sentences, ascending.
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
