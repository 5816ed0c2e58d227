"""The files of one source and part as tasks use them: units that are counted once, who defines what, which lines are where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from corpora.code.model import squeezed
from corpora.code.project import Project
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from generators.context.units import Led, Units
from haymaker.core.rows.source_records import CodeFile

OPENER = "File"
ENDING = f"\n\n{OPENER}"
"""What stands behind a file: it opens the next one."""


class CodeStock:
    """Files of one part.

    Args:
        files: in order.
        tokenizers: release tokenizer first.

    Attributes:
        paths: of the files, in order: a unit is called by its place here.
        project: the same files as a parser reads them.
    """

    def __init__(self, files: Sequence[CodeFile], tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        self.paths = [file.path for file in files]
        self.number = {path: number for number, path in enumerate(self.paths)}
        self.project = Project({file.path: file.text for file in files})

    def __len__(self) -> int:
        return len(self.paths)

    def text(self, unit: int) -> str:
        """A file as it stands in a context: behind a space, below its path; what opens the next one in place of line breaks at its end."""
        path = self.paths[unit]
        return unit_text(path, self.project.texts[path].rstrip("\n"))

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces([self.text(unit) for unit in range(len(self))], self._tokenizers)

    @cached_property
    def tokens(self) -> list[int]:
        """Release tokens of each unit."""
        found: list[int] = self._pieces.tokens(range(len(self))).tolist()
        return found

    @cached_property
    def units(self) -> Units:
        """The files as units."""
        return self._of(self._pieces)

    def with_beginning(self, path: str, beginning: str) -> Units:
        """The same, and as the last one the beginning of a file."""
        return self._of(self._pieces + Pieces([unit_text(path, beginning.removesuffix("\n"))], self._tokenizers))

    def _of(self, pieces: Pieces) -> Units:
        return Units(lambda _: Led.by_nothing(pieces), pieces.tokens(range(len(pieces))), self._tokenizers, ENDING)

    @cached_property
    def _by_line(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path, text in self.project.texts.items():
            for line in set(text.split("\n")):
                found[squeezed(line)].add(path)
        return found

    @cached_property
    def _by_definition(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            reading = self.project.reading(path)
            for name in reading.defined if reading else ():
                found[name].add(path)
        return found

    def holding(self, line: str) -> set[str]:
        """Files that have a line, whatever its white space."""
        return self._by_line.get(squeezed(line), set())

    def defining(self, name: str) -> set[str]:
        """Files that define a name at their top level."""
        return self._by_definition.get(name, set())


def unit_text(path: str, text: str) -> str:
    """A file, or the beginning of one, as a unit."""
    return f" {path}\n{text}{ENDING}"
