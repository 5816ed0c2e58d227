"""Find outliers in a context without understanding it: codes shaped like answers, the sentence of rarest words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haymaker.core.text.strings import PART
from haymaker.core.text.word_index import WordIndex
from pipelines.checks.shortcuts.sentences import Lines

Shape = tuple[int, bool]
"""Length of a code, and whether it contains letters."""
_CODE = re.compile(rf"{PART}*\d(?:{PART}|-)*")
_DIGIT, _PART, _REST = re.compile(r"\d"), re.compile(PART), re.compile(rf"(?:{PART}|-)*+")
_SENTENCES = 3  # minimum for a text that is not a list of words
_WORDS = 4  # minimum for a sentence to be compared with others


def shape(text: str) -> Shape | None:
    """Return the shape of the first number or code in a text, or None."""
    found = _CODE.search(text)
    return None if found is None else _shape(found[0])


def codes(text: str, wanted: Shape | None = None) -> list[str]:
    """Return the distinct numbers and codes of a shape, in text order.

    Args:
        text: a context.
        wanted: shape; None = the shape with most characters, as years and numbers of units are short.
    """
    found = {code: _shape(code) for code in dict.fromkeys(_codes(text))}
    wanted = wanted or max(found.values(), default=None)
    return [code for code, each in found.items() if each == wanted]


def _codes(text: str) -> Iterator[str]:
    """Yield all matches of _CODE; the search starts at digits, since most words have none."""
    end = 0
    while digit := _DIGIT.search(text, end):
        start = digit.start()
        while start > end and _PART.match(text, start - 1):
            start -= 1
        rest = _REST.match(text, start)
        assert rest is not None  # it also matches an empty string
        end = rest.end()
        yield text[start:end]


def _shape(code: str) -> Shape:
    return len(code), not code.isdigit()


def odd_one(scan: WordIndex) -> str:
    """Return the sentence or line whose words are rarest on average in the text, ties to the first. For a list of
    words, return all words, rarest and then longest first.
    """
    import numpy as np

    found = Lines(scan)
    places = np.flatnonzero(found.sizes >= _WORDS)
    if len(places) < _SENTENCES:
        counts = dict(zip(found.words, found.counts.tolist(), strict=True))
        return ", ".join(sorted(counts, key=lambda word: (counts[word], -len(word), word)))
    place = places[np.argmin(found.commonness()[places] / found.sizes[places])]
    return scan.text[found.begins[place] : found.ends[place]].strip()
