"""Which marked piece of a prompt holds certain words. Nothing is tokenised: a context may have a thousand passages."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

GOLD = ("gold", "support", "needle")
"""Kinds of pieces that an answer stands in."""
_ASIDE = ("instruction", "demo")  # of every row of a task
_RARE = 0.2  # share of the pieces that may hold a word by which a piece is known
_FEW = 3  # pieces that may in any case
_SHORT = 120  # characters of a piece that is quoted
_MOST = 5000  # places of a word that are looked at


def title(span: Mapping[str, Any]) -> str:
    """Kind, name and title or label of a piece: "gold 2869-2 Lubek Chernanek", "fact:3"."""
    kind = "" if str(span["ref"] or "").startswith(span["kind"]) else span["kind"]
    return " ".join(dict.fromkeys(str(part) for part in (kind, span["ref"], span["title"], span["label"]) if part))


class SpanMatch(NamedTuple):
    """A piece by its number among the spans, and how much speaks for it."""

    weight: float
    number: int


class SpanLookup:
    """The pieces of a context.

    Args:
        prompt: of a row.
        spans: of the row.
    """

    def __init__(self, prompt: str, spans: Sequence[Mapping[str, Any]]) -> None:
        lowered = prompt.lower()
        self._text = lowered if len(lowered) == len(prompt) else prompt  # positions must stay
        self._prompt, self._spans = prompt, spans
        self._numbers = sorted(
            (n for n, span in enumerate(spans) if span["kind"] not in _ASIDE), key=lambda n: spans[n]["start"]
        )
        self._starts = [spans[n]["start"] for n in self._numbers]
        self._has_gold = any(spans[n]["kind"] in GOLD for n in self._numbers)

    def nearest(self, words: Sequence[str], *, of_gold: bool) -> SpanMatch | None:
        """The piece that holds most of some words, rare ones before common ones; None where no piece holds half of them and a rare one.

        Args:
            words: in lower case.
            of_gold: whether among the pieces that an answer stands in, or among the others.
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
        """Whether at least half of some words stand anywhere in the prompt."""
        return bool(words) and 2 * sum(next(self._places(word), -1) >= 0 for word in words) >= len(words)

    def title(self, number: int) -> str:
        """What a piece is called, and what it says where that is short."""
        span = self._spans[number]
        said = self._prompt[span["start"] : span["end"]].strip()
        return title(span) + (f" “{said}”" if len(said) <= _SHORT else "")

    def _pieces_with(self, word: str) -> Iterator[int]:
        for at in self._places(word):
            place = bisect_right(self._starts, at) - 1
            for number in reversed(self._numbers[max(0, place - 1) : place + 1]):  # a piece may lie in another
                if at < self._spans[number]["end"]:
                    yield number
                    break

    def _places(self, word: str) -> Iterator[int]:
        """Where a word stands by itself (of a script without spaces: anywhere)."""
        at, spaced = -1, word.isascii()
        for _ in range(_MOST):
            at = self._text.find(word, at + 1)
            if at < 0:
                return
            end = at + len(word)
            if not spaced or not (self._text[at - 1 : at].isalnum() or self._text[end : end + 1].isalnum()):
                yield at
