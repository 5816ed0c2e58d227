"""Follow a long calculation and write down every intermediate value: InfiniteBench's math_calc (docs/spec/synthetic.md D)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, partial
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from generators.context import ranked
from generators.context.checks import context_of, counts, in_order
from generators.context.pieces import Ints, Pieces, closed
from generators.generated.base import GeneratedSettings, GeneratedTask
from generators.generated.rows import framed
from generators.spec import BackgroundUnits, Candidate, Row, Table
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample

_NEXT = ","
_INSTRUCTION = (
    "Below is a calculation. Work through it from left to right and write the value after each step, in order and separated by "
    "commas, and nothing else. For example, the answer for {example}"
)
_EXAMPLE, _SIGNED = "4 + 9 - 5 + 2 is: 13, 8, 10", "4 + 9 - 15 + 2 is: 13, -2, 0"
_CUE = "Values:"
_TERM = re.compile(r"(?:^| [+-]) -?[0-9]+")
MARGIN = 16  # tokens that the answer may have beyond the stored answer


class CalcSettings(GeneratedSettings):
    """Settings of math_calc.

    Attributes:
        low: minimum of every intermediate value. Rows with a negative minimum have no official metric, because it ignores signs.
        high: maximum of every intermediate value. The reference uses 0 to 99 (docs/spec/synthetic.md D).
    """

    low: Annotated[int, Field(strict=True, ge=-999, le=999)] = 0
    high: Annotated[int, Field(strict=True, ge=-999, le=999)] = 99

    @model_validator(mode="after")
    def _apart(self) -> CalcSettings:
        if self.high - self.low < 2:
            raise ValueError("high must be at least low + 2")
        return self


class Calc(GeneratedTask[CalcSettings]):
    """One calculation per group; a longer context continues it and its answer."""

    settings_type = CalcSettings

    @cached_property
    def _pieces(self) -> tuple[Pieces, Pieces, Pieces]:
        """Pieces of first values, of steps (by minus the width to the width), and of values of an answer."""
        values = range(self.settings.low, self.settings.high + 1)
        steps = range(1 - len(values), len(values))  # step 0 is never used
        firsts = Pieces([f" {value}" for value in values], self.inputs.tokenizers)
        shown = Pieces([f" {value}{_NEXT}" for value in values], self.inputs.tokenizers)
        return firsts, Pieces([f" {'-+'[step > 0]} {abs(step)}" for step in steps], self.inputs.tokenizers), shown

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """Calculation and answer fill the length together."""
        writer, (firsts, steps, shown), tokenizers = self.writer, self._pieces, self.inputs.tokenizers
        signed = self.settings.low < 0
        instruction = _INSTRUCTION.format(example=_SIGNED if signed else _EXAMPLE)
        frame = framed(writer, instruction, "<calculation>", f" </calculation>\n\n{_CUE}", cue=_CUE)
        around = frame.tokens + self.release.reserved_template_tokens + MARGIN
        values, changes = self._fitting(candidate, (table.tokens or 0) - around, writer.room(table) - frame.tokens)
        for count in range(len(changes), 1, -1):
            context = (firsts.strip(values[:1]) + steps.strip(changes[:count])).whole()
            answer = closed(shown.strip(values[1 : count + 1]), _NEXT, tokenizers)
            wanted, counts = answer.tokens[0] + MARGIN, writer.count(frame, context.parts())
            if counts[0] <= writer.room(table, wanted):
                break
        else:
            raise BuildError("instruction and answer leave no room", where=table.config, fix="drop the length")
        ranked.check_full(writer, table, counts, wanted)
        return writer.sample(
            table, candidate.key, frame, context, counts, max_new_tokens=wanted,
            question="What is the value after each step?", answers=[answer.text.decode().lstrip()],
            num_segments=count + 1, num_unique_segments=count + 1, num_distractors=0,
            metadata={"steps": count, "low": self.settings.low, "high": self.settings.high},
            variant="signed" if signed else None, metrics=self.spec.metrics[:1] if signed else None,
        )  # fmt: skip

    def _fitting(self, group: Candidate, budget: int, shown_budget: int) -> tuple[Ints, Ints]:
        """Return the places of a group's values and steps in their stocks, as many as fit a budget together with their answer.

        The steps also fit `shown_budget`, the smaller one if a large output is reserved. Values are uniform, neighbours differ.
        """
        draws, (firsts, steps, shown) = partial(self.draws, group.split, group.number), self._pieces
        most = max(budget, 2) // 4  # a step and its value have four tokens or more
        more = draws("steps").bulk(most) % np.uint64(len(shown) - 1) + np.uint64(1)
        values = np.cumsum(np.concatenate(([draws("first").below(len(shown))], more.astype(np.int64)))) % len(shown)
        changes = np.diff(values) + len(shown) - 1
        first, said = firsts.tokens(values[:1]), steps.tokens(changes)
        used, seen = first + np.cumsum(said + shown.tokens(values[1:])), first + np.cumsum(said)
        both = (np.searchsorted(used, budget, side="right"), np.searchsorted(seen, shown_budget, side="right"))
        return values, changes[: int(min(both))]

    def background(self, row: Row) -> BackgroundUnits:
        return _TERM.findall(context_of(row))

    def problems(self, row: Row) -> Iterator[str]:
        left = row["max_new_tokens"] - self.inputs.tokenizers[0].count_part(f" {row['answers'][0]}")
        yield from in_order(row) if left == MARGIN else super().problems(row)  # half of a row is tokenized only once
        values = [int(value) for value in row["answers"][0].split(", ")]
        if not all(self.settings.low <= value <= self.settings.high for value in values):
            yield "an intermediate value is out of range"
        if any(a == b for a, b in pairwise(values)):
            yield "a step changes nothing"
        units = _TERM.findall(context_of(row))
        if len(units) != len(values) + 1:
            yield "the number of values is not the number of steps"
        yield from counts(row, units, len(units))
        if left != MARGIN:
            yield "the output budget is not the tokens of the answer plus the margin"
