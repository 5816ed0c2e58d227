"""Mined questions: sizes of thousands of questions, texts of one at a time, passages as units of a context."""

from __future__ import annotations

from array import array
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corpora.stores.columns import joined
from corpora.stores.mined import Mined, MinedPassages, MinedQuestion
from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.context.units import Numbers, PrefixedUnits, Units
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.interleave import round_robin_relations
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import padded, words

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_KEPT_DISTRACTORS = 32  # distractors of a question that may become a worked example
_EARLIER: dict[str, tuple[Split, ...]] = {"test": (), "dev": ("test",), "train": ("test", "dev")}
_ARTICLES = frozenset({"a", "an", "the"})
_ENDING = SEPARATOR + OPENER  # of a unit


class Stub(NamedTuple):
    """A question without its distractors, and the release tokens of these: compact, since thousands of stubs are kept."""

    question: MinedQuestion
    sizes: array[int]


class Stock:
    """A mined set; the stream key of the release determines the order of its questions."""

    def __init__(self, mined: Mined, name: str, stream_key: Key) -> None:
        self.mined, self.name, self._key = mined, name, stream_key
        self.order = lru_cache(maxsize=3)(self._order)
        self.stub = lru_cache(maxsize=4096)(self._stub)
        self.short = lru_cache(maxsize=64)(self._short)

    def _fresh(self, split: Split) -> list[tuple[int, str]]:
        """Return the questions of a split that are in no earlier split (test, dev, train), and their texts."""
        texts = [(i, q["split"], padded(q["question"])) for i, q in enumerate(self.mined.outline)]
        earlier = {text for _, own, text in texts if own in _EARLIER[split]}
        return [(i, text) for i, own, text in texts if own == split and text not in earlier]

    def _order(self, split: Split) -> list[int]:
        """Return the questions of a split in the order of the release: each text once, and only in the earliest split."""
        first: dict[str, int] = {}
        for index, text in self._fresh(split):
            first.setdefault(text, index)
        # one order of a mined set in all suites, named after the first suite
        order = Stream(self._key, "helmet", self.name, split, "order").shuffled(list(first.values()))
        outline = self.mined.outline
        return round_robin_relations(
            order, lambda i: str(outline[i]["relation"]), lambda i: list(outline[i]["answers"])
        )

    @cached_property
    def examples(self) -> list[int]:
        """Questions that may become worked examples: they are in split train only."""
        return [index for index, _ in self._fresh("train")]

    def group_id(self, index: int) -> str:
        """Return the name of a question in all its rows."""
        question = self.mined.outline[index]
        return f"{self.name}-{question['split']}-{question['question_id']}"

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Number of each question, by its group_id."""
        return {self.group_id(i): i for i in range(len(self.mined.outline))}

    @cached_property
    def _file(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(self.mined.path, memory_map=True)

    def _stub(self, index: int) -> Stub:
        rows = self._file.read_row_group(index, columns=["gold", "distractors.list.element.tokens"])
        counts = rows["distractors"].combine_chunks().flatten().field("tokens").flatten().to_pylist()
        structs, width = rows["gold"].to_pylist()[0], len(self.mined.tokenizers)
        columns = {name: [each[name] for each in structs] for name in MinedPassages.__slots__}
        columns["tokens"] = [[sizes[j] for sizes in columns["tokens"]] for j in range(width)]
        gold = MinedPassages(**columns)
        known = {**self.mined.outline[index], "gold": gold, "distractors": picked(gold, ()), "removed": {}}
        question = MinedQuestion(**{name: known[name] for name in MinedQuestion.__slots__ if name in known})
        return Stub(question, array("i", counts[::width]))

    def _short(self, index: int) -> MinedQuestion:
        """Return a question with the first few of its distractors."""
        whole = self.mined.read(index)
        others = whole.distractors
        return replace(whole, distractors=picked(others, range(len(others))[:_KEPT_DISTRACTORS]))


def picked(passages: MinedPassages, at: Sequence[int]) -> MinedPassages:
    """Return some of the passages, by number."""
    columns = {name: [getattr(passages, name)[i] for i in at] for name in MinedPassages.__slots__ if name != "tokens"}
    return MinedPassages(**columns, tokens=[[counts[i] for i in at] for counts in passages.tokens])


def without(question: MinedQuestion, ids: Set[str]) -> MinedQuestion:
    """Return a question without some passages, by their ids."""
    gold, others = (
        picked(passages, [i for i, each in enumerate(passages.passage_id) if each not in ids])
        for passages in (question.gold, question.distractors)
    )
    return replace(question, gold=gold, distractors=others)


def chained(a: MinedPassages, b: MinedPassages) -> MinedPassages:
    """Return the passages of `a`, then those of `b`."""
    columns: dict[str, Any] = {name: joined(getattr(a, name), getattr(b, name)) for name in MinedPassages.__slots__}
    return MinedPassages(**columns | {"tokens": [joined(x, y) for x, y in zip(a.tokens, b.tokens, strict=True)]})


@dataclass(frozen=True, slots=True)
class Material:
    """A question with its passages as one list: everything a row may contain."""

    question: MinedQuestion  # as mined
    passages: MinedPassages  # gold, then distractors
    fixed: list[int]  # numbers of the passages that every row shows
    pool: list[int]  # numbers of the others, in the order in which longer contexts take them
    shown_ids: list[str]  # ids in the prompt instead of `passage_id`; empty if no id is shown

    def _ids(self, count: int) -> list[str]:
        """Return the start of each of the first passages: its id, if ids are shown."""
        return [f" [ID: {shown}]:" for shown in self.shown_ids[:count]] or [""] * count

    def texts(self, count: int) -> list[str]:
        """Return the first passages as units of a context."""
        columns = self.passages.title[:count], self.passages.text[:count]
        return [shown + text for shown, text in zip(self._ids(count), map(unit, *columns), strict=True)]

    def units(self, tokenizers: Sequence[Tokenizer], numbers: Numbers | None) -> Units:
        """Return the units that rows may show, with the counts of the mined set."""
        own = [np.asarray(counts, dtype=np.int64) for counts in self.passages.tokens]
        shown = self._ids(max((*self.fixed, *self.pool), default=-1) + 1)

        def of_ids(tokenizer: Tokenizer, count: int) -> Ints:
            return np.array(tokenizer.count_units(shown[:count]) if self.shown_ids else [0] * count, dtype=np.int64)

        def first(count: int) -> PrefixedUnits:
            ids = [known[:count], *(of_ids(tokenizer, count) for tokenizer in tokenizers[1:])]
            counts = [tokens[:count] + more for tokens, more in zip(own, ids, strict=True)]
            pieces, titles = Pieces(self.texts(count), tokenizers, counts), self.passages.title[:count]
            leads = {title: unit(title, "").removesuffix(_ENDING).rstrip() for title in titles}
            sizes = {title: tokenizers[0].count_part(lead) for title, lead in leads.items()}
            led = [(len(each) + len(leads[title]), sizes[title]) for each, title in zip(shown, titles, strict=False)]
            characters, tokens = np.array(led, dtype=np.int64).reshape(-1, 2).T
            return PrefixedUnits(pieces, characters, ids[0] + tokens)

        known = of_ids(tokenizers[0], len(shown))
        return Units(first, own[0][: len(shown)] + known, tokenizers, _ENDING, numbers)


def full_text(passages: MinedPassages, number: int) -> str:
    """Return the title and text of a passage."""
    return f"{passages.title[number]}\n{passages.text[number]}"


def has_words(answer: str) -> bool:
    """Check whether an answer has more than punctuation and articles (docs/defects/helmet.md D10)."""
    return not set(words(answer)) <= _ARTICLES
