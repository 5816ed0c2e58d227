"""How many shots a row of natural length takes: a number drawn for it, or so many that its words lie in a range
(docs/spec/longbench.md 2.3, 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from generators.context.pieces import Ints, Strip
from generators.context.writer import Frame
from haymaker.core.buckets import NATURAL, WORD_RANGES, is_natural
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream

MOST_WORDS = 12_000  # that the words of a row are drawn up to where its range has no end
_LOOK = 256  # shots counted at first

Lengths = Callable[[int], Ints]
"""Shots wanted -> words of the row with one shot, with two ... up to so many, or as many as there are."""


def _ordered(bounds: tuple[int, int]) -> tuple[int, int]:
    if bounds[0] > bounds[1]:
        raise ValueError(f"{bounds[0]} is above {bounds[1]}: write the smaller number first")
    return bounds


_Count = Annotated[int, Field(strict=True, ge=1, le=100_000)]
Bounds = Annotated[tuple[_Count, _Count], AfterValidator(_ordered)]
"""Fewest and most shots of a row of natural length, both included."""


def drawn(stream: Stream, bounds: tuple[int, int]) -> int:
    """Shots of a row of bucket `natural`: every number within the bounds is as likely."""
    return stream.between(*bounds)


def problems(bucket: str, stream: Stream, bounds: tuple[int, int], count: int) -> Iterator[str]:
    """What is wrong with the number of shots of a finished row."""
    if bucket == NATURAL and count != (right := drawn(stream, bounds)):
        yield f"{count} shots, {right} are drawn for it"
    if is_natural(bucket) and count < bounds[0]:
        yield f"{count} shots, a natural row has {bounds[0]} or more"


def wanted(bucket: str, stream: Stream, bounds: tuple[int, int], lengths: Lengths) -> int:
    """Shots of a natural row.

    In a range of words a length is drawn, and shots are taken until the row has it. The draws are named by what is asked, so
    a row says the same in whatever order rows are made.

    Args:
        bucket: natural, or a range of words.
        stream: of what is asked.
        bounds: fewest shots of any row, most of one of bucket `natural`.
        lengths: see Lengths.

    Raises:
        BuildError: the shots end before, or no number of them gives a row in the range.
    """
    if bucket != NATURAL:
        return _in_range(bucket, stream.unit(), bounds[0], lengths)
    if len(lengths(count := drawn(stream, bounds))) < count:
        raise BuildError("the shots end before the number that is drawn for it")
    return count


def _in_range(bucket: str, share: float, fewest: int, lengths: Lengths) -> int:
    low, high = WORD_RANGES[bucket]
    last = high or MOST_WORDS
    words = _upto(last, fewest, lengths)
    outside = BuildError(f"its words are not {bucket}")
    if len(words) < fewest:
        raise BuildError("the shots end before the fewest that a row has")
    first = max(low, int(words[fewest - 1]))
    target = first + int(share * max(0, last - first))
    count = int(np.searchsorted(words, target)) + 1
    if count > len(words):
        raise BuildError("the shots end before the length that is drawn for it")
    if high is not None and words[count - 1] >= high:
        count -= 1
    if count < fewest or words[count - 1] < low:
        raise outside
    return count


def _upto(words: int, fewest: int, lengths: Lengths) -> Ints:
    """Words of rows of ever more shots, until there are so many words or no more shots."""
    count = max(fewest, _LOOK)
    while True:
        found = lengths(count)
        if len(found) < count or found[-1] >= words:
            return found
        count *= 2


def row_words(strip: Strip, ending: str, frame: Frame, question: str, answers: Sequence[str]) -> Ints:
    """Words of the row with one of the shots, with two ...: question, context and answers (RowWriter.length).

    Args:
        strip: shots in order.
        ending: what the last of them gives back.
        frame: the words around.
        question: of the row.
        answers: of the row.
    """
    found: Ints = np.cumsum(strip.words) + frame.words_asked(question, answers) - len(ending.split())
    return found
