"""What stands out in a context without being understood: its longest numbers, the sentence with the rarest words."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import log

from pipelines.shortcuts.reading import ENDS

_NUMBER = re.compile(r"\w*\d[\w-]*")
_WORD = re.compile(r"\w+")
_SENTENCES = 3  # of a text that is more than a list of words
_WORDS = 4  # of a sentence that can be compared with others


def numbers(text: str) -> list[str]:
    """Codes of the shape with most characters, each once, as they stand: a needle's number is longer than years and numbers of units."""
    found = dict.fromkeys(_NUMBER.findall(text))
    shape = max(map(_shape, found), default=(0, False))
    return [each for each in found if _shape(each) == shape]


def _shape(code: str) -> tuple[int, bool]:
    """Characters, and whether there are letters among them."""
    return len(code), not code.isdigit()


def odd_one(text: str) -> str:
    """The sentence or line whose words are rarest in the text on average, of equal ones the first; of a list of words the rarest,
    longest first.
    """
    counts = Counter(_words(text))
    lines = [line for line in _lines(text) if len(_words(line)) >= _WORDS]
    if len(lines) < _SENTENCES:
        return ", ".join(sorted(counts, key=lambda word: (counts[word], -len(word), word)))
    rarity = {word: -log(count / counts.total()) for word, count in counts.items()}

    def mean(line: str) -> float:
        found = _words(line)
        return sum(map(rarity.__getitem__, found)) / len(found)

    return max(lines, key=mean)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _lines(text: str) -> list[str]:
    cuts = [0, *(cut.end() for cut in ENDS.finditer(text)), len(text)]
    return [text[first:last].strip() for first, last in pairwise(cuts)]
