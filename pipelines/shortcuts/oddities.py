"""What stands out in a context without being understood: codes of the shape that answers have, the sentence with the rarest words."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from math import log

from haymaker.text import PART, WORD

Shape = tuple[int, bool]
"""Characters of a code, and whether there are letters among them."""
_CODE = re.compile(rf"{PART}*\d(?:{PART}|-)*")
_END = re.compile(r"[.?!;]\s+|[。！？；…][”’」』]*\s+|\n\s*")
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
    found = {code: _shape(code) for code in dict.fromkeys(_CODE.findall(text))}
    wanted = wanted or max(found.values(), default=None)
    return [code for code, each in found.items() if each == wanted]


def _shape(code: str) -> Shape:
    return len(code), not code.isdigit()


def odd_one(text: str) -> str:
    """The sentence or line whose words are rarest in the text on average, of equal ones the first; of a list of words the rarest,
    longest first.
    """
    lines = _END.split(text)
    words = [WORD.findall(line.lower()) for line in lines]
    counts = Counter(chain.from_iterable(words))
    places = [place for place, found in enumerate(words) if len(found) >= _WORDS]
    if len(places) < _SENTENCES:
        return ", ".join(sorted(counts, key=lambda word: (counts[word], -len(word), word)))
    common = {word: log(count) for word, count in counts.items()}
    return lines[min(places, key=lambda place: sum(map(common.__getitem__, words[place])) / len(words[place]))].strip()
