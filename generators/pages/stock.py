"""Passages of a corpus that rows show as numbered paragraphs: long enough, of one split, all different, each counted once.

In a context a passage is one line after its number (" 3: text"), without its title; it ends with the opener of the next one
(generators/context/pieces.py). If a corpus has more than SAMPLE passages, samples are drawn by key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from corpora.sources.question_source import Shares, share_split
from corpora.stores.passages.store import Passages
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from generators.context.units import Numbers
from generators.inputs import PassageCorpus
from generators.pages.words import Words, alike
from generators.spec import Candidate, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import is_spaceless, length, terms

OPENER = "Paragraph"
SAMPLE = 1 << 15  # most passages that are read at once from a corpus
PER_SAMPLE = 4096  # consecutive candidates that share a sample of a large corpus
_SKIPS = 96  # bits of a number below the count of the candidates that a training stream skipped
_KEPT = 2  # stocks of one corpus
_JUDGED = 512  # passages used to estimate the size of all passages


def ending(opener: str) -> str:
    """Return the end of a unit: the opener of the next one. The last unit of a context is shown without it."""
    return f"\n\n{opener}"


class PagesSettings(TaskSettings):
    """Settings of the tasks over numbered paragraphs.

    Attributes:
        passages: corpus of passages.
        min_words: use only passages with at least this many words.
        splits: whole-number shares of the splits among the articles of the corpus, or its passages if it has no articles.
        natural_passages: paragraphs of a natural row.
    """

    passages: PassageCorpus
    min_words: Annotated[int, Field(strict=True, ge=8, le=5000)] = 40
    splits: Shares = Field(default={"test": 70, "dev": 10, "train": 20})
    natural_passages: Any


class Wanted(NamedTuple):
    """Passages of a corpus that rows can show: of a split (see PagesSettings.splits), with at least `min_words` words.

    The passages with the numbers `first` come first, whatever their size and split. `opener` is the word before the number of each.
    """

    split: Split
    shares: tuple[tuple[Split, int], ...]
    min_words: int
    first: tuple[int, ...] = ()
    opener: str = OPENER


class Stock:
    """Passages of a corpus.

    Args:
        store: the corpus.
        wanted: which passages.
        draws: random stream of the sample of a large corpus.
        tokenizers: release tokenizer first.

    Attributes:
        ids: passage ids.
        texts: each in one line.
        pieces: the texts as units of a context.
        sizes: words of each text, separated by white space.
        folded: the words of each text, without case, accents and punctuation.
        alike: entries of `first` that are like an earlier one.
        left_out: number of passages left out, by reason.
    """

    def __init__(self, store: Passages, wanted: Wanted, draws: Stream, tokenizers: Sequence[Tokenizer]) -> None:
        self.left_out: Counter[str] = Counter()
        found, first = self._read(store, wanted, draws), len(wanted.first)
        folded = Words.of([text for _, text, _ in found])
        repeated = alike(folded)
        self.alike = set(np.flatnonzero(repeated[:first]).tolist())
        repeated[:first] = False
        kept = np.flatnonzero(~repeated)
        self.left_out["like another"] = len(found) - len(kept)
        self.folded, found = folded.kept(kept), [found[i] for i in kept.tolist()]
        self.ids = np.array([passage for passage, _, _ in found], dtype=object)
        self.texts, self.sizes = [text for _, text, _ in found], np.array([size for *_, size in found], dtype=np.int64)
        self.pieces = Pieces([f" {text}{ending(wanted.opener)}" for text in self.texts], tokenizers)

    def _read(self, store: Passages, wanted: Wanted, draws: Stream) -> list[tuple[str, str, int]]:
        found, first = list[tuple[str, str, int]](), dict.fromkeys(wanted.first)
        split_of = lru_cache(partial(share_split, shares=dict(wanted.shares)))  # passages of an article are consecutive
        read = sorted(islice(draws.walk(len(store)), SAMPLE)) if len(store) > SAMPLE else range(len(store))
        table = store.take([*first, *(i for i in read if i not in first)], ["passage_id", "article_id", "text"])
        columns = (table[name].to_pylist() for name in table.column_names)
        for place, (passage, article, text) in enumerate(zip(*columns, strict=True)):
            if place >= len(first) and split_of(article or passage) != wanted.split:
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
        """Words that a lexical search counts; in scripts without spaces also pairs of characters."""
        return Words.of(self.texts, terms) if any(map(is_spaceless, self.texts)) else self.folded

    @cached_property
    def tokens(self) -> int:
        """Release tokens of all units, estimated from a few."""
        judged = np.linspace(0, len(self) - 1, min(len(self), _JUDGED)).astype(np.int64)
        return int(self.pieces.tokens(judged).sum()) * len(self) // max(1, len(judged))


class Stocks:
    """The stocks of a task: one of each split of a corpus, or one of each sample of a large corpus.

    All tasks of a suite in this process that need the same passages share them; the last few are kept. `firsts` returns the numbers of
    the passages that the rows of a split need.
    """

    def __init__(self, task: Task[Any], firsts: Callable[[Split], tuple[int, ...]]) -> None:
        self._task, self._firsts = task, firsts

    @cached_property
    def opener(self) -> str:
        """Word before the number of a paragraph, in the language of the prompt texts."""
        return str(self._task.words.get("opener", OPENER))

    @cached_property
    def numbers(self) -> Numbers:
        """Numbers of paragraphs, after the opener."""
        inputs = self._task.inputs
        return inputs.shared(("page numbers",), lambda: Numbers(" {n}:", inputs.tokenizers))

    def sampled(self, split: Split) -> bool:
        """Return whether the corpus is too large to be read whole; then every few thousand candidates share a sample of it."""
        return not self._firsts(split) and len(self._task.inputs.passages(self._task.settings.passages)) > SAMPLE

    def drawn_from(self, candidate: Candidate) -> tuple[int, int]:
        """Return the sample of a candidate and its place in it; a candidate after a skipped one keeps the sample."""
        skipped, number = divmod(candidate.number, 1 << _SKIPS)
        sample, place = divmod(number, PER_SAMPLE) if self.sampled(candidate.split) else (0, number)
        return sample, place + skipped * PER_SAMPLE

    def of(self, split: Split, sample: int = 0) -> Stock:
        """Return the passages of a split, or of a sample of it."""
        task, settings, firsts = self._task, self._task.settings, self._firsts(split)
        corpus = settings.passages
        held = task.inputs.shared(("pages", task.entry.suite, corpus, firsts), dict[Any, Stock])
        wanted = Wanted(split, tuple(sorted(settings.splits.items())), settings.min_words, firsts, self.opener)
        if (found := held.pop((sample, wanted), None)) is None:
            draws = task.stream(corpus, split, sample, "sample")
            found = Stock(task.inputs.passages(corpus), wanted, draws, task.inputs.tokenizers)
        if not len(found):
            what, fix = f"no passage of split {split} has {wanted.min_words} words", "or change its `splits`"
            raise BuildError(what, where=f"passages.{corpus}", fix=f"lower min_words of {task.entry.where}, {fix}")
        held[sample, wanted] = found
        if len(held) > _KEPT:
            held.pop(next(iter(held)))
        return found
