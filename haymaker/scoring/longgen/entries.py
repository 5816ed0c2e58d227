"""The entries that a row requests, and the entries of an output (docs/spec/longgenbench.md 1, 3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from haymaker.scoring.official_text import whole
from haymaker.scoring.reader import strip_reasoning

COLUMNS = ("id", "output_constraints", "metadata")
_NEEDED = frozenset({"unit", "entries", "min_words", "separator", "end", "header"})
KINDS = ("once", "range", "periodic")
_START = "*** started ***"

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]")
_DIGITS = r"(\d{1,3}(?:,\d{3}){1,3}|\d{1,9})(?![\d\w])"
_BRACKET = r"(?:[\s*_]{0,4}\([^()\n]{0,100}\))?"  # dates or a place in a grid: part of the header
_BETWEEN = r"[\s*_#:.()\[\]]{1,6}"  # between unit and number: white space, marks of bold or a title


class PlannedEntry(NamedTuple):
    """An entry that must contain an event: index of the event in the row's `output_constraints`, number of the entry, from 1."""

    check: int
    entry: int


class PlanCheck(NamedTuple):
    """An event: its kind (one of KINDS), its text, and the numbers of the entries that must contain it, from 1."""

    kind: str
    text: str
    indices: tuple[int, ...]


class Plan(NamedTuple):
    """Request of a row: its entries, the marks around them, and the required events."""

    unit: str  # first words of every header, e.g. "Floor"
    entries: int
    min_words: int  # minimum words of an entry
    separator: str  # before each header
    start: str  # mark before the whole output
    end: str
    header: str  # header of entry 1 after its separator: the end of the prompt
    checks: tuple[PlanCheck, ...]

    @staticmethod
    def missing(row: Mapping[str, Any]) -> str:
        """Return why a row has no plan, or an empty string."""
        return "" if json.loads(row["metadata"] or "{}").keys() >= _NEEDED else "it has no plan of entries"

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Plan:
        """Return the plan of a row with COLUMNS."""
        extra = json.loads(row["metadata"])
        checks = tuple(
            PlanCheck(one["kind"], one["text"], tuple(one["indices"])) for one in row["output_constraints"] or ()
        )
        separator, header = extra["separator"], extra["header"]
        if separator not in header:
            header = f"{separator} {header.lstrip()}"
        start = extra.get("start", _START)
        return cls(extra["unit"], extra["entries"], extra["min_words"], separator, start, extra["end"], header, checks)

    @property
    def places(self) -> Iterator[PlannedEntry]:
        """Iterate over all places (event and entry), event by event."""
        return (PlannedEntry(number, entry) for number, check in enumerate(self.checks) for entry in check.indices)


class Entry(NamedTuple):
    """A block with a number, and its text after the header (in the reference's reading: the whole block)."""

    number: int
    text: str


class Reading(NamedTuple):
    """Entries of an output in order; a number may occur several times."""

    entries: tuple[Entry, ...]
    strays: int  # blocks with words and no header, or with a header and no words, after the first entry
    blocks: int  # number of blocks between separators, including empty ones
    ended: bool  # whether the end mark was found

    @property
    def first(self) -> dict[int, int]:
        """Return number -> position in `entries` of its first entry."""
        return {entry.number: at for at, entry in reversed(list(enumerate(self.entries)))}

    def found(self, plan: Plan) -> dict[int, int]:
        """Return number -> position in `entries` of its first entry, for the numbers of the plan."""
        return {number: at for number, at in self.first.items() if 1 <= number <= plan.entries}


def read_officially(output: object, plan: Plan) -> Reading:
    """Read entries as the reference does: a block's number is the first number after the unit and a space, anywhere."""
    blocks = official_text(output, plan).split(plan.separator)
    header = re.compile(rf"{re.escape(plan.unit)} (\d{{1,4000}})")
    found = [(header.search(block), block) for block in blocks]
    entries = tuple(Entry(int(match[1]), block) for match, block in found if match)
    return Reading(entries, len(blocks) - len(entries), len(blocks), plan.end in whole(output))


def official_text(output: object, plan: Plan) -> str:
    """Return the text that the reference reads: the first header and the output, up to the end mark."""
    return (plan.header + whole(output)).partition(plan.end)[0]


def read(output: object, plan: Plan) -> Reading:
    """Read entries: blocks that begin with the unit and a number, followed by a word.

    Text before the first separator is entry 1, unless the output also has that header (a chat model's preface). Code
    fences and text after the end mark are ignored. Differs from the reference: docs/spec/longgenbench.md 6, row 17.
    """
    text = strip_reasoning(output)
    if "```" in text or "~~~" in text:  # the search by lines is slow
        text = _FENCE.sub("", text)
    words = r"\s+".join(map(re.escape, plan.unit.split()))
    header = re.compile(rf"[\W_]*+{words}{_BETWEEN}{_DIGITS}{_BRACKET}", re.IGNORECASE)
    separators, end = text.count(plan.separator), plan.end.rstrip(" *")  # the end mark may lack its last characters
    opening, separator, rest = text.partition(plan.separator)
    rest, ended, _ = rest.partition(end)
    blocks = rest.split(plan.separator) if separator else []
    opening = opening.rpartition(plan.start)[2]
    if not header.match(opening) and any((match := header.match(block)) and _number(match) == 1 for block in blocks):
        opening = ""
    elif end in opening:
        opening, ended, blocks = opening.partition(end)[0], end, []
    entries, strays = [], 0
    for at, block in enumerate((opening, *blocks)):
        match = header.match(block)
        body = block[match.end() :] if match else block
        has_words = bool(_WORD.search(body))
        if has_words and (match or at == 0):
            entries.append(Entry(_number(match) if match else 1, body))
        else:
            strays += has_words or match is not None
    return Reading(tuple(entries), strays, 1 + separators, bool(ended))


def _number(match: re.Match[str]) -> int:
    return int(match[1].replace(",", ""))
