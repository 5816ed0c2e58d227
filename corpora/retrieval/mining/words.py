"""Words of thousands of passages as 64-bit numbers, so that aliases and shared text are found by comparing arrays.

The words are haymaker.core.text.strings.words; the number of a word is a polynomial in its characters, modulo 2**64. A
passage is

    title words  BREAK  text words  BREAK

so no run of words crosses from a title into a text, or into the next passage. Equal words have equal numbers. The
probability that two of a million different words are equal is 3 in 100 million; it would remove one passage too many,
never keep one with an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from haymaker.core.text.strings import folded, words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.stores.passages.store import Passages

    Ints = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]

RUN = 3  # words of a run: an alias is looked for by its first ones, shared text is counted in such runs
BREAK = 1  # the number of _MARK
_MARK = "\x01"  # separates texts, as a word of its own
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
_BLOCK = 1024  # passages read together: about 600,000 characters, which the cache of a processor holds
_HELD = 25_000_000  # words held at a time, 8 bytes each: 200,000 passages, or 30,000 whole articles


class PassageWords:
    """Words of the passages of a store, read on demand and cached."""

    def __init__(self, store: Passages) -> None:
        self._store = store
        self._of: dict[int, Numbers] = {}
        self._size = 0

    def of(self, passages: Ints) -> Words:
        """The words of some passages, in the given order."""
        if self._size > _HELD:
            self._of.clear()
            self._size = 0
        fresh = [i for i in dict.fromkeys(passages.tolist()) if i not in self._of]
        for at in range(0, len(fresh), _BLOCK):
            self._read(fresh[at : at + _BLOCK])
        return Words([self._of[i] for i in passages.tolist()])

    def _read(self, passages: list[int]) -> None:
        import numpy as np

        table = self._store.take(passages)
        pairs = zip(table["title"].to_pylist(), table["text"].to_pylist(), strict=True)
        numbers, ends = numbered([text for pair in pairs for text in pair])
        self._of.update(zip(passages, np.split(numbers, ends[1:-1:2]), strict=True))
        self._size += len(numbers)


class Words:
    """Words of some passages: numbers in `flat`, BREAK after each title and text; `ends` of the passages in it."""

    def __init__(self, parts: Sequence[Numbers]) -> None:
        import numpy as np

        self.flat: Numbers = np.concatenate([*parts, np.full(RUN, BREAK, np.uint64)])  # room for the last runs
        self.ends: Ints = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))

    def holding(self, aliases: Iterable[str]) -> Flags:
        """Return which passages contain one of the aliases, in title or text, like haymaker.core.text.strings.holds."""
        import numpy as np

        by_length: dict[int, list[Numbers]] = {}
        for phrase in _phrases(aliases):
            by_length.setdefault(min(len(phrase), RUN), []).append(phrase)
        found = np.zeros(len(self.ends), np.bool_)
        for length, phrases in by_length.items():
            firsts = np.array([_runs(phrase, length, 1)[0] for phrase in phrases], np.uint64)
            at = np.flatnonzero(np.isin(self.runs(length), firsts))
            if length == RUN:
                at = at[[self._follows(i, phrases) for i in at.tolist()]]
            found[np.searchsorted(self.ends, at, side="right")] = True
        return found

    def _follows(self, at: int, phrases: Iterable[Numbers]) -> bool:
        import numpy as np

        return any(np.array_equal(self.flat[at : at + len(phrase)], phrase) for phrase in phrases)

    def runs(self, length: int) -> Numbers:
        """The run of `length` words that begins at each word, as one number."""
        return _runs(self.flat, length, len(self.flat) - RUN)

    def text_runs(self) -> tuple[Numbers, Ints]:
        """Runs of RUN words within texts, and the passage of each."""
        import numpy as np

        size = len(self.flat) - RUN
        breaks = self.flat == BREAK
        whole = (np.cumsum(breaks[:size]) & 1) == 1  # past an odd number of breaks: after the title, before the end
        for i in range(RUN):
            whole &= ~breaks[i : size + i]
        at = np.flatnonzero(whole)
        return self.runs(RUN)[at], np.searchsorted(self.ends, at, side="right").astype(np.int64)

    def overlap(self, question: str) -> list[float]:
        """Share of the question's words of more than three letters that each passage has in title or text."""
        import numpy as np

        found = [self.holding([word]) for word in sorted(longer_words(question))]
        return list((np.sum(found, axis=0) / len(found)).tolist()) if found else [0.0] * len(self.ends)


def longer_words(question: str) -> set[str]:
    """The words of a question that an overlap counts: those of more than three letters."""
    return {word for word in words(question) if len(word) > 3}


def numbered(texts: Sequence[str]) -> tuple[Numbers, Ints]:
    """Numbers of the words of some texts, BREAK after each, and where each ends."""
    import numpy as np

    joined = "".join([f"{folded(text).replace(_MARK, ' ')} {_MARK} " for text in texts])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    inside = np.zeros(len(codes) + 2, np.bool_)
    inside[1:-1] = _word_characters(int(codes.max(initial=0)).bit_length())[codes]
    starts = np.flatnonzero(inside[1:-1] & ~inside[:-2])
    ends = np.flatnonzero(inside[1:-1] & ~inside[2:]) + 1
    powers, inverses = _powers(1 << len(codes).bit_length())
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(codes * powers[: len(codes)], out=sums[1:])
    numbers = (sums[ends] - sums[starts]) * inverses[starts]
    return numbers, np.flatnonzero(numbers == BREAK) + 1


def _phrases(aliases: Iterable[str]) -> list[Numbers]:
    """Return the numbers of the words of each alias that has words."""
    import numpy as np

    texts = sorted(set(aliases))
    if not texts:
        return []
    numbers, ends = numbered(texts)
    return [phrase[:-1] for phrase in np.split(numbers, ends[:-1]) if len(phrase) > 1]


def _runs(numbers: Numbers, length: int, count: int) -> Numbers:
    import numpy as np

    runs = numbers[:count]
    for i in range(1, length):
        runs = runs * np.uint64(_BASE) + numbers[i : count + i]
    return runs


@cache
def _powers(count: int) -> tuple[Numbers, Numbers]:
    """The base to the power of 0, 1, 2 ... and the inverses of these, modulo 2**64."""
    import numpy as np

    both = [np.full(count, base, np.uint64) for base in (_BASE, pow(_BASE, -1, 1 << 64))]
    for powers in both:
        powers[0] = 1
    return np.cumprod(both[0]), np.cumprod(both[1])


@cache
def _word_characters(bits: int) -> Flags:
    """Return which code points of up to so many bits are letters or digits, like the words of strings.words."""
    import numpy as np

    count = min(1 << bits, 0x110000)
    table = np.fromiter((chr(code).isalnum() for code in range(count)), np.bool_, count)
    table[ord(_MARK) : ord(_MARK) + 1] = True
    return table
