"""Follow a long calculation and say every intermediate value: InfiniteBench's math_calc (spec/synthetic.md D)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from generators.pieces import Filling, Pieces, Strip, closed
from generators.rows import Frame
from generators.synthetic import ranked
from generators.synthetic.family import Family
from generators.synthetic.oracles import numbers as oracle
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.params import Section
from haymaker.sample import Sample, Span

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

NEXT = ","
_INSTRUCTION = (
    "Below is a calculation. Work through it from left to right and write down the value after each step, in order and "
    "separated by commas, with nothing else. For 4 + 9 - 15 + 2 this would be: 13, -2, 0"
)
_CUE = "Values:"
MARGIN = 16  # tokens of the answer's room beyond the stored answer


class CalcParams(Section):
    """Knobs of math_calc.

    Attributes:
        low, high: every intermediate value lies between them; at most 999 (spec/synthetic.md D: the reference has 0 and 99).
    """

    low: Annotated[int, Field(strict=True, ge=-999, le=999)] = -99
    high: Annotated[int, Field(strict=True, ge=-999, le=999)] = 99

    @model_validator(mode="after")
    def _apart(self) -> CalcParams:
        if self.high - self.low < 2:
            raise ValueError("high must be at least low + 2")
        return self


class Calc(Family):
    """One calculation per group; a longer context continues it, and with it the answer."""

    settings_type = CalcParams

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._begun = lru_cache(maxsize=1)(self._values)

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """Adds up."""
        return oracle.calculate(prompt)

    @cached_property
    def _steps(self) -> Pieces:
        """Every step by what it changes, from minus the width to the width; the one of 0 is never used."""
        width = self.settings.high - self.settings.low
        return Pieces([f" {'-+'[step > 0]} {abs(step)}" for step in range(-width, width + 1)], self.tools.tokenizers)

    @cached_property
    def _shown(self) -> Pieces:
        """Every value as it stands in an answer."""
        texts = [f" {value}{NEXT}" for value in range(self.settings.low, self.settings.high + 1)]
        return Pieces(texts, self.tools.tokenizers)

    @cached_property
    def _firsts(self) -> Pieces:
        """Every value as it may begin a calculation."""
        return Pieces(
            [f" {value}" for value in range(self.settings.low, self.settings.high + 1)], self.tools.tokenizers
        )

    def _values(self, part: str, group: int, count: int) -> Ints:
        """The first value and `count` intermediate ones, less `low`: uniform, never twice the same in a row."""
        width = self.settings.high - self.settings.low + 1
        first = self.stream(part, group, "first").below(width)
        steps = self.stream(part, group, "steps").bulk(count) % np.uint64(width - 1) + np.uint64(1)
        values: Ints = (first + np.concatenate(([0], np.cumsum(steps.astype(np.int64))))) % width
        return values

    def row(self, table: Table, group: int, point: int) -> Sample:
        """The calculation of a group, as long as it and its answer fit the bucket together.

        Raises:
            BuildError: no room for two steps.
        """
        writer, tokenizers = self.tools.writer, self.tools.tokenizers
        frame = writer.frame(
            f"{_INSTRUCTION}\n\n<calculation>", f" </calculation>\n\n{_CUE}", cue=_CUE,
            spans=[Span(0, len(_INSTRUCTION), "instruction", token_start=0)],
        )  # fmt: skip
        steps, values = self._fitting(table, group, frame)
        while steps >= 2:
            strip = self._strip(values[: steps + 1])
            filling, answer = closed(strip, "", tokenizers), self._answer(values[1 : steps + 1])
            wanted, counts = answer.tokens[0] + MARGIN, writer.count(frame, filling)
            if counts[0] <= writer.room(table, wanted):
                break
            steps -= 1
        else:
            raise BuildError("instruction and answer leave no room", where=table.config, fix="drop the bucket")
        ranked.demand_full(writer, table, counts, wanted)
        return writer.sample(
            table, self.group_id(table.part, group), frame, filling, counts, max_new_tokens=wanted,
            question="What is the value after each step?", answers=[answer.text.decode().lstrip()],
            n_units=steps + 1, n_unique_units=steps + 1, n_distractors=0,
            stop=["\n"], extra={"steps": steps, "low": self.settings.low, "high": self.settings.high},
        )  # fmt: skip

    def _fitting(self, table: Table, group: int, frame: Frame) -> tuple[int, Ints]:
        """(steps that fit by their sums, enough values of the group)."""
        budget = self.tools.writer.room(table, MARGIN) - frame.heads[0].tokens - frame.tails[0].tokens
        values = self._begun(table.part, group, max(budget, 2) // 4)  # a step and its value have four tokens or more
        step, shown, width = self._steps.tokens, self._shown.tokens, self.settings.high - self.settings.low
        used = np.cumsum(step(np.diff(values) + width) + shown(values[1:]))
        first = int(self._firsts.tokens(values[:1])[0])
        return bisect_right(used.astype(np.int64).data, budget - first), values

    def _strip(self, values: Ints) -> Strip:
        """First value and steps."""
        return self._firsts.strip(values[:1]) + self._steps.strip(
            np.diff(values) + self.settings.high - self.settings.low
        )

    def _answer(self, values: Ints) -> Filling:
        """All values in order, as they follow the cue."""
        return closed(self._shown.strip(values), NEXT, self.tools.tokenizers)

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """The first number and the steps."""
        context = row["prompt"][row["context_start"] : row["context_end"]]
        return [(step, 0, 1) for step in re.findall(r"(?:^| [+-]) -?[0-9]+", context)]

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """A value out of range, a step that changes nothing, steps that are not counted, room that the answer does not have."""
        values = [int(value) for value in row["answers"][0].split(", ")]
        if not all(self.settings.low <= value <= self.settings.high for value in values):
            yield "an intermediate value is out of range"
        if any(a == b for a, b in pairwise(values)):
            yield "a step changes nothing"
        if not row["n_units"] == len(self.background(row)) == len(values) + 1:
            yield "there is not one value a step, or n_units is not their number"
        if row["max_new_tokens"] - self.tools.tokenizers[0].count_part(f" {row['answers'][0]}") != MARGIN:
            yield "the room for the answer is not its tokens and the margin"
