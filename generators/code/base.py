"""Rows of source code: what both tasks have in common (docs/spec/longbench.md 2.5).

Files are units and stand whole. Which further files a row takes, and where each stands, is drawn by the line that is asked for and
never by bucket, so a longer row holds a shorter one in the same order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from corpora.code.model import squeezed
from generators.code import checks
from generators.code.lines import Line
from generators.code.material import CodeMaterial, CodeSettings
from generators.code.stock import ENDING, OPENER, CodeStock
from generators.context.context import Context
from generators.context.fit import fit_ranked
from generators.context.units import Units
from generators.context.writer import Frame
from generators.inputs import Inputs
from generators.spec import BackgroundUnits, Candidate, Entry, Row, Table
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.source_records import Split

_ENDS, _WIDE = "its files end before the bucket is full", "what every row of it shows does not fit"
_NOT_FULL = "no choice of files fills 99.5 %"


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """A finished context.

    Attributes:
        frame: the words around.
        order: units as they stand.
        context: of them.
        counts: of the whole prompt, per tokenizer.
    """

    frame: Frame
    order: list[int]
    context: Context
    counts: Sequence[int]


class CodeTask(CodeMaterial):
    """Makes rows that end before a line of code."""

    def __init__(self, entry: Entry[CodeSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._made = lru_cache(maxsize=1)(self._make)

    # ------------------------------------------------------------------------------------------- what a task decides

    @abstractmethod
    def units(self, stock: CodeStock, line: Line) -> Units:
        """What contexts are made of."""

    @abstractmethod
    def fixed(self, stock: CodeStock, line: Line) -> list[int]:
        """Units that every row shows."""

    @abstractmethod
    def lay(self, candidate: Candidate, line: Line, others: list[int]) -> list[int]:
        """These and others, which are in order, as a row shows them."""

    @abstractmethod
    def natural_others(self, stock: CodeStock, line: Line, pool: list[int]) -> list[int]:
        """Ranks of the further files of a natural row."""

    @abstractmethod
    def tail(self, line: Line, beginning: str) -> str:
        """What stands behind the context, before the cue."""

    @abstractmethod
    def question(self, line: Line, beginning: str) -> str:
        """What the column `question` has."""

    @abstractmethod
    def columns(self, line: Line, stock: CodeStock, filled: Filled) -> dict[str, Any]:
        """Columns of a row that the task decides; `extra` among them."""

    # --------------------------------------------------------------------------------------------------------- rows

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Files that end, that do not fit, or whose words are not in a range."""
        made = self._made(table, candidate)
        return made if isinstance(made, str) else ""

    def _make(self, table: Table, candidate: Candidate) -> Filled | str:
        stock, line = self.stock(candidate.part), self.line(candidate.part, candidate.number)
        pool, units, fixed = self.others(candidate), self.units(stock, line), self.fixed(stock, line)
        frame = self._frame(stock, line)

        def laid(ranks: Sequence[int]) -> tuple[list[int], Context]:
            order = self.lay(candidate, line, [pool[rank] for rank in self._in_place(line, ranks)])
            return order, units.context(order)

        if table.natural:
            order, context = laid(self.natural_others(stock, line, pool))
            counts = self.writer.count(frame, context.parts())
            outside = self.writer.outside(table, frame, context, self._question(stock, line), [line.text])
            return outside or Filled(frame, order, context, counts)
        needed, sums = units.sums(fixed, pool)
        closing = units.closing_tokens()
        if frame.tokens + needed >= self.writer.room(table):
            return _WIDE
        if needed + sums[len(pool)] <= self.writer.room(table) - frame.tokens + closing:
            return _ENDS
        (order, context), _, counts = self.writer.fitted(
            table, frame, lambda budget: (
                found := laid(fit_ranked(sums, max(0, budget + closing - needed), table.tokens or 0)), found[1]
            ),
        )  # fmt: skip
        return Filled(frame, order, context, counts) if self.writer.is_full(table, counts) else _NOT_FULL

    def _in_place(self, line: Line, ranks: Sequence[int]) -> list[int]:
        """Ranks by the places that are drawn for them."""
        places = self.stream(self.spec.name, line.key, "places").bulk(max(ranks, default=-1) + 1)
        return sorted(ranks, key=lambda rank: (places[rank], rank))

    def _frame(self, stock: CodeStock, line: Line) -> Frame:
        instruction, cue = self.words["instruction"], self.words["cue"]
        tail = self.tail(line, self.beginning(stock, line)) + cue
        span = Span(0, len(instruction), "instruction", token_start=0)
        return self.writer.frame(instruction + ENDING, tail, cue=cue, opener=OPENER, spans=[span])

    def _question(self, stock: CodeStock, line: Line) -> str:
        return self.question(line, self.beginning(stock, line))

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a candidate.

        Raises:
            BuildError: it makes none in this bucket.
        """
        filled = self._made(table, candidate)
        if isinstance(filled, str):
            raise BuildError(filled, where=f"{table.config} {candidate.key}", fix="use another bucket")
        stock, line = self.stock(candidate.part), self.line(candidate.part, candidate.number)
        shown = [stock.paths[unit] for unit in filled.order if unit < len(stock)]
        return self.writer.sample(
            table, candidate.key, filled.frame, filled.context, filled.counts,
            question=self._question(stock, line), answers=[line.text], n_units=len(filled.order), n_unique_units=len(filled.order),
            spans=self._spans(stock, line, filled), haystack=self.settings.code,
            doc_ids=list(dict.fromkeys((*shown, line.path))), **self.columns(line, stock, filled),
        )  # fmt: skip

    def _spans(self, stock: CodeStock, line: Line, filled: Filled) -> list[Span]:
        """Every file with its path, in prompt coordinates; behind a gold one the definitions in it that the line uses."""
        context, frame = filled.context, filled.frame
        found = []
        for place, unit in enumerate(filled.order):
            path = line.path if unit == len(stock) else stock.paths[unit]
            kind = "gold" if unit == len(stock) or path in line.golds else "distractor"
            start, end = context.starts[place], context.ends[place]
            found.append(frame.span(start, end, kind, path, frame.tokens_before + context.token_starts[place]))
            found += _needles(stock, line, path, frame.start + start)
        return found

    def limit(self, part: Split = "test") -> int:
        """To a few tokens."""
        lines = self._lines(part)[0]
        if not lines:
            return 0
        stock, reach = self.stock(part), 0
        for number, line in enumerate(lines):
            units, pool = self.units(stock, line), self.others(self.pool(part).candidate(number))
            needed, sums = units.sums(self.fixed(stock, line), pool)
            reach = max(reach, needed + sums[len(pool)] + self._frame(stock, line).tokens)
        return reach + self.writer.reserved

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket beyond the files."""
        what = f"the files of part {table.part} in {self.settings.code!r} end at about {{limit}} tokens"
        self._check_limit(table, what, "use a larger folder or package")

    # ------------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """Files and spans against the prompt; with the source at hand, against it and by its parser."""
        yield from checks.of_prompt(row, self.words)
        if self.inputs.are_here(self.uses()):
            yield from checks.as_stored(row, self.stock(row["part"]).project, self.words)

    def answer_leaks(self, row: Row) -> Iterator[str]:
        """Shown files that have the line."""
        line = squeezed(row["answers"][0])
        bare = "".join(line.split())  # what has the line has this
        for span in row["spans"]:
            if span["kind"] in ("distractor", "gold"):
                text = row["prompt"][span["start"] : span["end"]]
                if bare in "".join(text.split()) and line in map(squeezed, text.split("\n")):
                    yield f"{span['ref']} has the line"

    def background(self, row: Row) -> BackgroundUnits:
        """The further files in order."""
        return [span["ref"] for span in row["spans"] if span["kind"] == "distractor"]


def _needles(stock: CodeStock, line: Line, path: str, start: int) -> list[Span]:
    """Definitions that a line uses in a file, which stands at `start` of the prompt below its path."""
    names = [use.name for use in line.uses if use.path == path]
    reading = stock.project.reading(path) if names else None
    if reading is None:
        return []
    found, lines = [], stock.project.texts[path].split("\n")
    for name in names:
        first, last = reading.defined[name]
        at = start + len(path) + 1 + sum(len(each) + 1 for each in lines[:first])
        found.append(Span(at, at + len("\n".join(lines[first:last])), "needle", f"{path}:{name}"))
    return sorted(found, key=lambda span: (span.start, span.end))
