"""Facts about a file of source code. Lines are numbered from 0, ranges end one past the last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Use:
    """The first use of a name that another file defines.

    Attributes:
        line: of the use.
        path: file that defines the name.
        name: as defined there.
        via: files in between that import and pass on the name.
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
    """A line that tasks may request.

    Attributes:
        line: its number.
        text: the line with its indentation.
        names: identifiers outside strings and comments.
        new: names that this line binds first.
        quoted: words of its strings, and its numbers.
    """

    line: int
    text: str
    names: frozenset[str]
    new: frozenset[str] = frozenset()
    quoted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """Results of parsing a file.

    Attributes:
        defined: name -> first line and one past the last line of its top-level definition.
        asked: lines that tasks may request, in order.
        uses: first use of every name from another file of the project, in order.
    """

    defined: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()
    uses: tuple[Use, ...] = ()


def names_in(text: str) -> set[str]:
    """Every run of letters, digits and underscores."""
    return set(NAME.findall(text))


def squeezed(line: str) -> str:
    """Return a line without white space, except one space between words: equal code has equal forms."""
    return re.sub(r"(?<!\w) | (?!\w)", "", " ".join(line.split()))
