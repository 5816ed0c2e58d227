"""Tasks over numbers: find one in a long list, follow a long calculation (InfiniteBench's math_find, math_calc;
docs/spec/synthetic.md D).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated

from pydantic import Field

from generators.context import ranked
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSpec
from generators.synthetic.base import GENERATED_SKIPS, GeneratedSettings
from generators.synthetic.listed import ListTask
from generators.synthetic.numbers_calc import MARGIN, Calc
from generators.synthetic.numbers_stock import COUPLES, TARGET_COUNT, TARGETS, Numbers, stock
from generators.synthetic.oracles import numbers as oracle
from generators.synthetic.rows import CUE, context_of, framed, is_at_depth, marked
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

_NO_SIGN = "math_find@official"  # a metric that reads no sign (docs/spec/synthetic.md D)
_FIND = (
    "Below is a list of whole numbers in no particular order, no two of them equal. Find the number that the question below the "
    "list asks for, and answer with that number alone."
)
_MEDIAN = " The median is the number in the middle of the list once it is sorted: as many numbers are smaller than it as are larger."


class FindSettings(GeneratedSettings):
    """Knobs of math_find.

    Attributes:
        negative: about half of the numbers are negative; such rows have no official metric, as it reads no sign.
        bins: of equal width, in which the number asked for stands in turn.
    """

    negative: bool = False
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = 10

    def title_words(self) -> Mapping[str, object]:
        """What the numbers are."""
        return {"numbers": "many numbers, half of them negative," if self.negative else "many numbers,"}


class Find(ListTask[FindSettings]):
    """One list per group; seven questions in turn."""

    settings_type = FindSettings
    paired = frozenset({"bins"})

    def limit(self, part: Split = "test") -> int:
        """Tokens of all couples that there are, by the text of one number."""
        return 2 * COUPLES * self.inputs.tokenizers[0].count_part(" 1234567,")

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The list of a group in a bucket."""
        part, group, target = candidate.part, candidate.number, candidate.number % TARGET_COUNT
        have = stock(self.release.stream_key, part, self.settings.negative, tuple(self.inputs.tokenizers))
        numbers, what = Numbers(have, target, partial(self.draws, part, group)), TARGETS[target]
        question = f"What is the {what} number in the list?"
        instruction = _FIND + (_MEDIAN if what == "median" else "")
        frame = framed(self.writer, instruction, "<numbers>", f" </numbers>\n\n{question}\n{CUE}")
        index, depth = ranked.binned(group, self.settings.bins, self.draws(part, group, "depth"), TARGET_COUNT)
        [columns] = self.fitted(table, candidate, frame, numbers, [[depth]])
        return self.writer.sample(
            table, candidate.key, **columns, question=question, answers=[numbers.number(target)],
            depth_index=index, n_distractors=0, extra={"asked": what},
            metrics=[name for name in self.spec.metrics if not (self.settings.negative and name == _NO_SIGN)],
        )  # fmt: skip

    def background(self, row: Row) -> BackgroundUnits:
        """All numbers but the one asked for."""
        return [each for each in _listed(row) if each != row["answers"][0]]

    def problems(self, row: Row) -> Iterator[str]:
        """A number twice, an even list, the answer not at its span, depth."""
        yield from super().problems(row)
        listed, (answer,) = _listed(row), row["answers"]
        if not len(listed) == len(set(listed)) == row["n_units"] == row["n_unique_units"]:
            yield "a number comes twice, or n_units is not their number"
        if len(listed) % 2 == 0:
            yield "the list has no middle"
        if marked(row, "gold") != [answer] or answer not in listed:
            yield "the number asked for is not at its span"
        elif not is_at_depth(row, listed.index(answer), len(listed)):
            yield "depth is not where the number stands"


def _listed(row: Row) -> list[str]:
    return context_of(row).strip().split(", ")


TASKS = (
    TaskSpec(
        "math_find", Find, "Math find (InfiniteBench): the largest, smallest or middle one of {numbers} or one next to it",
        "math", ("math_find@strict", "math_find@official"), 16, version=2, solver=oracle.find, ends="163,000 numbers of a group: about 1.4M tokens",
        stop=("\n",), skips=GENERATED_SKIPS,
    ),
    TaskSpec(
        "math_calc", Calc,
        "Math calc (InfiniteBench): every intermediate value, {low} to {high}, of a long calculation; half of the bucket is the answer",
        "math", ("math_calc@strict", "math_calc@official"), MARGIN, version=2, solver=oracle.calculate, ends="none: a calculation never ends",
        stop=("\n",), skips=GENERATED_SKIPS,
    ),
)  # fmt: skip
