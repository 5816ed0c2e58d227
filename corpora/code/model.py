"""Facts about a file of source code. Lines are numbered from 0, ranges end one past the last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Use:
    """A name that a file has from another one, where it stands first.

    Attributes:
        line: of its first use.
        path: of the file that it is defined in.
        name: as it is defined there.
        via: files between, which have it from there and give it on.
    """

    line: int
    path: str
    name: str
    via: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """All files that a reader needs to follow it; the one that defines it is the last."""
        return (*self.via, self.path)


@dataclass(frozen=True, slots=True)
class Asked:
    """A line that may be asked for.

    Attributes:
        line: its number.
        text: as it stands, with its indentation.
        names: every identifier of it, without those in strings and comments.
        new: those of them that it is the first to bind.
        quoted: words of its strings, and its numbers.
    """

    line: int
    text: str
    names: frozenset[str]
    new: frozenset[str] = frozenset()
    quoted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as its parser reads it.

    Attributes:
        defined: name -> first line and one past the last of its definitions at the top level.
        asked: lines that may be asked for, in order.
        uses: first use of every name from another file of the project, in order.
    """

    defined: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()
    uses: tuple[Use, ...] = ()


def names_in(text: str) -> set[str]:
    """Every run of letters, digits and underscores."""
    return set(NAME.findall(text))


def squeezed(line: str) -> str:
    """A line without white space, but for one space where two words would run together: lines of one code have one form."""
    return re.sub(r"(?<!\w) | (?!\w)", "", " ".join(line.split()))
