"""Follow calls through a long file of one-line functions: InfiniteBench's code_run (spec/synthetic.md D)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from corpora.records import Part
from generators.pieces import Filling, Strip, closed
from generators.synthetic import ranked
from generators.synthetic.code_stock import NEXT, POOL, Material, stock
from generators.synthetic.family import Family, Kind
from generators.synthetic.oracles import code as oracle
from generators.task import Table
from haymaker.params import Section
from haymaker.sample import Sample, Span

_OPEN, _CUE, _MOST = "def", "Answer:", 10
_INSTRUCTION = (
    "Below is a Python file of short functions; a function may call another one of the file. Work out what the call that is "
    "named after the file returns, and answer with this whole number alone."
)
_LINE = re.compile(r"def (\w+)\(x\): return (?:(\w+)\(x\)|x) [+-] \d+")


class CodeParams(Section):
    """Knobs of code_run.

    Attributes:
        layers: functions from the asked call to the last one; groups take these numbers in turn.
        bins: of equal width, in which the function asked for stands in turn.
    """

    layers: Annotated[tuple[Annotated[int, Field(strict=True, ge=1, le=40)], ...], Field(min_length=1)] = (
        2,
        4,
        6,
        8,
        10,
    )
    bins: Annotated[int, Field(strict=True, ge=1, le=100)] = _MOST


class Code(Family):
    """One file per group; the called functions stand at drawn depths, the first one in the group's bin."""

    settings_type = CodeParams
    paired = frozenset({"bins"})

    @classmethod
    def solve(cls, prompt: str) -> list[str]:
        """Parses the file and follows the calls."""
        return oracle.run(prompt)

    def limit(self) -> int:
        """Tokens of all functions that there are, by the text of one."""
        return POOL * self.tools.tokenizers[0].count_part(" calm_lamp(x): return brisk_otter(x) + 7\ndef") * 9 // 10

    def _material(self, part: Part, group: int) -> Material:
        have, layers = stock(self.tools.release.seed, part, tuple(self.tools.tokenizers)), self.settings.layers
        return Material(
            have, layers[group % len(layers)], self.stream(part, group, "names"),
            self.stream(part, group, "calls"), self.stream(part, group, "adds"),
        )  # fmt: skip

    def _depths(self, part: str, group: int, layers: int) -> tuple[int, list[float]]:
        """(bin, depths of the asked chain): the first in the group's bin, the others anywhere."""
        draws = self.stream(part, group, "depths")
        index, first = ranked.binned(group, self.settings.bins, draws, len(self.settings.layers))
        return index, [first, *(draws.unit() for _ in range(layers - 1))]

    def row(self, table: Table, group: int, point: int) -> Sample:
        """The file of a group in a bucket."""
        part, writer = table.part, self.tools.writer
        made = self._material(part, group)
        layers, chain = made.layers, made.chain()
        index, depths = self._depths(part, group, layers)
        value = self.stream(part, group, "argument").between(-10, 10)
        asked = f"What does {chain[0]}({value}) return?"
        frame = writer.frame(
            f"{_INSTRUCTION}\n\n<code>\n{_OPEN}", f"\n</code>\n\n{asked}\n{_CUE}", cue=_CUE, opener=_OPEN,
            spans=[Span(0, len(_INSTRUCTION), "instruction", token_start=0)],
        )  # fmt: skip
        own = int(made.strip(0).tokens[0].sum())

        def fill(budget: int) -> tuple[tuple[Strip, list[int]], Filling]:
            others = ranked.filling_ranks(made.sizes, made.most, budget - own, table)
            strip = made.strip(max(others, default=-1) + 1)
            ranks = [*range(layers, made.fixed), *(made.fixed + rank for rank in others)]
            order = ranked.in_drawn_order(ranks, self.stream(part, group, "places"))
            order = ranked.inserted(order, range(layers), depths)
            where = {int(order[i]): int(i) for i in np.flatnonzero(order < layers)}
            strip = strip.ordered(order)
            return (strip, [where[rank] for rank in range(layers)]), closed(strip, NEXT, self.tools.tokenizers)

        (strip, at), filling, counts = writer.fitted(table, frame, fill)
        ranked.demand_full(writer, table, counts)
        units, places = len(strip), ranked.Places(strip, frame.start, frame.tokens_before, NEXT)
        spans = [places.span(at[rank], "gold", f"call:{rank}") for rank in sorted(range(layers), key=at.__getitem__)]
        return writer.sample(
            table, self.group_id(part, group), frame, filling, counts,
            question=asked, answers=[str(value + int(made.added(layers).sum()))],
            depth=at[0] / (units - 1), depth_index=index, n_units=units, n_unique_units=units, n_distractors=units - layers,
            spans=spans, stop=["\n"], extra={"layers": layers, "calls": chain},
        )  # fmt: skip

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """All functions but those of the asked chain."""
        golds = {row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] == "gold"}
        return [(line, 0, 1) for line in _lines(row) if line.removeprefix("def ") not in golds]

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """A line of another form, a name twice, a call of nothing, the chain not at its spans, depth."""
        lines = _lines(row)
        found = [_LINE.fullmatch(line) for line in lines]
        if not all(found):
            yield "a line is not a function as all others"
            return
        calls = {line[1]: line[2] for line in found if line}
        if not len(lines) == len(calls) == row["n_units"] == row["n_unique_units"]:
            yield "a name is defined twice, or n_units is not their number"
        if missing := {callee for callee in calls.values() if callee} - calls.keys():
            yield f"{len(missing)} functions are called and not defined, e.g. {min(missing)}"
        asked = row["question"].removeprefix("What does ").split("(")[0]
        chain = [asked]
        while (callee := calls.get(chain[-1])) and len(chain) < len(calls):
            chain.append(callee)
        golds = {
            span["ref"]: row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] == "gold"
        }
        if [golds.get(f"call:{i}", "").split("(")[0] for i in range(len(golds))] != chain:
            yield "the functions called are not at their spans"
        elif abs(list(calls).index(asked) / (len(lines) - 1) - row["depth"]) > 1e-6:
            yield "depth is not where the function asked for stands"
        if row["n_distractors"] != len(lines) - len(chain):
            yield "n_distractors is not the number of other functions"


def _lines(row: dict[str, Any]) -> list[str]:
    lines: list[str] = row["prompt"][row["context_start"] : row["context_end"]].split("\n")
    return lines


KINDS: dict[str, Kind] = {
    "code_run": Kind(
        "Code run (InfiniteBench): what a function returns that calls others, two to ten deep, among thousands",
        Code, "code", ("code_run@strict", "code_run@official"), 16, "131,072 names of a release: about 2M tokens",
    ),
}  # fmt: skip
