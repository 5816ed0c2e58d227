"""Find the place in a document that is most similar to a text in other words, and how similar it is.

Texts are compared by their words (haymaker.core.text.strings.words) without footnote numbers. Windows of the document
with several rare words of the text are compared one by one; similarity is 1 minus the share of letters to insert or
delete, for the best part of the window (rapidfuzz, partial ratio). The result is the same on every machine.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from haymaker.core.text.strings import words

_FOOTNOTE = re.compile(r"\[\d{1,3}\]")
_WORD = re.compile(r"[^\W_]+")
_OMITTED = re.compile(r"\.{2,}|…|\[\.+\]")
_SENTENCE = re.compile(r"(?<=[a-z\d)\"”%][.!?])[\"”]?\s+(?=[A-Z\"“(])")
_PART_WORDS = 5  # a shorter part is like too many places
_RARE_WORDS, _MOST_PLACES = (
    12,
    40,
)  # of a text that windows are looked for by; of a word in a document, else it is not rare
_WEIGHT = 1_000_000  # of a word; shared by all its places
_WINDOWS = 6
_BLOCK = 4  # letters in a row that both have, at either end of a place


class Place(NamedTuple):
    """A place in a document: similarity, 0 .. 1, and [first, last) characters of each part found, in order."""

    score: float
    spans: tuple[tuple[int, int], ...]


class Words:
    """The words of a document and their places, to search for texts."""

    def __init__(self, text: str) -> None:
        plain = _FOOTNOTE.sub(lambda found: " " * len(found.group()), text)
        found = [(word, each.start(), each.end()) for each in _WORD.finditer(plain) for word in words(each.group())]
        self._words = [word for word, _, _ in found]
        self._spans = [(first, last) for _, first, last in found]
        self._at: dict[str, list[int]] = defaultdict(list)
        for index, word in enumerate(self._words):
            self._at[word].append(index)

    def place(self, text: str, least: float) -> Place:
        """Return the place of a text, searched as a whole and, if not all of it is found, by its parts and sentences.

        Args:
            text: evidence, which may omit middles ("...").
            least: least similarity of a part.
        """
        best = self._joint([text], least)
        for parts in (_OMITTED.split(text), _sentences(text)):
            if best.score < 1 and len(parts) > 1:
                best = max(best, self._joint(parts, least), key=lambda place: place.score)
        return best

    def _joint(self, parts: Sequence[str], least: float) -> Place:
        """Return the mean similarity of all parts by length, and the places of the similar ones."""
        known = [tokens for tokens in (words(_FOOTNOTE.sub(" ", part)) for part in parts) if tokens]
        known = [tokens for tokens in known if len(tokens) >= _PART_WORDS] or known
        found = [(self._best(tokens), sum(map(len, tokens))) for tokens in known]
        letters = sum(size for _, size in found)
        score = sum(place.score * size for place, size in found) / letters if letters else 0.0
        return Place(score, tuple(span for place, _ in found if place.score >= least for span in place.spans))

    def _best(self, tokens: list[str]) -> Place:
        from rapidfuzz import fuzz

        best, wanted = Place(0.0, ()), " ".join(tokens)
        for first, last in self._windows(tokens):
            window = self._words[first:last]
            found = fuzz.partial_ratio_alignment(wanted, " ".join(window))
            if found and found.score / 100 > best.score:
                place = _trimmed(wanted, " ".join(window), found.dest_start, found.dest_end)
                best = Place(found.score / 100, (self._span(window, first, *place),))
        return best

    def _windows(self, tokens: list[str]) -> list[tuple[int, int]]:
        """Return ranges of words a little longer than a text with most of its rare words in similar places, best first."""
        rare = {word for word in tokens if 0 < len(self._at.get(word, ())) <= _MOST_PLACES}
        chosen = sorted(rare, key=lambda word: (len(self._at[word]), word))[:_RARE_WORDS]
        votes = sorted(
            (at - index, _WEIGHT // len(self._at[word]))
            for index, word in enumerate(tokens) if word in chosen for at in self._at[word]
        )  # fmt: skip
        starts, reach = [start for start, _ in votes], len(tokens) // 4 + 8
        sums = list(accumulate((weight for _, weight in votes), initial=0))
        found = {s: sums[bisect_right(starts, s + reach)] - sums[bisect_left(starts, s - reach)] for s in starts}
        out: list[int] = []
        for start in sorted(found, key=lambda start: (-found[start], start)):
            if len(out) < _WINDOWS and all(abs(start - other) > reach for other in out):
                out.append(start)
        size = len(tokens) + reach
        return [(max(0, start - reach), min(len(self._words), start + size)) for start in out]

    def _span(self, window: Sequence[str], first: int, start: int, end: int) -> tuple[int, int]:
        """Characters of the document that letters [start, end) of a window's joined words are."""
        starts, at = [], 0
        for word in window:
            starts.append(at)
            at += len(word) + 1
        low, high = bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1)) - 1
        return self._spans[first + low][0], self._spans[first + high][1]


def _sentences(text: str) -> list[str]:
    return [part for omitted in _OMITTED.split(text) for part in _SENTENCE.split(omitted)]


def _trimmed(wanted: str, window: str, start: int, end: int) -> tuple[int, int]:
    """Trim a place to the letters that both texts share at its ends."""
    from rapidfuzz.distance import Indel

    steps = Indel.opcodes(wanted, window[start:end])
    both = [step for step in steps if step.tag == "equal" and step.dest_end - step.dest_start >= _BLOCK]
    if both:
        start, end = start + both[0].dest_start, start + both[-1].dest_end
    return start + (window[start] == " "), end - (window[end - 1] == " ")
