"""lcc: a line of one long file, with all of the file above it; in longer rows behind other files (docs/spec/longbench.md 2.5)."""

from __future__ import annotations

from typing import Any

from generators.code.base import CodeTask, Filled
from generators.code.lines import Line, in_file
from generators.code.stock import CodeStock
from generators.context.units import Units
from generators.spec import Candidate


class OneFile(CodeTask):
    """The beginning of the file is the last unit of the context."""

    def asked(self, stock: CodeStock, path: str) -> Line | str:
        return in_file(stock.project, path, self.stream(self.spec.name, path, "line"))

    def units(self, stock: CodeStock, line: Line) -> Units:
        return stock.with_beginning(line.path, self.beginning(stock, line))

    def fixed(self, stock: CodeStock, line: Line) -> list[int]:
        return [len(stock)]

    def natural_others(self, stock: CodeStock, line: Line, pool: list[int]) -> list[int]:
        return []

    def lay(self, candidate: Candidate, line: Line, others: list[int]) -> list[int]:
        return [*others, *self.fixed(self.stock(candidate.part), line)]

    def tail(self, line: Line, beginning: str) -> str:
        return "\n"

    def question(self, line: Line, beginning: str) -> str:
        """The request, where the reference's input is empty."""
        return str(self.words["request"]).format(path=line.path)

    def columns(self, line: Line, stock: CodeStock, filled: Filled) -> dict[str, Any]:
        return {"n_distractors": len(filled.order) - 1, "extra": line.place}
