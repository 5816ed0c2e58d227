"""Common words: which words stand most often in a numbered list (RULER's cwe, spec/synthetic.md A1, A3).

The words of a group have ranks, the common ones first; each item has a place drawn by its number. A longer list holds the items
of a shorter one in the same order, and more words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from corpora.records import Part
from corpora.tokenizer import Tokenizer
from generators.pieces import Filling, flush
from generators.rows import Frame
from generators.synthetic.counting_frame import SEAM, example, framed
from generators.synthetic.counting_stock import Numerals, Order, Stock, scattered
from generators.synthetic.family import Family
from generators.synthetic.oracles import counting as oracle
from generators.synthetic.parts import own
from generators.synthetic.ranked import filling_ranks
from generators.synthetic.vocabulary import compounds
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.params import Section
from haymaker.sample import Sample

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

INSTRUCTION = (
    "Below is a numbered list of words. A few words stand in it many times, all others far less often. You will be "
    "asked for the words that stand in it most often. Write these words alone on one line, without numbers, separated by commas."
)
_EXAMPLE_ASKED, _EXAMPLE_TIMES, _EXAMPLE_OTHERS = 4, 4, 6
_EXAMPLE = _EXAMPLE_ASKED + _EXAMPLE_OTHERS  # words that the example takes of the group's order
_WORDS = 1 << 19  # compounds: lists of more than ten million tokens


class CommonSettings(Section):
    """Knobs of cwe.

    Attributes:
        asked: common words.
        common: times that each of them stands in the list.
        uncommon: times that each other word does.
    """

    asked: Annotated[int, Field(strict=True, ge=1, le=40)] = 10
    common: Annotated[int, Field(strict=True, ge=2, le=1000)] = 30
    uncommon: Annotated[int, Field(strict=True, ge=1, le=500)] = 3

    @model_validator(mode="after")
    def _apart(self) -> CommonSettings:
        if self.common < 2 * self.uncommon:
            raise ValueError("common words must stand in the list at least twice as often as uncommon ones")
        return self


class CommonWords(Family):
    """Rows of cwe: a numbered list in which some words stand far more often than the others.

    Differs from RULER: one kind of words at every length, so no gap where a second list begins (A5 #5); places are drawn per
    group (A5 #2); a shorter worked example, so that 4k holds it; more room for the answer (A5 #13).
    """

    settings_type = CommonSettings
    paired = frozenset({"common", "uncommon"})
    settings: CommonSettings

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._numerals = Numerals(self.tools.tokenizers)

    def row(self, table: Table, group: int, point: int) -> Sample:
        """The row of a group in a bucket; a group has one point.

        Raises:
            BuildError: the bucket is too short for so many common words.
        """
        writer, tokenizers, part, asked = self.tools.writer, self.tools.tokenizers, table.part, self.settings.asked
        stock = _words(self.tools.release.seed, part, tuple(tokenizers))
        order = Order(stock, lambda block: self.stream(part, group, f"words {block}"))
        first = order.first(_EXAMPLE + asked).tolist()
        names = sorted(order.pieces().texts[i].strip() for i in first[_EXAMPLE:])
        wanted = max(self.plan.kind.max_new_tokens, 2 * tokenizers[0].count_part(", ".join(names)))
        question = _question(asked)
        frame = self._frame(part, group, [order.pieces().texts[i].strip() for i in first[:_EXAMPLE]], question)

        def fill(budget: int) -> tuple[Ints, Filling]:
            units = self._units(order, budget - SEAM, table)
            return units, flush(self._listed(order, units, part, group), tokenizers)

        units, filling, counts = writer.fitted(table, frame, fill, wanted)
        others = len(units) - asked
        return writer.sample(
            table, self.group_id(part, group), frame, filling, counts,
            question=question, answers=[", ".join(names)], answer_groups=[[name] for name in names],
            extra={"common": self.settings.common, "uncommon": self.settings.uncommon}, max_new_tokens=wanted,
            n_units=self.settings.common * asked + self.settings.uncommon * others, n_unique_units=len(units),
        )  # fmt: skip

    def _units(self, order: Order, budget: int, table: Table) -> Ints:
        """Words of the list by their rank in the group's order, the common ones first, that fill the budget."""
        asked, uncommon = self.settings.asked, self.settings.uncommon
        fixed = asked * self.settings.common
        first = int(order.tokens(_EXAMPLE + asked)[_EXAMPLE:].sum()) * self.settings.common

        def sizes(count: int) -> Ints:
            """An uncommon word's items, numbered as if none before it were passed over."""
            numerals = self._numerals.sums(fixed + uncommon * count)[fixed::uncommon]
            return uncommon * order.tokens(_EXAMPLE + asked + count)[_EXAMPLE + asked :] + np.diff(numerals)

        left = budget - first - int(self._numerals.sums(fixed)[fixed])
        ranks = filling_ranks(sizes, order.most - _EXAMPLE - asked, max(0, left), table)
        if len(ranks) < asked:
            raise BuildError(
                f"{fixed:,} items of common words leave room for {len(ranks)} others, fewer than are asked for",
                where=table.config, fix="make `common` smaller or drop the bucket",
            )  # fmt: skip
        return np.concatenate((np.arange(asked), np.asarray(ranks, dtype=np.int64) + asked))

    def _listed(self, order: Order, units: Ints, part: str, group: int) -> Filling:
        """The numbered list of these words."""
        asked, common, uncommon = self.settings.asked, self.settings.common, self.settings.uncommon
        fixed = asked * common
        later = fixed + ((units[asked:, None] - asked) * uncommon + np.arange(uncommon)).ravel()
        items = scattered(np.concatenate((np.arange(fixed), later)), self.stream(part, group, "places"))
        ranks = np.where(items < fixed, items // common, (items - fixed) // uncommon + asked)
        words = order.pieces().strip(order.first(_EXAMPLE + int(units[-1]) + 1)[_EXAMPLE:][ranks])
        strip = self._numerals.strip(len(items)).beside(words)
        tokens = tuple(int(sizes.sum()) for sizes in strip.tokens)
        return Filling(strip.text(), tokens, int(strip.characters.sum()), int(strip.words.sum()))

    def _frame(self, part: str, group: int, words: Sequence[str], question: str) -> Frame:
        """Instruction, worked example, question."""
        common, others = list(words[:_EXAMPLE_ASKED]), words[_EXAMPLE_ASKED:]
        shown = self.stream(part, group, "example").shuffled([*common * _EXAMPLE_TIMES, *others])
        listed = " ".join(f"{n}. {word}" for n, word in enumerate(shown, start=1))
        demo = example(listed, _question(_EXAMPLE_ASKED), ", ".join(sorted(common)))
        return framed(self.tools, INSTRUCTION, demo, "list", question)

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """The most common words of the list, in alphabetical order."""
        return oracle.common(prompt)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Numbers that do not run from 1; words that stand in the list more or less often than they should."""
        items = row["prompt"][row["context_start"] : row["context_end"]].split(" ")
        if items[::2] != [f"{n}." for n in range(1, len(items) // 2 + 1)]:
            yield "items are not numbered 1, 2, 3 ..."
        times, said = json.loads(row["extra"]), Counter(items[1::2])
        common = {name for names in row["answer_groups"] for name in names}
        for word, count in said.items():
            if count != (wanted := times["common" if word in common else "uncommon"]):
                yield f"{word} stands {count} times in the list, not {wanted}"
        if not common <= said.keys():
            yield "a common word does not stand in the list"

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """The words in order, without their numbers, which change with the length."""
        return [(word, 0, 1) for word in row["prompt"][row["context_start"] : row["context_end"]].split(" ")[1::2]]


@lru_cache(maxsize=3)
def _words(seed: int, part: Part, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """One for all entries of a release."""
    return Stock(lambda count: own(lambda many: compounds(many, seed, "cwe"), count, part), _WORDS, tokenizers)


def _question(asked: int) -> str:
    return (
        f"Which {asked} words stand in the list most often?"
        if asked > 1
        else "Which word stands in the list most often?"
    )
