"""Which lines of a project are asked for, and why others are not."""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpora.code.braces import KNOWN
from corpora.code.model import Asked, Reading, Use, names_in, squeezed
from corpora.code.project import Project, language_of
from haymaker.core.rng import Stream

FEWEST_CHARACTERS = 16  # of a line, white space left out
FEWEST_LINES = 60  # above a line of one long file
FAR = 20  # lines between such a line and the last place of a name that it needs
_REFUSED = ("`", "#", "//")  # marks that the reference's metric passes lines over for (docs/defects/longbench.md D4)
_KNOWN = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | KNOWN | {"self", "cls", "0", "1", "2"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is asked for.

    Attributes:
        path: of its file.
        number: of lines above it.
        text: as it stands.
        golds: files that it needs; the last one decides.
        told: names of it that the definitions in the golds bind and its own file has not shown.
        uses: what it has from the golds.
    """

    path: str
    number: int
    text: str
    golds: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def key(self) -> str:
        """Names it among all lines of a project."""
        return f"{self.path}:{self.number + 1}"

    @property
    def place(self) -> dict[str, Any]:
        """Where it stands, as rows say it; lines count from 1."""
        return {"file": self.path, "line": self.number + 1, "language": language_of(self.path)}


def cross_file(project: Project, path: str) -> Line | str:
    """The first line of a file that uses what another file defines, and needs that file; or why there is none."""
    reading = project.reading(path)
    if reading is None:
        return "its parser refuses it"
    if not reading.uses:
        return "it uses no other file"
    asked, why = (
        {each.line: each for each in reading.asked},
        "its first use of another file is no whole statement on a line of its own",
    )
    lines = project.texts[path].split("\n")
    for number in dict.fromkeys(use.line for use in reading.uses):
        if number in asked:
            found = _needing(project, path, lines, asked[number], reading)
            if isinstance(found, Line):
                return found
            why = found
    return why


def _needing(project: Project, path: str, lines: list[str], asked: Asked, reading: Reading) -> Line | str:
    uses = [use for use in reading.uses if use.line == asked.line]
    golds = list(dict.fromkeys(path for use in uses for path in use.files[::-1]))[::-1]
    above = lines[: asked.line]
    shown = names_in("\n".join(above)) | _KNOWN
    bound = set().union(*(project.told_by(use) | {use.name} for use in uses))
    told = (asked.names - shown - asked.new) & bound
    if reason := _unfit(asked, above, shown | bound):
        return reason
    if not told:
        return "every name of the line stands above it already"
    copies = (squeezed(line) for gold in golds for line in project.texts[gold].split("\n"))
    if squeezed(asked.text) in copies:
        return "the line is a copy of one in the file that it uses"
    return Line(path, asked.line, asked.text, tuple(golds), tuple(sorted(told)), tuple(uses))


def in_file(project: Project, path: str, draws: Stream) -> Line | str:
    """A drawn line of a long file that needs what stands far above it; or why there is none."""
    reading, lines = project.reading(path), project.texts[path].split("\n")
    if reading is None:
        return "its parser refuses it"
    if len(lines) <= FEWEST_LINES:
        return f"it has fewer than {FEWEST_LINES} lines"
    late = [each for each in reading.asked if each.line >= max(FEWEST_LINES, len(lines) // 2)]
    reasons = Counter[str]()
    for asked in draws.shuffled(late):
        if not (reason := _unlike(lines, asked)):
            return Line(path, asked.line, asked.text)
        reasons[reason] += 1
    return max(
        reasons, key=lambda reason: (reasons[reason], reason), default="no line of its second half may be asked for"
    )


def _unlike(lines: list[str], asked: Asked) -> str:
    above = lines[: asked.line]
    shown = names_in("\n".join(above)) | _KNOWN
    if reason := _unfit(asked, above, shown):
        return reason
    near = names_in("\n".join(above[-FAR:])) | _KNOWN
    return "" if asked.names - near - asked.new else f"the {FAR} lines above it show all its names"


def _unfit(asked: Asked, above: list[str], known: set[str]) -> str:
    """Why a line is asked for nowhere; `known` are names that a reader has seen."""
    if len("".join(asked.text.split())) < FEWEST_CHARACTERS:
        return f"the line has fewer than {FEWEST_CHARACTERS} characters"
    if any(mark in asked.text for mark in _REFUSED):
        return "the line has a comment"
    if (asked.names | asked.quoted) - asked.new - known:
        return "the line has a name, or a word in quotes or a number, that nobody has shown"
    if squeezed(asked.text) in set(map(squeezed, above)):
        return "the line is a copy of one above it"
    return ""


def used_files(reading: Reading) -> Iterator[str]:
    """Files that a file uses, in the order of their first use."""
    return iter(dict.fromkeys(use.path for use in reading.uses))
