"""The passages that numbered paragraphs are made of: long enough, of one part, none like another, each encoded and counted once.

A passage stands in a context as one line behind its number (" 3: text"), without its title; it ends with what opens the next one
(generators/context/pieces.py). No corpus is read whole: of one with more than SAMPLE passages a sample is drawn by key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from corpora.sources.splits import share_split
from corpora.stores.passages.store import Passages
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from generators.pages.words import Words, alike
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import is_spaceless, length, terms

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"

OPENER = "Paragraph"
SAMPLE = 1 << 15  # passages of a corpus that are looked at
_JUDGED = 512  # passages that the size of all is judged by


def ending(opener: str) -> str:
    """The end of a unit: what opens the next one; the last one gives it back."""
    return f"\n\n{opener}"


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
        opener: the word before the number of each.

    Attributes:
        ids: passage ids.
        texts: each in one line.
        pieces: the same as they stand in a context.
        words: of each text, as white space parts them.
        said: the same, folded.
        alike: which of `first` are like an earlier one.
        left_out: reason -> passages.
    """

    def __init__(
        self, store: Passages, wanted: Wanted, draws: Stream, tokenizers: Sequence[Tokenizer], first: Sequence[int] = (),
        opener: str = OPENER,
    ) -> None:  # fmt: skip
        self.left_out: Counter[str] = Counter()
        ids, texts, sizes = self._read(store, wanted, draws, first)
        said = Words.of(texts)
        twins = alike(said)
        self.alike = {ids[i] for i in np.flatnonzero(twins[: len(first)]).tolist()}
        kept = [i for i in range(len(ids)) if i < len(first) or not twins[i]]
        self.left_out["like another"] = len(ids) - len(kept)
        self.said = said.kept(np.array(kept, dtype=np.int64))
        self.ids = np.array([ids[i] for i in kept], dtype=object)
        self.texts = [texts[i] for i in kept]
        self.words = np.array(sizes, dtype=np.int64)[kept]
        self.pieces = Pieces([f" {text}{ending(opener)}" for text in self.texts], tokenizers)

    def _read(
        self, store: Passages, wanted: Wanted, draws: Stream, first: Sequence[int]
    ) -> tuple[list[str], list[str], list[int]]:
        """Ids, texts and lengths of those of the right part and size."""
        ids, texts, sizes = [], [], []
        golds, part_of = (
            set(first),
            lru_cache(partial(share_split, shares=wanted.shares)),
        )  # passages of an article follow one another
        looked = range(len(store)) if len(store) <= SAMPLE else sorted(islice(draws.walk(len(store)), SAMPLE))
        order = [*first, *(i for i in looked if i not in golds)]
        table = store.take(order, ["passage_id", "article_id", "text"])
        columns = (table[name].to_pylist() for name in table.column_names)
        for number, (passage, article, text) in enumerate(zip(*columns, strict=True)):
            if number >= len(first) and part_of(article or passage) != wanted.part:
                continue
            shown = text.split()
            size = len(shown) if text.isascii() else length(text)
            if number >= len(first) and size < wanted.min_words:
                self.left_out["too short"] += 1
                continue
            ids.append(passage)
            texts.append(" ".join(shown))
            sizes.append(size)
        return ids, texts, sizes

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def searched(self) -> Words:
        """What a lexical search counts of each text: its words, and where a script has no spaces also pairs of characters."""
        return Words.of(self.texts, terms) if any(map(is_spaceless, self.texts)) else self.said

    @cached_property
    def tokens(self) -> int:
        """Release tokens of all units, judged by a few."""
        judged = np.linspace(0, len(self) - 1, min(len(self), _JUDGED)).astype(np.int64)
        return int(self.pieces.tokens(judged).sum()) * len(self) // max(1, len(judged))
