"""Find the marked span of a prompt that contains given words, without tokenising: contexts may have 1,000 passages."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

GOLD = ("gold", "support", "needle")
"""Kinds of spans that contain an answer."""
_ASIDE = ("instruction", "fewshot")  # present in every row of a task
_RARE = 0.2  # a word is rare if at most this share of the spans contains it
_FEW = 3  # or at most this number of spans
_SHORT = 120  # maximum characters of a quoted span
_MOST = 5000  # maximum number of occurrences of a word to check


def title(span: Mapping[str, Any]) -> str:
    """Return kind, name and title or label of a span: "gold 2869-2 Lubek Chernanek", "fact:3"."""
    kind = "" if str(span["ref"] or "").startswith(span["kind"]) else span["kind"]
    return " ".join(dict.fromkeys(str(part) for part in (kind, span["ref"], span["title"], span["label"]) if part))


class SpanMatch(NamedTuple):
    """A matching span: its weight, and its index in the spans."""

    weight: float
    number: int


class SpanLookup:
    """Index of the spans of a prompt.

    Args:
        prompt: prompt of a row.
        spans: spans of the row.
    """

    def __init__(self, prompt: str, spans: Sequence[Mapping[str, Any]]) -> None:
        lowered = prompt.lower()
        self._text = lowered if len(lowered) == len(prompt) else prompt  # lower-casing must not shift positions
        self._prompt, self._spans = prompt, spans
        self._numbers = sorted(
            (n for n, span in enumerate(spans) if span["kind"] not in _ASIDE), key=lambda n: spans[n]["start"]
        )
        self._starts = [spans[n]["start"] for n in self._numbers]
        self._has_gold = any(spans[n]["kind"] in GOLD for n in self._numbers)

    def nearest(self, words: Sequence[str], *, of_gold: bool) -> SpanMatch | None:
        """Return the span with most of the words, weighted by rarity; it must contain half of them and a rare one.

        Args:
            words: lower-case words.
            of_gold: whether to search the spans of GOLD kinds, or the others.
        """
        if not words or not self._has_gold:
            return None
        weights: Counter[int] = Counter()
        held: defaultdict[int, int] = defaultdict(int)
        rare: set[int] = set()
        for word in words:
            there = set(self._pieces_with(word))
            for number in there:
                weights[number] += 1 / len(there)  # type: ignore[assignment]
                held[number] += 1
            if len(there) <= max(_FEW, _RARE * len(self._numbers)) and len(there) < max(2, len(self._numbers)):
                rare |= there
        fit = [n for n in rare if (self._spans[n]["kind"] in GOLD) == of_gold and 2 * held[n] >= len(words)]
        best = max(fit, key=lambda n: (weights[n], self._spans[n]["start"]), default=None)
        return None if best is None else SpanMatch(round(weights[best], 9), best)

    def holds_most(self, words: Sequence[str]) -> bool:
        """Check whether the prompt contains at least half of the words."""
        return bool(words) and 2 * sum(next(self._places(word), -1) >= 0 for word in words) >= len(words)

    def title(self, number: int) -> str:
        """Return the title of a span, with its text if it is short."""
        span = self._spans[number]
        text = self._prompt[span["start"] : span["end"]].strip()
        return title(span) + (f" “{text}”" if len(text) <= _SHORT else "")

    def _pieces_with(self, word: str) -> Iterator[int]:
        for at in self._places(word):
            place = bisect_right(self._starts, at) - 1
            for number in reversed(self._numbers[max(0, place - 1) : place + 1]):  # spans may be nested
                if at < self._spans[number]["end"]:
                    yield number
                    break

    def _places(self, word: str) -> Iterator[int]:
        """Yield the positions of a whole word (non-ASCII words: any occurrence)."""
        at, spaced = -1, word.isascii()
        for _ in range(_MOST):
            at = self._text.find(word, at + 1)
            if at < 0:
                return
            end = at + len(word)
            if not spaced or not (self._text[at - 1 : at].isalnum() or self._text[end : end + 1].isalnum()):
                yield at
