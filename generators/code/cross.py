"""repobench_p: the first line of a file that needs another file, with other files of the project before it (docs/spec/longbench.md 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpora.code.project import Project
from generators.code import checks
from generators.code.base import CodeTask, Filled
from generators.code.lines import Line, cross_file, used_files
from generators.code.stock import CodeStock
from generators.context.units import Units
from generators.spec import Candidate, Row

_STEP = 0x9E3779B97F4A7C15  # golden ratio of 2**64: multiples of it spread evenly (Weyl), in whole numbers
_TENTHS = 10
_NATURAL = 5  # files that a natural row shows, at least


class CrossFile(CodeTask):
    """Other files are the context; the beginning of the file stands behind them, as the reference's input."""

    def asked(self, stock: CodeStock, path: str) -> Line | str:
        return cross_file(stock.project, path)

    def units(self, stock: CodeStock, line: Line) -> Units:
        return stock.units

    def fixed(self, stock: CodeStock, line: Line) -> list[int]:
        return [stock.number[path] for path in line.golds]

    def near(self, stock: CodeStock, line: Line) -> list[str]:
        """The other files that the file uses, in an order of its own."""
        reading = stock.project.reading(line.path)
        used = list(used_files(reading)) if reading else []
        return self.stream(self.spec.name, line.key, "used").shuffled(used)

    def natural_others(self, stock: CodeStock, line: Line, pool: list[int]) -> list[int]:
        """The files that the file uses, as the reference has them, and others where these are few."""
        used = {stock.number[path] for path in self.near(stock, line)}
        near = sum(unit in used for unit in pool)
        return list(range(min(len(pool), max(near, _NATURAL - len(line.golds)))))

    def shares(self, candidate: Candidate, line: Line) -> list[int]:
        """How deep each gold stands, of 2**64; that of the last one is spread evenly over candidates."""
        start = self.stream(self.spec.name, candidate.part, "depths").word()
        others = self.stream(self.spec.name, line.key, "golds")
        return [*(others.word() for _ in line.golds[1:]), (start + candidate.number * _STEP) % (1 << 64)]

    def lay(self, candidate: Candidate, line: Line, others: list[int]) -> list[int]:
        """Golds put in one after the other, the one that decides last."""
        order, stock = list(others), self.stock(candidate.part)
        for unit, share in zip(self.fixed(stock, line), self.shares(candidate, line), strict=True):
            order.insert(share * (len(order) + 1) >> 64, unit)
        return order

    def tail(self, line: Line, beginning: str) -> str:
        return f"\n\n{self.words['unfinished'].format(path=line.path)}\n{beginning}"

    def question(self, line: Line, beginning: str) -> str:
        """The beginning of the file: the reference's input."""
        return beginning

    def columns(self, line: Line, stock: CodeStock, filled: Filled) -> dict[str, Any]:
        place, count = filled.order.index(stock.number[line.golds[-1]]), len(filled.order)
        depth = place / (count - 1) if count > 1 else 0.0
        uses = [{"name": use.name, "path": use.path, "via": list(use.via)} for use in line.uses]
        return {
            "depth": depth, "depth_index": min(_TENTHS - 1, int(depth * _TENTHS)), "n_distractors": count - len(line.golds),
            "extra": {**line.place, "uses": uses, "told": list(line.told)},
        }  # fmt: skip

    def problems(self, row: Row) -> Iterator[str]:
        """And what the line needs is defined in a file that the prompt shows."""
        yield from super().problems(row)
        yield from checks.of_depth(row)
        stored = self.stock(row["part"]).project if self.inputs.are_here(self.uses()) else Project({})
        yield from checks.of_uses(row, stored)
