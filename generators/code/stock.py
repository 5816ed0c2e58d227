"""The files of one source and split: units with known tokens, indexes of lines and definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from corpora.code.project import Project
from corpora.tokenizers.tokenizer import Tokenizer
from generators.code.lines import FORMS, NEAR, Line
from generators.context.pieces import Pieces
from generators.context.units import PrefixedUnits, Units
from haymaker.core.rows.source_records import CodeFile
from haymaker.core.text.similarity import similar

OPENER = "File"
ENDING = f"\n\n{OPENER}"  # text after a file; it starts the next one


class CodeStock:
    """Files of one split.

    Args:
        files: files in order.
        tokenizers: release tokenizer first.

    Attributes:
        paths: paths of the files, in order. The number of a unit is its place here.
        project: the same files as the parsers read them.
    """

    def __init__(self, files: Sequence[CodeFile], tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        self.paths = [file.path for file in files]
        self.number = {path: number for number, path in enumerate(self.paths)}
        self.project = Project({file.path: file.text for file in files})

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def _pieces(self) -> Pieces:
        texts = [_unit(path, self.project.texts[path].rstrip("\n")) for path in self.paths]
        return Pieces(texts, self._tokenizers)

    @cached_property
    def tokens(self) -> list[int]:
        """Release tokens of each unit."""
        found: list[int] = self._pieces.tokens(range(len(self))).tolist()
        return found

    @cached_property
    def units(self) -> Units:
        """The files as units."""
        return self._of(self._pieces)

    def beginning(self, line: Line) -> str:
        """Return the text above a line, with its last line break."""
        return "".join(f"{each}\n" for each in self.project.texts[line.path].split("\n")[: line.number])

    def with_beginning(self, line: Line) -> Units:
        """Return the files as units, and as the last unit the text above a line."""
        beginning = _unit(line.path, self.beginning(line).removesuffix("\n"))
        return self._of(self._pieces + Pieces([beginning], self._tokenizers))

    def _of(self, pieces: Pieces) -> Units:
        return Units(lambda _: PrefixedUnits.plain(pieces), pieces.tokens(range(len(pieces))), self._tokenizers, ENDING)

    @cached_property
    def _by_line(self) -> list[dict[str, set[str]]]:
        """Return, for each of FORMS, the files with each line."""
        found: list[dict[str, set[str]]] = [defaultdict(set) for _ in FORMS]
        for path, text in self.project.texts.items():
            for line in set(text.split("\n")):
                for form, files in zip(FORMS, found, strict=True):
                    files[form(line)].add(path)
        return found

    @cached_property
    def _by_definition(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            reading = self.project.reading(path)
            for name in reading.defined if reading else ():
                found[name].add(path)
        return found

    def spoiling(self, line: Line) -> set[str]:
        """Return the files that contain a near-copy of a line or define a name that it uses."""
        defining = (self._by_definition.get(use.name, ()) for use in line.uses)
        forms = zip(FORMS, self._by_line, strict=True)
        copies = (files[copy] for form, files in forms for copy in similar(form(line.text), files, NEAR))
        return set[str]().union(*defining, *copies)


def _unit(path: str, text: str) -> str:
    return f" {path}\n{text}{ENDING}"
