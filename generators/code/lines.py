"""Choose the lines of a project that tasks request, and give reasons against the others."""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from corpora.code.model import Asked, Reading, Use, names_in, squeezed
from corpora.code.project import Project
from haymaker.core.rng import Stream
from haymaker.core.text.similarity import similar

FEWEST_CHARACTERS = 16  # of a line, without white space
FEWEST_LINES = 60  # above a line of one long file
FAR = 20  # lines between such a line and the last place of a name that it needs
NEAR = 80.0  # lowest edit similarity of near-copies, in percent
FORMS: tuple[Callable[[str], str], ...] = (str.rstrip, squeezed)
"""Forms in which lines are compared: as the metric scores them, and without white space."""
_REFUSED = ("`", "#", "//")  # the reference's metric skips lines with these marks (docs/defects/longbench.md D4)
_ELSEWHERE = frozenset(
    "abstract as async await base bool boolean break byte case catch char checked class const continue decimal default delegate do double else enum event explicit "
    "extends extern final finally fixed float for foreach get if implements implicit import in instanceof int interface internal is lock long namespace native new "
    "null object operator out override package params private protected public readonly record ref return sbyte sealed set short sizeof static string struct super "
    "switch synchronized this throw throws transient true try typeof uint ulong unchecked unsafe ushort using value var virtual void volatile when where while yield "
    "false nameof String Object Integer Long Double Boolean Math System List Map Set Exception Console".split()
)  # fmt: skip
"""Words of other languages, and types that every reader knows."""
_KNOWN = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | _ELSEWHERE | {"self", "cls", "0", "1", "2"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line to complete."""

    path: str  # path of its file
    number: int  # number of lines above it
    text: str
    golds: tuple[str, ...] = ()  # files that it needs; the depth of a row is the depth of the last one
    told: tuple[str, ...] = ()  # names in it that only the definitions in the golds show
    uses: tuple[Use, ...] = ()  # definitions that it uses from the golds

    @property
    def key(self) -> str:
        """Unique name in its project."""
        return f"{self.path}:{self.number + 1}"

    @property
    def place(self) -> dict[str, Any]:
        """Return the place as in the column `metadata`; lines count from 1."""
        return {"file": self.path, "line": self.number + 1, "language": "python"}


def cross_file(project: Project, path: str) -> Line | str:
    """Return the first line of a file that needs a definition of another file, or why there is none."""
    reading = project.reading(path)
    if reading is None:
        return "its parser refuses it"
    if not reading.uses:
        return "it uses no other file"
    why = "its first use of another file is no whole statement on a line of its own"
    asked, lines = {each.line: each for each in reading.asked}, project.texts[path].split("\n")
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
    if near_copies(asked.text, (line for gold in golds for line in project.texts[gold].split("\n"))):
        return "the line is a near-copy of one in the file that it uses"
    return Line(path, asked.line, asked.text, tuple(golds), tuple(sorted(told)), tuple(uses))


def in_file(project: Project, path: str, draws: Stream) -> Line | str:
    """Return a drawn line of a long file that needs a name from far above it, or why there is none."""
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
    none = "no line of its second half may be asked for"
    return max(reasons, key=lambda reason: (reasons[reason], reason), default=none)


def _unlike(lines: list[str], asked: Asked) -> str:
    above = lines[: asked.line]
    shown = names_in("\n".join(above)) | _KNOWN
    if reason := _unfit(asked, above, shown):
        return reason
    near = names_in("\n".join(above[-FAR:])) | _KNOWN
    return "" if asked.names - near - asked.new else f"the {FAR} lines above it show all its names"


def _unfit(asked: Asked, above: list[str], known: set[str]) -> str:
    """Return why a line is unusable in both tasks, or an empty string; `known` are names that the reader has seen."""
    if len("".join(asked.text.split())) < FEWEST_CHARACTERS:
        return f"the line has fewer than {FEWEST_CHARACTERS} characters"
    if any(mark in asked.text for mark in _REFUSED):
        return "the line has a comment"
    if (asked.names | asked.quoted) - asked.new - known:
        return "the line has a name, or a word in quotes or a number, that is not shown before"
    if near_copies(asked.text, above):
        return "the line is a near-copy of one above it"
    return ""


def near_copies(line: str, others: Iterable[str]) -> list[str]:
    """Return the forms of other lines that equal a line or are at least NEAR percent similar to it."""
    others = list(dict.fromkeys(others))
    return [copy for form in FORMS for copy in similar(form(line), map(form, others), NEAR)]
