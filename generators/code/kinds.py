"""The two kinds of tasks over source code: they choose the line and the order of the files (docs/spec/longbench.md 2.5).

Both kinds have the same methods; generators/code/task.py calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from corpora.code.project import Project
from generators.code import checks
from generators.code.lines import Line, cross_file, in_file
from generators.code.stock import CodeStock
from generators.context.ranked import even_share
from generators.context.units import Units
from generators.spec import Candidate, Row
from haymaker.core.rng import Stream

_TENTHS = 10
Draws: TypeAlias = Callable[..., Stream]


class Target(NamedTuple):
    """A line to complete, with its candidate, the files of its split, and the random streams of the task by key."""

    candidate: Candidate
    line: Line
    stock: CodeStock
    draws: Draws


class OneFile:
    """lcc: a line of one long file. The beginning of the file is the last unit of the context."""

    natural = 0  # fewest files in a row of natural length; the files that `near` returns are always included

    def line(self, stock: CodeStock, path: str, draws: Draws) -> Line | str:
        """Return the line of a file to complete, or why there is none."""
        return in_file(stock.project, path, draws(path, "line"))

    def units(self, target: Target) -> tuple[Units, list[int]]:
        """Return the units of contexts, and the numbers of the units in every row."""
        return target.stock.with_beginning(target.line), [len(target.stock)]

    def near(self, target: Target) -> list[str]:
        """Return the files that longer rows take first."""
        return []

    def laid(self, target: Target, fixed: list[int], others: list[int]) -> list[int]:
        """Return the units of a row in order; the units in `others` keep their order."""
        return [*others, *fixed]

    def texts(self, target: Target, words: Mapping[str, str]) -> tuple[str, str]:
        """Return the text between context and cue, and the question (in the reference, the input is empty)."""
        return "\n", words["request"].format(path=target.line.path)

    def columns(self, target: Target, order: list[int]) -> dict[str, Any]:
        """Return the columns of a row that depend on the kind."""
        return {"num_distractors": len(order) - 1, "metadata": target.line.place}

    def problems(self, row: Row, stored: Project) -> Iterator[str]:
        """Yield problems of a row that only this kind can have."""
        return iter(())


class CrossFile:
    """repobench_p: the first line of a file that needs another file. The beginning of the file follows the other files."""

    natural = 5

    def line(self, stock: CodeStock, path: str, draws: Draws) -> Line | str:
        return cross_file(stock.project, path)

    def units(self, target: Target) -> tuple[Units, list[int]]:
        return target.stock.units, [target.stock.number[path] for path in target.line.golds]

    def near(self, target: Target) -> list[str]:
        """Return the other files that the file uses."""
        reading = target.stock.project.reading(target.line.path)
        used = dict.fromkeys(use.path for use in reading.uses) if reading else ()
        return target.draws(target.line.key, "used").shuffled(list(used))

    def laid(self, target: Target, fixed: list[int], others: list[int]) -> list[int]:
        """Insert the needed files one by one. The depth of the last one is spread evenly over candidates."""
        order, start = list(others), target.draws(target.candidate.split, "depths").word()
        draws, last = target.draws(target.line.key, "golds"), even_share(start, target.candidate.number)
        for unit, share in zip(fixed, [*(draws.word() for _ in fixed[1:]), last], strict=True):
            order.insert(share * (len(order) + 1) >> 64, unit)
        return order

    def texts(self, target: Target, words: Mapping[str, str]) -> tuple[str, str]:
        """Use the beginning of the file as the question, as the reference does."""
        beginning = target.stock.beginning(target.line)
        return f"\n\n{words['unfinished'].format(path=target.line.path)}\n{beginning}", beginning

    def columns(self, target: Target, order: list[int]) -> dict[str, Any]:
        line, count = target.line, len(order)
        depth = order.index(target.stock.number[line.golds[-1]]) / (count - 1) if count > 1 else 0.0
        uses = [{"name": use.name, "path": use.path, "via": list(use.via)} for use in line.uses]
        return {
            "depth": depth, "depth_index": min(_TENTHS - 1, int(depth * _TENTHS)), "num_distractors": count - len(line.golds),
            "metadata": {**line.place, "uses": uses, "told": list(line.told)},
        }  # fmt: skip

    def problems(self, row: Row, stored: Project) -> Iterator[str]:
        return checks.of_uses(row, stored)
