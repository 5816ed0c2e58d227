"""Number of shots in a row of natural length: drawn, or as many as bring its words into a range (docs/spec/longbench.md 2.3, 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from generators.context.pieces import Ints, UnitColumns
from generators.context.writer import Frame
from haymaker.core.errors import BuildError
from haymaker.core.lengths import NATURAL, WORD_RANGES, is_natural
from haymaker.core.rng import Stream

MOST_WORDS = 12_000  # most words drawn for a row whose range has no end
_LOOK = 256  # shots counted at first

Lengths = Callable[[int], Ints]
"""Shots wanted -> words of the row with one shot, with two ... up to that number, or up to all shots."""


def _ordered(bounds: tuple[int, int]) -> tuple[int, int]:
    if bounds[0] > bounds[1]:
        raise ValueError(f"{bounds[0]} is above {bounds[1]}: write the smaller number first")
    return bounds


_Count = Annotated[int, Field(strict=True, ge=1, le=100_000)]
Bounds = Annotated[tuple[_Count, _Count], AfterValidator(_ordered)]
"""Fewest and most shots of a row of natural length, both included."""


def drawn(stream: Stream, bounds: tuple[int, int]) -> int:
    """Draw the shots of a row of length `natural`, uniformly within the bounds."""
    return stream.between(*bounds)


def problems(length: str, stream: Stream, bounds: tuple[int, int], count: int) -> Iterator[str]:
    """Yield problems with the number of shots of a finished row."""
    if length == NATURAL and count != (right := drawn(stream, bounds)):
        yield f"{count} shots instead of the {right} drawn for the row"
    if is_natural(length) and count < bounds[0]:
        yield f"{count} shots, a natural row has {bounds[0]} or more"


def wanted(length: str, stream: Stream, bounds: tuple[int, int], lengths: Lengths) -> int:
    """Return the shots of a natural row. For a range of words, a length is drawn, and shots are taken until the row has it.

    Args:
        length: natural, or a range of words.
        stream: stream of the question, so that the row does not depend on other rows.
        bounds: fewest shots of any row, most of one of length `natural`.
        lengths: see Lengths.

    Raises:
        BuildError: there are too few shots, or no number of them gives a row in the range.
    """
    if length != NATURAL:
        return _in_range(length, stream.unit(), bounds[0], lengths)
    if len(lengths(count := drawn(stream, bounds))) < count:
        raise BuildError("the shots end before the number that is drawn for it")
    return count


def _in_range(length: str, share: float, fewest: int, lengths: Lengths) -> int:
    low, high = WORD_RANGES[length]
    last = high or MOST_WORDS
    words = _upto(last, fewest, lengths)
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
        raise BuildError(f"its words are not {length}")
    return count


def _upto(words: int, fewest: int, lengths: Lengths) -> Ints:
    """Return the words of rows of one, two ... shots, up to that many words or all shots."""
    count = max(fewest, _LOOK)
    while len(found := lengths(count)) == count and found[-1] < words:
        count *= 2
    return found


def row_words(strip: UnitColumns, ending: str, frame: Frame, question: str, answers: Sequence[str]) -> Ints:
    """Return the words of the row (RowWriter.length) with one of the shots, with two ...; each shot ends with `ending`."""
    found: Ints = np.cumsum(strip.words) + frame.words_asked(question, answers) - len(ending.split())
    return found
