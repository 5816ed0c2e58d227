"""Passages of a corpus that rows show as numbered paragraphs: long enough, of one split, all different, each counted once.

In a context a passage is one line after its number (" 3: text"), without its title; it ends with the opener of the next one
(generators/context/pieces.py). Of a corpus with more than SAMPLE passages a sample is drawn by key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from corpora.sources.splits import share_split
from corpora.stores.passages.store import Passages
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from generators.pages.words import Words, alike
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import is_spaceless, length, terms

OPENER = "Paragraph"
SAMPLE = 1 << 15  # passages that are read of a corpus
_JUDGED = 512  # passages by which the size of all is estimated


def ending(opener: str) -> str:
    """Return the end of a unit: the opener of the next one. The last unit of a context is shown without it."""
    return f"\n\n{opener}"


def is_large(store: Passages) -> bool:
    """Return whether only a sample of a corpus is read."""
    return len(store) > SAMPLE


class Wanted(NamedTuple):
    """Passages of a corpus that rows can show: of a split (see PagesSettings.parts), and of `min_words` or more.

    Those of the numbers `first` come first, whatever their size and split. `opener` is the word before the number of each.
    """

    part: Split
    shares: tuple[tuple[Split, int], ...]
    min_words: int
    first: tuple[int, ...] = ()
    opener: str = OPENER


class Stock:
    """Passages of a corpus.

    Args:
        store: the corpus.
        wanted: which passages.
        draws: of the passages that are read of a large corpus.
        tokenizers: release tokenizer first.

    Attributes:
        ids: passage ids.
        texts: each in one line.
        pieces: the texts as units of a context.
        sizes: words of each text, separated by white space.
        folded: the words of each text, without case, accents and punctuation.
        alike: entries of `first` that are like an earlier one.
        left_out: reason -> passages.
    """

    def __init__(self, store: Passages, wanted: Wanted, draws: Stream, tokenizers: Sequence[Tokenizer]) -> None:
        self.left_out: Counter[str] = Counter()
        found, first = self._read(store, wanted, draws), len(wanted.first)
        folded = Words.of([text for _, text, _ in found])
        twins = alike(folded)
        self.alike = set(np.flatnonzero(twins[:first]).tolist())
        twins[:first] = False
        kept = np.flatnonzero(~twins)
        self.left_out["like another"] = len(found) - len(kept)
        self.folded, found = folded.kept(kept), [found[i] for i in kept.tolist()]
        self.ids = np.array([passage for passage, _, _ in found], dtype=object)
        self.texts, self.sizes = [text for _, text, _ in found], np.array([size for *_, size in found], dtype=np.int64)
        self.pieces = Pieces([f" {text}{ending(wanted.opener)}" for text in self.texts], tokenizers)

    def _read(self, store: Passages, wanted: Wanted, draws: Stream) -> list[tuple[str, str, int]]:
        """Return id, text and length of each passage of the right split and size."""
        found, first = list[tuple[str, str, int]](), dict.fromkeys(wanted.first)
        part_of = lru_cache(partial(share_split, shares=dict(wanted.shares)))  # passages of an article are consecutive
        read = sorted(islice(draws.walk(len(store)), SAMPLE)) if is_large(store) else range(len(store))
        table = store.take([*first, *(i for i in read if i not in first)], ["passage_id", "article_id", "text"])
        columns = (table[name].to_pylist() for name in table.column_names)
        for place, (passage, article, text) in enumerate(zip(*columns, strict=True)):
            if place >= len(first) and part_of(article or passage) != wanted.part:
                continue
            shown = text.split()
            size = len(shown) if text.isascii() else length(text)
            if place >= len(first) and size < wanted.min_words:
                self.left_out["too short"] += 1
            else:
                found.append((passage, " ".join(shown), size))
        return found

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def searched(self) -> Words:
        """The words that a lexical search counts: in scripts without spaces also pairs of characters."""
        return Words.of(self.texts, terms) if any(map(is_spaceless, self.texts)) else self.folded

    @cached_property
    def tokens(self) -> int:
        """Release tokens of all units, estimated from a few."""
        judged = np.linspace(0, len(self) - 1, min(len(self), _JUDGED)).astype(np.int64)
        return int(self.pieces.tokens(judged).sum()) * len(self) // max(1, len(judged))
