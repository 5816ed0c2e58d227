"""Words of many passages as arrays: which passages are like another, which share the words of a question."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from corpora.retrieval.lexical import K1, B
from haymaker.core.text.strings import words

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"
Floats: TypeAlias = "npt.NDArray[np.float64]"

SHARED = 0.3  # of the runs of the shorter of two texts: as much in common makes them alike
_RUN = 5  # words of a run
_CELLS = (1 << 22) - 1  # values that differ in other bits are counted together
_COMMON = 64  # texts: a run that more of them have is a phrase of the corpus and says nothing
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no run is lost
_DECIMALS = 9  # of scores, so that a last digit that differs between machines decides nothing


@dataclass(frozen=True, eq=False)
class Words:
    """The words of some texts.

    Attributes:
        vocabulary: word -> its number.
        flat: numbers of all words, one text behind the other.
        bounds: where each text begins in it, and where the last one ends.
        split: text -> its words.
    """

    vocabulary: Mapping[str, int]
    flat: npt.NDArray[np.int32]
    bounds: Ints
    split: Callable[[str], list[str]] = words

    @staticmethod
    def of(texts: Sequence[str], split: Callable[[str], list[str]] = words) -> Words:
        """The words of texts, without case, accents and punctuation."""
        known: dict[str, int] = defaultdict(count().__next__)  # a new word gets the next number
        flat, bounds = array("i"), [0]
        for text in texts:
            flat.extend(map(known.__getitem__, split(text)))
            bounds.append(len(flat))
        return Words(dict(known), np.array(flat, dtype=np.int32), np.array(bounds, dtype=np.int64), split)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def sizes(self) -> Ints:
        """Words of each text."""
        return np.diff(self.bounds)

    def kept(self, texts: Ints) -> Words:
        """Some of the texts, each as often as it is named."""
        sizes = self.sizes[texts]
        bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        at = np.arange(bounds[-1]) + np.repeat(self.bounds[texts] - bounds[:-1], sizes)
        return replace(self, flat=self.flat[at], bounds=bounds)

    @cached_property
    def frequency(self) -> dict[str, int]:
        """Word -> texts that have it."""
        owners = np.repeat(np.arange(len(self)), self.sizes)
        pairs = np.sort(owners * len(self.vocabulary) + self.flat)  # several times quicker than np.unique
        once = pairs[_changes(pairs)] % max(1, len(self.vocabulary))
        counts = np.bincount(once, minlength=len(self.vocabulary)).tolist()
        return {word: counts[number] for word, number in self.vocabulary.items()}

    def scores(self, question: str) -> Floats:
        """BM25 of each text for the words of a question (Lucene's form, corpora/retrieval/lexical.py)."""
        known = (self.vocabulary[word] for word in self.split(question) if word in self.vocabulary)
        asked = np.fromiter(known, dtype=np.int64)
        column = np.full(len(self.vocabulary), -1, dtype=np.int64)
        terms, weights = np.unique(asked, return_counts=True)
        column[terms] = np.arange(len(terms))
        at = np.flatnonzero(column[self.flat] >= 0)
        owners = np.searchsorted(self.bounds, at, "right") - 1
        cells = np.bincount(owners * len(terms) + column[self.flat[at]], minlength=len(self) * len(terms))
        tf = cells.reshape(len(self), len(terms))
        idf = [self._idf(df) for df in np.count_nonzero(tf, axis=0).tolist()]
        found: Floats = (tf / (tf + self._base[:, None]) * (np.array(idf) * weights)).sum(axis=1)
        return np.round(found, _DECIMALS)

    @cached_property
    def _base(self) -> Floats:
        """What the length of each text adds to a count."""
        sizes = self.sizes.astype(np.float64)
        return K1 * (1 - B + B * sizes / max(float(sizes.mean()), 1e-9))

    def _idf(self, holders: int) -> float:
        return math.log(1 + (len(self) - holders + 0.5) / (holders + 0.5))

    @cached_property
    def _holders(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """The texts of all words, those of word 0 first, and where those of each word begin."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        counts = np.bincount(self.flat, minlength=len(self.vocabulary))
        return owners[np.argsort(self.flat, kind="stable")], np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    def looked_up(self, question: str) -> Floats:
        """The same as `scores`, for many questions on many texts: their words are put in order once, then a question costs its own."""
        owners, bounds = self._holders
        found = np.zeros(len(self))
        asked = Counter(self.vocabulary[word] for word in self.split(question) if word in self.vocabulary)
        for term, weight in sorted(asked.items()):
            holders = owners[bounds[term] : bounds[term + 1]]
            starts = np.flatnonzero(_changes(holders))
            texts, tf = holders[starts], np.diff(starts, append=len(holders))
            found[texts] += tf / (tf + self._base[texts]) * (self._idf(len(texts)) * weight)
        return np.round(found, _DECIMALS)


def alike(texts: Words) -> Flags:
    """Which texts are like an earlier one: equal, one within the other, or much the same.

    Two are alike when they share SHARED of the runs of _RUN words that the shorter one has. Runs that more than _COMMON texts have
    do not count; a text that has few others, or no run at all, is like them all.
    """
    number = len(texts)
    runs, owners = _runs(texts)
    size = np.bincount(owners, minlength=number)
    starts = np.flatnonzero(_changes(runs))
    holders = np.diff(np.append(starts, len(runs)))
    common = np.repeat(holders > _COMMON, holders)
    found: Flags = (size == 0) | (np.bincount(owners[common], minlength=number) > (1 - SHARED) * size)
    pairs = [np.zeros(0, dtype=np.int64)]
    for held in range(2, _COMMON + 1):
        group = owners[starts[holders == held][:, None] + np.arange(held)]
        left, right = np.triu_indices(held, 1)
        pairs.append((group[:, left] * number + group[:, right]).ravel())
    least = SHARED * size.min(where=size > 0, initial=len(runs))
    pair, shared = np.unique(_often(np.concatenate(pairs), least), return_counts=True)
    earlier, later = pair // max(1, number), pair % max(1, number)
    found[later[shared >= SHARED * np.minimum(size[earlier], size[later])]] = True
    return found


def _often(values: Ints, least: float) -> Ints:
    """The values, without most of those that are there less often than `least`: to put all in order takes longer."""
    cells = values & _CELLS
    often: Flags = np.bincount(cells)[cells] >= least
    return values[often]


def _runs(texts: Words) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Hashes of all runs of words, ascending, and the text of each: of one text each run once."""
    flat = texts.flat.astype(np.uint64)
    owners = np.repeat(np.arange(len(texts)), texts.sizes)
    last = max(0, len(flat) - _RUN + 1)
    hashes = np.zeros(last, dtype=np.uint64)
    for at in range(_RUN):
        hashes = (hashes ^ (hashes >> np.uint64(29))) * _MIXER + flat[at : at + last] + np.uint64(1)
    within = owners[:last] == owners[len(owners) - last :]
    hashes, owners = hashes[within], owners[:last][within]
    order = np.argsort(hashes, kind="stable")  # so owners of one run stay in order
    hashes, owners = hashes[order], owners[order]
    new = _changes(hashes) | _changes(owners)
    return hashes[new], owners[new]


def _changes(values: npt.NDArray[Any]) -> Flags:
    """Which of the values differ from the one before."""
    found = np.ones(len(values), dtype=np.bool_)
    found[1:] = values[1:] != values[:-1]
    return found
