"""Complete the next line of a file of source code that uses other files, or of one long file (docs/spec/longbench.md 2.5).

Files are units and are shown whole. The other files of a row and their places are drawn by the requested line, never by length, so a
longer row contains the shorter one in the same order. TaskSpec.kind is an object of generators/code/kinds.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

from corpora.code.project import Project
from generators.code import checks
from generators.code.kinds import CrossFile, OneFile, Target
from generators.code.lines import Line
from generators.code.stock import ENDING, OPENER, CodeStock
from generators.context import prompt
from generators.context.context import Context
from generators.context.fit import fit_ranked
from generators.context.ranked import in_drawn_order
from generators.context.writer import Frame
from generators.inputs import CodeSource, Inputs
from generators.pool import Pool
from generators.spec import BackgroundUnits, Candidate, Entry, Row, Table, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.source_records import Split
from haymaker.core.rows.span_columns import SpanColumns

_SAME = "another file's line is the same"  # one answer would be right for most rows, without reading


class CodeSettings(TaskSettings):
    """Settings of tasks over source code.

    Attributes:
        code: source of the code files.
    """

    code: CodeSource


Filled: TypeAlias = tuple[Target, Frame, list[int], Context, Sequence[int]]
"""Target, frame, units in order, their context, and tokens of the whole prompt per tokenizer."""


class CodeTask(Task[CodeSettings]):
    """Makes rows that end before a line of code. Candidates: one line per file."""

    settings_type = CodeSettings
    natural = True

    def __init__(self, entry: Entry[CodeSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.kind: OneFile | CrossFile = entry.spec.kind
        self._draws = partial(self.stream, self.spec.name)
        self._others = lru_cache(maxsize=4)(self._further_files)
        self._filled = lru_cache(maxsize=1)(self._fill)

    def stock(self, split: Split) -> CodeStock:
        """Return the files of a split, shared by the tasks of a process."""
        name = self.settings.code

        def load() -> CodeStock:
            files = self.inputs.source(name).code_files(self.inputs.raw(name))
            return CodeStock([file for file in files if file.split == split], self.inputs.tokenizers)

        return self.inputs.shared(("code", name, split), load)

    def pool(self, split: Split) -> Pool[Line]:
        key = ("lines of code", self.spec.name, self.settings.code, split)
        lines, left_out = self.inputs.shared(key, lambda: self._lines(self.stock(split)))
        return Pool(split, lines, lambda index: f"{self.settings.code}-{lines[index].key}", left_out=left_out)

    def _lines(self, stock: CodeStock) -> tuple[list[Line], Counter[str]]:
        """Return lines with distinct texts, sorted by the size of their required text, and counts of the reasons for other files."""
        found, left_out, tokenizer = list[tuple[int, Line]](), Counter[str](), self.inputs.tokenizers[0]
        for path in stock.paths:
            line = self.kind.line(stock, path, self._draws)
            if isinstance(line, Line) and tokenizer.count_part(line.text) > self.spec.max_new_tokens:
                line = "the line takes more tokens than an answer has"
            if isinstance(line, str):
                left_out[line] += 1
            else:
                needed = sum(stock.tokens[stock.number[gold]] for gold in line.golds)
                found.append((needed + tokenizer.count_part(stock.beginning(line)), line))
        lines = [line for _, line in sorted(found, key=lambda each: (each[0], each[1].key))]
        different = {" ".join(line.text.split()): line for line in reversed(lines)}  # keeps the first of equal ones
        left_out[_SAME] += len(lines) - len(different)
        return [line for line in lines if different[" ".join(line.text.split())] is line], +left_out

    def _target(self, candidate: Candidate) -> Target:
        lines = self.pool(candidate.split).items
        assert lines is not None
        return Target(candidate, lines[candidate.number], self.stock(candidate.split), self._draws)

    def _further_files(self, candidate: Candidate) -> list[int]:
        """Return the files that only some rows show, in the order in which rows take them.

        Files that contain the line or a near-copy of it, or define a name that it needs are left out.
        """
        target = self._target(candidate)
        stock, line = target.stock, target.line
        barred = {line.path, *line.golds} | stock.spoiling(line)
        rest = self._draws(line.key, "others").shuffled([path for path in stock.paths if path not in barred])
        near = [path for path in self.kind.near(target) if path not in barred]
        folder = line.path.rpartition("/")[0]
        same_folder = [path for path in rest if path.rpartition("/")[0] == folder]
        return [stock.number[path] for path in dict.fromkeys((*near, *same_folder, *rest))]

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        filled = self._filled(table, candidate)
        return filled if isinstance(filled, str) else ""

    def _fill(self, table: Table, candidate: Candidate) -> Filled | str:
        """Return the context of a row, or why there is none."""
        target, others, writer = self._target(candidate), self._others(candidate), self.writer
        frame, (units, fixed) = self._frame(target), self.kind.units(target)

        def laid(ranks: Sequence[int]) -> tuple[list[int], Context]:
            placed = in_drawn_order(ranks, self._draws(target.line.key, "places")).tolist()
            order = self.kind.laid(target, fixed, [others[rank] for rank in placed])
            return order, units.context(order)

        if table.natural:
            near = {target.stock.number[path] for path in self.kind.near(target)}.intersection(others)
            least = max(len(near), self.kind.natural - len(target.line.golds))
            order, context = laid(range(min(len(others), least)))
            counts = writer.count(frame, context.parts())
            outside = writer.outside(table, frame, context, self.kind.texts(target, self.words)[1], [target.line.text])
            return outside or (target, frame, order, context, counts)
        (needed, sums), closing = units.sums(fixed, others), units.closing_tokens()
        if frame.tokens + needed >= writer.room(table):
            return "what every row of it shows does not fit"
        if needed + sums[-1] <= writer.room(table) - frame.tokens + closing:
            return "its files end before the length is full"

        def filled(budget: int) -> tuple[list[int], Context]:
            return laid(fit_ranked(sums, max(0, budget + closing - needed), table.tokens or 0))

        order, context, counts = writer.fitted(table, frame, filled)
        full = writer.is_full(table, counts)
        return (target, frame, order, context, counts) if full else "no choice of files fills 99.5 %"

    def _frame(self, target: Target) -> Frame:
        cue, tail = self.words["cue"], self.kind.texts(target, self.words)[0]
        part = prompt.Part(self.words["instruction"], "instruction", gap=ENDING, token_start=0)
        return prompt.framed(self.writer, [part], tail + cue, cue=cue, opener=OPENER)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        filled = self._filled(table, candidate)
        if isinstance(filled, str):
            raise BuildError(filled, where=f"{table.config} {candidate.key}", fix="use another length")
        target, frame, order, context, counts = filled
        stock, line = target.stock, target.line
        shown = [stock.paths[unit] for unit in order if unit < len(stock)]
        return self.writer.sample(
            table, candidate.key, frame, context, counts, question=self.kind.texts(target, self.words)[1], answers=[line.text],
            num_segments=len(order), num_unique_segments=len(order), spans=_spans(filled), background_corpus=self.settings.code,
            doc_ids=list(dict.fromkeys((*shown, line.path))), **self.kind.columns(target, order),
        )  # fmt: skip

    def limit(self, split: Split = "test") -> int:
        """Return the tokens of the longest row with all files, within a few tokens."""
        pool, longest = self.pool(split), 0
        for candidate in map(pool.candidate, range(pool.count or 0)):
            target = self._target(candidate)
            units, fixed = self.kind.units(target)
            needed, sums = units.sums(fixed, self._others(candidate))
            longest = max(longest, needed + sums[-1] + self._frame(target).tokens + self.writer.reserved)
        return longest

    def check_feasible(self, table: Table) -> None:
        what = f"the files of split {table.split} in {self.settings.code!r} end at about {{limit}} tokens"
        self._check_limit(table, what, "use a larger folder or package")

    def problems(self, row: Row) -> Iterator[str]:
        yield from checks.of_prompt(row, self.words)
        stored = self.stock(row["split"]).project if self.inputs.are_here(self.uses()) else None
        if stored is not None:
            yield from checks.as_stored(row, stored, self.words)
        yield from self.kind.problems(row, stored or Project({}))

    def answer_leaks(self, row: Row) -> Iterator[str]:
        return checks.copies(row, self.words)

    def background(self, row: Row) -> BackgroundUnits:
        return SpanColumns.of(row["spans"]).of_kinds("distractor").column("ref")


def _spans(filled: Filled) -> Iterator[Span]:
    """Yield a span for every file with its path, followed by its definitions that the line uses."""
    target, frame, order, context, _ = filled
    stock, line = target.stock, target.line
    for place, unit in enumerate(order):
        path = line.path if unit == len(stock) else stock.paths[unit]
        kind = "gold" if unit == len(stock) or path in line.golds else "distractor"
        start, end = context.starts[place], context.ends[place]
        yield frame.span(start, end, kind, path, frame.tokens_before + context.token_starts[place])
        yield from _definitions(target, path, frame.start + start)


def _definitions(target: Target, path: str, start: int) -> list[Span]:
    """Return the spans of definitions that the line uses in a file; the file with its path is at `start` of the prompt."""
    names = [use.name for use in target.line.uses if use.path == path]
    reading = target.stock.project.reading(path) if names else None
    if reading is None:
        return []
    found, lines = [], target.stock.project.texts[path].split("\n")
    for name in names:
        first, last = reading.defined[name]
        at = start + len(path) + 1 + sum(len(each) + 1 for each in lines[:first])
        found.append(Span(at, at + len("\n".join(lines[first:last])), "needle", f"{path}:{name}"))
    return sorted(found, key=lambda span: (span.start, span.end))
