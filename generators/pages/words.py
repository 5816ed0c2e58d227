"""Words of many passages as arrays: finds passages that are alike, and scores passages for a question."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from corpora.retrieval.lexical import bm25
from generators.context.pieces import Ints
from haymaker.core.text.strings import words

if TYPE_CHECKING:
    import numpy.typing as npt

Flags: TypeAlias = "npt.NDArray[np.bool_]"
Floats: TypeAlias = "npt.NDArray[np.float64]"

SHARED = 0.3  # two texts are alike if they share this part of the runs of the shorter text
_RUN = 5  # words of a run
_CELLS = (1 << 22) - 1  # values that differ in other bits are counted together
_COMMON = 64  # texts; a run in more texts is a phrase of the corpus and does not count
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no run is lost


@dataclass(frozen=True, eq=False)
class Words:
    """The words of some texts."""

    vocabulary: Mapping[str, int]  # word -> its number
    flat: npt.NDArray[np.int32]  # numbers of all words, one text after the other
    bounds: Ints  # start of each text in `flat`, and the end of the last one
    split: Callable[[str], list[str]] = words  # text -> its words

    @staticmethod
    def of(texts: Sequence[str], split: Callable[[str], list[str]] = words) -> Words:
        """Return the words of texts, by default without case, accents and punctuation."""
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
        """Return the texts with some numbers; a number may occur more than once."""
        sizes = self.sizes[texts]
        bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        at = np.arange(bounds[-1]) + np.repeat(self.bounds[texts] - bounds[:-1], sizes)
        return replace(self, flat=self.flat[at], bounds=bounds)

    @cached_property
    def frequency(self) -> dict[str, int]:
        """Word -> number of texts that contain it."""
        owners = np.repeat(np.arange(len(self)), self.sizes)
        pairs = np.sort(owners * len(self.vocabulary) + self.flat)  # several times quicker than np.unique
        once = pairs[_changes(pairs)] % max(1, len(self.vocabulary))
        counts = np.bincount(once, minlength=len(self.vocabulary)).tolist()
        return {word: counts[number] for word, number in self.vocabulary.items()}

    @cached_property
    def _holders(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """The text of each occurrence, sorted by word, and where the occurrences of each word begin."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        counts = np.bincount(self.flat, minlength=len(self.vocabulary))
        return owners[np.argsort(self.flat, kind="stable")], np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    def scores(self, question: str, texts: Ints | None = None) -> Floats:
        """Return the BM25 score of each text, or of some texts as if there were no others."""
        owners, bounds = self._holders
        chosen = np.arange(len(self)) if texts is None else texts
        places = np.full(len(self), -1, dtype=np.int64)
        places[chosen] = np.arange(len(chosen))

        def counts(term: int) -> Ints:
            at = places[owners[bounds[term] : bounds[term + 1]]]
            return np.bincount(at[at >= 0], minlength=len(chosen))

        asked = Counter(self.vocabulary[word] for word in self.split(question) if word in self.vocabulary)
        return bm25(self.sizes[chosen], ((counts(term), weight) for term, weight in sorted(asked.items())))


def alike(texts: Words) -> Flags:
    """Return which texts are like an earlier one: equal, one within the other, or much the same.

    Two are alike if they share SHARED of the runs of _RUN words of the shorter one. Runs of more than _COMMON texts do not count;
    a text with few other runs, or no run at all, is like every text.
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
    """Drop most values that occur less often than `least`, so that fewer values must be sorted."""
    cells = values & _CELLS
    often: Flags = np.bincount(cells)[cells] >= least
    return values[often]


def _runs(texts: Words) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Return hashes of all runs of words, ascending, and the text of each; a run counts once per text."""
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
    """Return which values differ from the one before."""
    found = np.ones(len(values), dtype=np.bool_)
    found[1:] = values[1:] != values[:-1]
    return found
