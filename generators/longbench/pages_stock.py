"""The passages that numbered paragraphs are made of: long enough, of one part, none like another, each encoded and counted once.

A passage stands in a context as one line behind its number (" 3: text"), without its title; it ends with what opens the next one
(generators/context/pieces.py). No corpus is read whole: of one with more than SAMPLE passages a sample is drawn by key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from corpora.sources.splits import share_split
from corpora.stores.passages.store import Passages
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from haymaker.records import Split
from haymaker.rng import Stream
from haymaker.text import words

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"

OPENER = "Paragraph"
ENDING = f"\n\n{OPENER}"  # of a unit; the last one gives it back
SAMPLE = 1 << 15  # passages of a corpus that are looked at
SHARED = 0.3  # of the runs of the shorter of two passages: as much in common makes them alike
_RUN = 5  # words of a run
_COMMON = 64  # passages: a run that more of them have is a phrase of the corpus and says nothing
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no run is lost
_JUDGED = 512  # passages that the size of all is judged by


class Wanted(NamedTuple):
    """Which passages of a corpus may stand in rows.

    Attributes:
        part: that they belong to.
        shares: part -> whole-number share of the articles (of the passages, where the corpus has no articles).
        min_words: fewest words.
    """

    part: Split
    shares: Mapping[Split, int]
    min_words: int


class Stock:
    """Passages of a corpus.

    Args:
        store: the corpus.
        wanted: which of them.
        draws: decides which are looked at, where there are more than SAMPLE.
        tokenizers: release tokenizer first.
        first: numbers of passages that come first, whatever their size and part.

    Attributes:
        ids: passage ids.
        texts: each in one line.
        pieces: the same as they stand in a context.
        words: of each text.
        alike: which of `first` are like an earlier one.
        left_out: reason -> passages.
    """

    def __init__(
        self, store: Passages, wanted: Wanted, draws: Stream, tokenizers: Sequence[Tokenizer], first: Sequence[int] = ()
    ) -> None:
        self.left_out: Counter[str] = Counter()
        ids, texts = self._read(store, wanted, draws, first)
        twins = alike([words(text) for text in texts])
        self.alike = {ids[i] for i in np.flatnonzero(twins[: len(first)]).tolist()}
        kept = [i for i in range(len(ids)) if i < len(first) or not twins[i]]
        self.left_out["like another"] = len(ids) - len(kept)
        self.ids = np.array([ids[i] for i in kept], dtype=object)
        self.texts = [texts[i] for i in kept]
        self.words = np.array([len(text.split()) for text in self.texts], dtype=np.int64)
        self.pieces = Pieces([f" {text}{ENDING}" for text in self.texts], tokenizers)

    def _read(
        self, store: Passages, wanted: Wanted, draws: Stream, first: Sequence[int]
    ) -> tuple[list[str], list[str]]:
        """Ids and texts of those of the right part and size."""
        ids, texts = [], []
        golds = set(first)
        looked = range(len(store)) if len(store) <= SAMPLE else sorted(islice(draws.walk(len(store)), SAMPLE))
        order = [*first, *(i for i in looked if i not in golds)]
        table = store.take(order, ["passage_id", "article_id", "text"])
        columns = (table[name].to_pylist() for name in table.column_names)
        for number, (passage, article, text) in enumerate(zip(*columns, strict=True)):
            shown = text.split()
            if number >= len(first):
                if share_split(article or passage, wanted.shares) != wanted.part:
                    continue
                if len(shown) < wanted.min_words:
                    self.left_out["too short"] += 1
                    continue
            ids.append(passage)
            texts.append(" ".join(shown))
        return ids, texts

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def tokens(self) -> int:
        """Release tokens of all units, judged by a few."""
        judged = np.linspace(0, len(self) - 1, min(len(self), _JUDGED)).astype(np.int64)
        return int(self.pieces.tokens(judged).sum()) * len(self) // max(1, len(judged))

    @cached_property
    def frequency(self) -> Counter[str]:
        """Word -> passages that have it."""
        return Counter(word for text in self.texts for word in set(words(text)))


def alike(texts: Sequence[Sequence[str]]) -> Flags:
    """Which texts, as words, are like an earlier one: equal, one within the other, or much the same.

    Two are alike when they share SHARED of the runs of _RUN words that the shorter one has. Runs that more than _COMMON texts have
    do not count; a text that has few others, or no run at all, is like them all.
    """
    count = len(texts)
    runs, owners = _runs(texts)
    size = np.bincount(owners, minlength=count)
    _, starts, holders = np.unique(runs, return_index=True, return_counts=True)
    common = np.repeat(holders > _COMMON, holders)
    found: Flags = (size == 0) | (np.bincount(owners[common], minlength=count) > (1 - SHARED) * size)
    pairs = [np.zeros(0, dtype=np.int64)]
    for held in range(2, _COMMON + 1):
        group = owners[starts[holders == held][:, None] + np.arange(held)]
        left, right = np.triu_indices(held, 1)
        pairs.append((group[:, left] * count + group[:, right]).ravel())
    pair, shared = np.unique(np.concatenate(pairs), return_counts=True)
    earlier, later = pair // max(1, count), pair % max(1, count)
    found[later[shared >= SHARED * np.minimum(size[earlier], size[later])]] = True
    return found


def _runs(texts: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Hashes of all runs of words, ascending, and the text of each: of one text each run once."""
    known: dict[str, int] = {}
    flat = np.array([known.setdefault(word, len(known)) for text in texts for word in text], dtype=np.uint64)
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    last = max(0, len(flat) - _RUN + 1)
    hashes = np.zeros(last, dtype=np.uint64)
    for at in range(_RUN):
        hashes = (hashes ^ (hashes >> np.uint64(29))) * _MIXER + flat[at : at + last] + np.uint64(1)
    within = owners[:last] == owners[len(owners) - last :]
    hashes, owners = hashes[within], owners[:last][within]
    order = np.lexsort((owners, hashes))
    hashes, owners = hashes[order], owners[order]
    new = np.ones(len(hashes), dtype=np.bool_)
    new[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
    return hashes[new], owners[new]


class Numbers:
    """The labels " 1:", " 2:" ... of paragraphs."""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        self.pieces = Pieces([], tokenizers)

    def upto(self, count: int) -> Pieces:
        """The first `count` of them or more, made anew in doubled numbers."""
        if len(self.pieces) < count:
            size = max(64, count, 2 * len(self.pieces))
            self.pieces = Pieces([f" {number}:" for number in range(1, size + 1)], self._tokenizers)
        return self.pieces

    def tokens(self, count: int) -> Ints:
        """Release tokens of each of the first `count`."""
        return self.upto(count).tokens(np.arange(count))
