"""Tasks over numbers: find one in a long list, follow a long calculation (InfiniteBench's math_find, math_calc; spec/synthetic.md D)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from corpora.records import Part
from generators.pieces import Filling, Strip, closed
from generators.rows import Frame
from generators.synthetic import ranked
from generators.synthetic.family import Family, Kind
from generators.synthetic.numbers_calc import MARGIN, Calc
from generators.synthetic.numbers_stock import ASKED, COUPLES, NEXT, PLANTED, Material, material, stock
from generators.synthetic.oracles import numbers as oracle
from generators.task import Table
from haymaker.params import Section
from haymaker.sample import Sample, Span

_CUE, _NO_SIGN = "Answer:", "math_find@official"  # a metric that reads no sign (spec/synthetic.md D)
_FIND = (
    "Below is a list of whole numbers in no order, no two of them equal. Find the one that is asked for below the list, and "
    "answer with this number alone."
)
_MEDIAN = " The median is the number in the middle of the list when it is sorted; here as many numbers are smaller as are larger."


class FindParams(Section):
    """Knobs of math_find.

    Attributes:
        negative: about half of the numbers are negative; such rows have no official metric, as it reads no sign.
        bins: of equal width, in which the number asked for stands in turn.
    """

    negative: bool = False
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = 10


class Find(Family):
    """One list per group; seven questions in turn."""

    settings_type = FindParams
    paired = frozenset({"bins"})

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """Sorts the list."""
        return oracle.find(prompt)

    def limit(self) -> int:
        """Tokens of all couples that there are, by the text of one number."""
        return 2 * COUPLES * self.tools.tokenizers[0].count_part(" 1234567,")

    def _frame(self, asked: str) -> Frame:
        instruction = _FIND + (_MEDIAN if asked == "median" else "")
        question = f"What is the {asked} number in the list?"
        return self.tools.writer.frame(
            f"{instruction}\n\n<numbers>", f" </numbers>\n\n{question}\n{_CUE}", cue=_CUE,
            spans=[Span(0, len(instruction), "instruction", token_start=0)],
        )  # fmt: skip

    def _material(self, part: Part, group: int) -> Material:
        have = stock(self.tools.release.seed, part, self.settings.negative, tuple(self.tools.tokenizers))
        draws = self.stream(part, group, "below"), self.stream(part, group, "above")
        return material(have, self.stream(part, group, "planted"), draws)

    def row(self, table: Table, group: int, point: int) -> Sample:
        """The list of a group in a bucket."""
        part, asked = table.part, group % PLANTED
        made, frame = self._material(part, group), self._frame(ASKED[asked])
        index, depth = ranked.binned(group, self.settings.bins, self.stream(part, group, "depth"), PLANTED)
        own = int(made.strip(made.positions(0)).tokens[0].sum())

        def fill(budget: int) -> tuple[Strip, Filling]:
            couples = ranked.filling_ranks(made.sizes, COUPLES, budget - own, table)
            positions = made.positions(max(couples, default=-1) + 1)
            pairs = PLANTED + 2 * np.asarray(couples, dtype=np.int64)
            ranks = np.concatenate(
                (np.delete(np.arange(PLANTED), asked), np.stack((pairs, pairs + 1), axis=1).reshape(-1))
            )
            order = ranked.in_drawn_order(ranks, self.stream(part, group, "places"))
            strip = made.strip(positions[ranked.inserted(order, [asked], [depth])])
            return strip, closed(strip, NEXT, self.tools.tokenizers)

        strip, filling, counts = self.tools.writer.fitted(table, frame, fill)
        ranked.demand_full(self.tools.writer, table, counts)
        units, place = len(strip), ranked.slot(depth, len(strip) - 1)
        gold = ranked.Places(strip, frame.start, frame.tokens_before, NEXT).span(place, "gold", ASKED[asked])
        sample = self.tools.writer.sample(
            table, self.group_id(part, group), frame, filling, counts,
            question=f"What is the {ASKED[asked]} number in the list?", answers=[str(made.values[made.planted[asked]])],
            depth=place / (units - 1), depth_index=index, n_units=units, n_unique_units=units, n_distractors=0,
            spans=[gold], stop=["\n"], extra={"asked": ASKED[asked]},
        )  # fmt: skip
        if self.settings.negative:
            sample.metrics = [name for name in sample.metrics if name != _NO_SIGN]
        return sample

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """All numbers but the one asked for."""
        return [(each, 0, 1) for each in _listed(row) if each != row["answers"][0]]

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """A number twice, an even list, the answer not at its span, depth."""
        listed, (answer,) = _listed(row), row["answers"]
        if not len(listed) == len(set(listed)) == row["n_units"] == row["n_unique_units"]:
            yield "a number comes twice, or n_units is not their number"
        if len(listed) % 2 == 0:
            yield "the list has no middle"
        gold = [row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] == "gold"]
        if gold != [answer] or answer not in listed:
            yield "the number asked for is not at its span"
        elif abs(listed.index(answer) / (len(listed) - 1) - row["depth"]) > 1e-6:
            yield "depth is not where the number stands"


def _listed(row: dict[str, Any]) -> list[str]:
    context: str = row["prompt"][row["context_start"] : row["context_end"]]
    return context.strip().split(", ")


KINDS: dict[str, Kind] = {
    "math_find": Kind(
        "Math find (InfiniteBench): the largest, smallest or middle one of many numbers, or one next to it",
        Find, "math", ("math_find@strict", "math_find@official"), 16, "163,000 numbers of a group: about 1.4M tokens",
    ),
    "math_calc": Kind(
        "Math calc (InfiniteBench): every intermediate value of a long calculation; half of the bucket is the answer",
        Calc, "math", ("math_calc@strict", "math_calc@official"), MARGIN, "none: a calculation never ends",
    ),
}  # fmt: skip
