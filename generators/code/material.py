"""What rows of source code are made of: the files of a source, the lines that are asked for, which files may stand beside."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from functools import lru_cache
from typing import ClassVar

from generators.code.lines import Line
from generators.code.stock import CodeStock
from generators.inputs import CodeSource, Inputs
from generators.pool import Pool
from generators.spec import Candidate, Entry, TaskSettings
from generators.task import Task
from haymaker.core.rows.source_records import Split

_SAME = "another file's line is the same"  # one answer for most of the rows could be given without reading


class CodeSettings(TaskSettings):
    """Knobs of a task over source code.

    Attributes:
        code: source of the files.
    """

    code: CodeSource


class CodeMaterial(Task[CodeSettings]):
    """Candidates: of every file the line that is asked for."""

    settings_type: ClassVar[type[CodeSettings]] = CodeSettings
    natural = True

    def __init__(self, entry: Entry[CodeSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.others = lru_cache(maxsize=4)(self._others)

    @abstractmethod
    def asked(self, stock: CodeStock, path: str) -> Line | str:
        """The line of a file that is asked for; or why there is none."""

    def near(self, stock: CodeStock, line: Line) -> list[str]:
        """Files that come before all others when a row takes more."""
        return []

    def stock(self, part: Split) -> CodeStock:
        """Files of a part; tasks of a process share them."""
        name = self.settings.code

        def load() -> CodeStock:
            files = self.inputs.source(name).code_files(self.inputs.raw(name))
            return CodeStock([file for file in files if file.part == part], self.inputs.tokenizers)

        return self.inputs.shared(("code", name, part), load)

    def _lines(self, part: Split) -> tuple[list[Line], Counter[str]]:
        """Lines that can be asked for, each text once, those of few tokens first; how many files have none, by reason."""
        key = ("lines of code", self.spec.name, self.settings.code, part)
        return self.inputs.shared(key, lambda: self._sift(self.stock(part)))

    def _sift(self, stock: CodeStock) -> tuple[list[Line], Counter[str]]:
        found, left_out, tokenizer = list[tuple[int, Line]](), Counter[str](), self.inputs.tokenizers[0]
        for path in stock.paths:
            line = self.asked(stock, path)
            if isinstance(line, Line) and tokenizer.count_part(line.text) > self.spec.max_new_tokens:
                line = "the line takes more tokens than an answer has"
            if isinstance(line, str):
                left_out[line] += 1
            else:
                beginning = tokenizer.count_part(self.beginning(stock, line))
                found.append((beginning + sum(stock.tokens[stock.number[gold]] for gold in line.golds), line))
        lines = [line for _, line in sorted(found, key=lambda each: (each[0], each[1].key))]
        different = {" ".join(line.text.split()): line for line in reversed(lines)}  # of the same ones the first
        left_out[_SAME] += len(lines) - len(different)
        return [line for line in lines if different[" ".join(line.text.split())] is line], +left_out

    def pool(self, part: Split) -> Pool[Line]:
        """One line of every file that has one, named by source, file and number; left out: files of which no line can be asked for."""
        lines, left_out = self._lines(part)
        return Pool(part, lines, lambda index: f"{self.settings.code}-{lines[index].key}", left_out=left_out)

    def line(self, part: Split, index: int) -> Line:
        """The line of a candidate."""
        return self._lines(part)[0][index]

    def beginning(self, stock: CodeStock, line: Line) -> str:
        """All above the line, with the end of the last line."""
        lines = stock.project.texts[line.path].split("\n")
        return "".join(f"{each}\n" for each in lines[: line.number])

    def _others(self, candidate: Candidate) -> list[int]:
        """Further files in the order in which rows take them.

        Left out are the file itself, those that every row shows, and those that hold the line or define a name that it needs.
        """
        stock, line = self.stock(candidate.part), self.line(candidate.part, candidate.number)
        barred = {line.path, *line.golds} | stock.holding(line.text)
        barred = barred.union(*(stock.defining(use.name) for use in line.uses))
        allowed = [path for path in stock.paths if path not in barred]
        rest = self.stream(self.spec.name, line.key, "others").shuffled(allowed)
        near = dict.fromkeys(path for path in self.near(stock, line) if path not in barred)
        folder = line.path.rpartition("/")[0]
        beside = [path for path in rest if path.rpartition("/")[0] == folder]
        return [stock.number[path] for path in dict.fromkeys((*near, *beside, *rest))]
