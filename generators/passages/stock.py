"""What a mined set holds, read no further than needed: golds and sizes of thousands of questions, texts of one at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from corpora.mined import Mined, MinedPassages, MinedQuestion
from corpora.records import Part
from haymaker.errors import CorpusError
from haymaker.rng import Stream
from haymaker.text import padded

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_KEPT_DISTRACTORS = 32  # of a question that may become a worked example
_EARLIER: dict[str, tuple[Part, ...]] = {"test": (), "dev": ("test",), "train": ("test", "dev")}


@dataclass(frozen=True, slots=True)
class Stub:
    """A question without its distractors.

    Attributes:
        question: `distractors` is empty.
        sizes: release tokens of its distractors, in order; compact, since thousands of stubs are kept.
    """

    question: MinedQuestion
    sizes: array[int]


class Stock:
    """One mined set.

    Args:
        mined: the file.
        name: of the set in the parameters.
        tokenizers: fingerprints of the release's, in order.
        seed: of the release; decides the order of questions.

    Raises:
        CorpusError: the set was not counted with these tokenizers.
    """

    def __init__(self, mined: Mined, name: str, tokenizers: list[str], seed: int) -> None:
        if mined.tokenizers != tokenizers:
            raise CorpusError(
                f"counted with {', '.join(mined.tokenizers)}, the release has {', '.join(tokenizers)}",
                where=str(mined.path), fix="haymaker run mines it again",
            )  # fmt: skip
        self.mined, self.name, self._seed = mined, name, seed
        self.whole = lru_cache(maxsize=1)(mined.read)  # the rows of a group stand side by side
        self.stub = lru_cache(maxsize=4096)(self._stub)
        self.short = lru_cache(maxsize=64)(self._short)

    @cached_property
    def sources(self) -> list[str]:
        """Names of the sources of questions and passages."""
        return sorted(self.mined.meta["sources"])

    @property
    def corpus(self) -> str | None:
        """Name of the corpus of passages."""
        name: str | None = self.mined.meta.get("params", {}).get("passages")
        return name

    def order(self, part: Part) -> list[int]:
        """Questions of a part in the release's order: each text once, and none that an earlier part (test, dev, train) has."""
        outline = self.mined.outline
        seen = {padded(q["question"]) for q in outline if q["part"] in _EARLIER[part]}
        kept = []
        for index, question in enumerate(outline):
            text = padded(question["question"])
            if question["part"] == part and text not in seen:
                kept.append(index)
                seen.add(text)
        return Stream(self._seed, "helmet", self.name, part, "order").shuffled(kept)

    def group_id(self, index: int) -> str:
        """Name of a question in every row that asks it."""
        question = self.mined.outline[index]
        return f"{self.name}-{question['part']}-{question['question_id']}"

    @cached_property
    def _file(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(self.mined.path)

    def _stub(self, index: int) -> Stub:
        rows = self._file.read_row_group(index, columns=["gold", "distractors.list.element.tokens"])
        counts = rows["distractors"].combine_chunks().flatten().field("tokens").flatten().to_pylist()
        width = len(self.mined.tokenizers)
        structs = rows["gold"].to_pylist()[0]
        columns = {name: [each[name] for each in structs] for name in MinedPassages.__slots__}
        columns["tokens"] = [[sizes[j] for sizes in columns["tokens"]] for j in range(width)]
        return Stub(self._question(index, MinedPassages(**columns)), array("i", counts[::width]))

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Question by the name of its group."""
        return {self.group_id(i): i for i in range(len(self.mined.outline))}

    @cached_property
    def train_ids(self) -> frozenset[str]:
        """Questions that worked examples come from."""
        return frozenset(q["question_id"] for q in self.mined.outline if q["part"] == "train")

    def _question(self, index: int, gold: MinedPassages) -> MinedQuestion:
        known = {field.name for field in fields(MinedQuestion)} - {"gold", "distractors", "removed"}
        outline = {key: value for key, value in self.mined.outline[index].items() if key in known}
        return MinedQuestion(**outline, gold=gold, distractors=first(gold, 0), removed={})

    def _short(self, index: int) -> MinedQuestion:
        """A question with the first few of its distractors."""
        whole = self.mined.read(index)
        return replace(whole, distractors=first(whole.distractors, _KEPT_DISTRACTORS))


def first(passages: MinedPassages, count: int) -> MinedPassages:
    """The first `count` passages."""
    return picked(passages, range(min(count, len(passages))))


def picked(passages: MinedPassages, numbers: Iterable[int]) -> MinedPassages:
    """Some of the passages."""
    numbers = list(numbers)
    columns = {
        name: [getattr(passages, name)[i] for i in numbers] for name in MinedPassages.__slots__ if name != "tokens"
    }
    return MinedPassages(**columns, tokens=[[counts[i] for i in numbers] for counts in passages.tokens])


def without(question: MinedQuestion, ids: Set[str]) -> MinedQuestion:
    """A question that knows nothing of some passages, by their ids."""

    def left(passages: MinedPassages) -> MinedPassages:
        return picked(passages, (i for i, shown in enumerate(passages.passage_id) if shown not in ids))

    return replace(question, gold=left(question.gold), distractors=left(question.distractors))


def chained(a: MinedPassages, b: MinedPassages) -> MinedPassages:
    """The passages of `a`, then those of `b`."""
    columns = {name: getattr(a, name) + getattr(b, name) for name in MinedPassages.__slots__}
    return MinedPassages(**columns | {"tokens": [x + y for x, y in zip(a.tokens, b.tokens, strict=True)]})
