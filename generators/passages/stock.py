"""What a mined set holds, read no further than needed: golds and sizes of thousands of questions, texts of one at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Set
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.stores.columns import joined
from corpora.stores.mined import Mined, MinedPassages, MinedQuestion
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.interleave import round_robin_relations
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import padded

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_KEPT_DISTRACTORS = 32  # of a question that may become a worked example
_EARLIER: dict[str, tuple[Split, ...]] = {"test": (), "dev": ("test",), "train": ("test", "dev")}


class Stub(NamedTuple):
    """A question without its distractors, and their release tokens: compact, since thousands of stubs are kept."""

    question: MinedQuestion
    sizes: array[int]


class Stock:
    """One mined set.

    Args:
        mined: the file.
        name: of the set in the parameters.
        stream_key: of the release; decides the order of questions.
    """

    def __init__(self, mined: Mined, name: str, stream_key: Key) -> None:
        self.mined, self.name, self._key = mined, name, stream_key
        self.order = lru_cache(maxsize=3)(self._order)
        self.stub = lru_cache(maxsize=4096)(self._stub)
        self.short = lru_cache(maxsize=64)(self._short)

    def _fresh(self, part: Split) -> list[tuple[int, str]]:
        """Questions of a part that no earlier part (test, dev, train) asks, and their texts."""
        texts = [(i, q["part"], padded(q["question"])) for i, q in enumerate(self.mined.outline)]
        earlier = {text for _, split, text in texts if split in _EARLIER[part]}
        return [(i, text) for i, split, text in texts if split == part and text not in earlier]

    def _order(self, part: Split) -> list[int]:
        """Questions of a part in the release's order: each text once, and none that an earlier part has."""
        first: dict[str, int] = {}
        for index, text in self._fresh(part):
            first.setdefault(text, index)
        # one order of a mined set, whichever suite asks it: the first one gave its name
        order = Stream(self._key, "helmet", self.name, part, "order").shuffled(list(first.values()))
        outline = self.mined.outline
        return round_robin_relations(
            order, lambda i: str(outline[i]["relation"]), lambda i: list(outline[i]["answers"])
        )

    @cached_property
    def examples(self) -> list[int]:
        """Questions that may become worked examples: of part train, and asked in no other."""
        return [index for index, _ in self._fresh("train")]

    def group_id(self, index: int) -> str:
        """Name of a question in every row that asks it."""
        question = self.mined.outline[index]
        return f"{self.name}-{question['part']}-{question['question_id']}"

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Question by the name of its group."""
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
        """A question with the first few of its distractors."""
        whole = self.mined.read(index)
        kept = range(len(whole.distractors))[:_KEPT_DISTRACTORS]
        return replace(whole, distractors=picked(whole.distractors, kept))


def picked(passages: MinedPassages, numbers: Iterable[int]) -> MinedPassages:
    """Some of the passages."""
    at = list(numbers)
    columns = {name: [getattr(passages, name)[i] for i in at] for name in MinedPassages.__slots__ if name != "tokens"}
    return MinedPassages(**columns, tokens=[[counts[i] for i in at] for counts in passages.tokens])


def without(question: MinedQuestion, ids: Set[str]) -> MinedQuestion:
    """A question that knows nothing of some passages, by their ids."""

    def left(passages: MinedPassages) -> MinedPassages:
        return picked(passages, (i for i, shown in enumerate(passages.passage_id) if shown not in ids))

    return replace(question, gold=left(question.gold), distractors=left(question.distractors))


def chained(a: MinedPassages, b: MinedPassages) -> MinedPassages:
    """The passages of `a`, then those of `b`."""
    columns: dict[str, Any] = {name: joined(getattr(a, name), getattr(b, name)) for name in MinedPassages.__slots__}
    return MinedPassages(**columns | {"tokens": [joined(x, y) for x, y in zip(a.tokens, b.tokens, strict=True)]})
