"""What stands out in a context without being understood: codes of the shape that answers have, the sentence with the rarest words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haymaker.core.text.strings import PART
from haymaker.core.text.word_index import WordIndex
from pipelines.checks.shortcuts.sentences import Lines

Shape = tuple[int, bool]
"""Characters of a code, and whether there are letters among them."""
_CODE = re.compile(rf"{PART}*\d(?:{PART}|-)*")
_DIGIT, _PART, _REST = re.compile(r"\d"), re.compile(PART), re.compile(rf"(?:{PART}|-)*+")
_SENTENCES = 3  # of a text that is more than a list of words
_WORDS = 4  # of a sentence that can be compared with others


def shape(text: str) -> Shape | None:
    """Of the first number or code in a text."""
    found = _CODE.search(text)
    return None if found is None else _shape(found[0])


def codes(text: str, wanted: Shape | None = None) -> list[str]:
    """Numbers and codes of a shape, each once, as they stand.

    Args:
        text: a context.
        wanted: None: the shape with most characters, as years and numbers of units are short.
    """
    found = {code: _shape(code) for code in dict.fromkeys(_codes(text))}
    wanted = wanted or max(found.values(), default=None)
    return [code for code, each in found.items() if each == wanted]


def _codes(text: str) -> Iterator[str]:
    """What _CODE finds one after the other, looked for from the digits: most words have none."""
    end = 0
    while digit := _DIGIT.search(text, end):
        start = digit.start()
        while start > end and _PART.match(text, start - 1):
            start -= 1
        rest = _REST.match(text, start)
        assert rest is not None  # of nothing it is one too
        end = rest.end()
        yield text[start:end]


def _shape(code: str) -> Shape:
    return len(code), not code.isdigit()


def odd_one(scan: WordIndex) -> str:
    """The sentence or line whose words are rarest in the text on average, of equal ones the first; of a list of words the rarest,
    longest first.
    """
    import numpy as np

    found = Lines(scan)
    places = np.flatnonzero(found.sizes >= _WORDS)
    if len(places) < _SENTENCES:
        counts = dict(zip(found.words, found.counts.tolist(), strict=True))
        return ", ".join(sorted(counts, key=lambda word: (counts[word], -len(word), word)))
    place = places[np.argmin(found.commonness()[places] / found.sizes[places])]
    return scan.text[found.begins[place] : found.ends[place]].strip()
