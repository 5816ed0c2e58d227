"""From an output to its entries: our reading, and the reference's (docs/spec/longgenbench.md 3).

Our reading wants a header at the beginning of its block, so that a number that is mentioned elsewhere, and "Week" inside "Menu Week", are
no headers (docs/spec/longgenbench.md 6, row 17). A block is what stands between two separators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scoring.longgen.plan import Plan
from scoring.text import unthought, whole

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]")
_DIGITS = r"(\d{1,3}(?:,\d{3}){1,3}|\d{1,9})(?![\d\w])"
_BRACKET = r"(?:[\s*_]{0,4}\([^()\n]{0,100}\))?"  # dates or a place in a grid: part of the header
_BETWEEN = r"[\s*_#:.()\[\]]{1,6}"  # between unit and number: white space, marks of bold or a title


class Entry(NamedTuple):
    """A block that has a number.

    Attributes:
        number: as its header says.
        text: all of the block behind unit, number and what stands in brackets there; of the reference's reading the whole block.
    """

    number: int
    text: str


class Reading(NamedTuple):
    """The entries of an output.

    Attributes:
        entries: in their order; a number may come again.
        strays: blocks with words and no header, or with a header and no words; what stands before the first entry is none.
        blocks: that the separator makes, empty ones included.
        ended: whether the end mark stands there.
    """

    entries: tuple[Entry, ...]
    strays: int
    blocks: int
    ended: bool

    @property
    def first(self) -> dict[int, int]:
        """Where the first entry of each number stands in `entries`."""
        return {entry.number: at for at, entry in reversed(list(enumerate(self.entries)))}

    @property
    def texts(self) -> list[str]:
        """The text of every entry."""
        return [entry.text for entry in self.entries]


def read_officially(output: object, plan: Plan) -> Reading:
    """The reference's reading: the first header goes before the output, which ends before the end mark; a block's number is the first
    number behind the unit and a space, wherever in the block that stands.
    """
    blocks = official_text(output, plan).split(plan.separator)
    header = re.compile(rf"{re.escape(plan.unit)} (\d{{1,4000}})")
    found = [(header.search(block), block) for block in blocks]
    entries = tuple(Entry(int(match[1]), block) for match, block in found if match)
    return Reading(entries, len(blocks) - len(entries), len(blocks), plan.end in whole(output))


def official_text(output: object, plan: Plan) -> str:
    """What the reference reads: the first header and the output, up to the end mark."""
    return (plan.header + whole(output)).partition(plan.end)[0]


def read(output: object, plan: Plan) -> Reading:
    """Our reading: a block that opens with unit and number is that entry, if a word follows.

    A base model goes on behind the first header: what stands before the first separator is entry 1. A chat model writes that header
    again: then what stands before it is a preface. Fences of code blocks, and what stands behind the end mark, do not count.

    Differs from the reference, which takes a number from anywhere in a block, and a preface for the first entry.
    """
    said = unthought(output)
    fenced = "```" in said or "~~~" in said  # looking for lines is slow
    first, *rest = (_FENCE.sub("", said) if fenced else said).split(plan.separator)
    header = _header(plan.unit)
    end = plan.end.rstrip(" *")  # one that lacks its last marks is an end too
    blocks, ended = _cut(rest, end)
    opening = first.rpartition(plan.start)[2]
    own = header.match(opening)
    if not own and any((match := header.match(block)) and _number(match) == 1 for block in blocks):
        opening = ""
    elif end in opening:
        (opening,), ended = _cut([opening], end)
        blocks = []
    entries = [*_first(opening, header)]
    labelled = [(header.match(block), block) for block in blocks]
    entries += [Entry(_number(match), block[match.end() :]) for match, block in labelled if match]
    kept = tuple(entry for entry in entries if _WORD.search(entry.text))
    unlabelled = sum(not match and bool(_WORD.search(block)) for match, block in labelled)
    return Reading(kept, unlabelled + len(entries) - len(kept), 1 + len(rest), ended)


def _first(opening: str, header: re.Pattern[str]) -> Iterator[Entry]:
    """The entry that stands before the first separator, where there is one: entry 1 unless it says otherwise."""
    if match := header.match(opening):
        yield Entry(_number(match), opening[match.end() :])
    elif _WORD.search(opening):
        yield Entry(1, opening)


def _cut(blocks: list[str], end: str) -> tuple[list[str], bool]:
    """Blocks up to the end mark, and whether it stands there."""
    for at, block in enumerate(blocks):
        before, found, _ = block.partition(end)
        if found:
            return [*blocks[:at], before], True
    return blocks, False


def _header(unit: str) -> re.Pattern[str]:
    """Unit and number at the beginning of a block, behind marks alone, with what stands in brackets there; case does not matter."""
    words = r"\s+".join(map(re.escape, unit.split()))
    return re.compile(rf"[\W_]*+{words}{_BETWEEN}{_DIGITS}{_BRACKET}", re.IGNORECASE)


def _number(match: re.Match[str]) -> int:
    return int(match[1].replace(",", ""))
