"""What a row asks of an output, from its columns `checks` and `extra` (haymaker/sample.py, docs/spec/longgenbench.md 1)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

COLUMNS = ("id", "checks", "extra")
_NEEDED = frozenset({"unit", "entries", "min_words", "separator", "end", "header"})
KINDS = ("once", "range", "periodic")
_START = "*** started ***"


class Place(NamedTuple):
    """An entry that must tell an event.

    Attributes:
        check: number of the event in the row's `checks`, from 0.
        entry: from 1.
    """

    check: int
    entry: int


class Check(NamedTuple):
    """An event, and where it is demanded.

    Attributes:
        kind: one of KINDS.
        text: the event in words.
        indices: entries, from 1.
    """

    kind: str
    text: str
    indices: tuple[int, ...]


class Plan(NamedTuple):
    """What a row asks for.

    Attributes:
        unit: first words of every header, e.g. "Floor".
        entries: how many are wanted.
        min_words: of each of them.
        separator: before each header.
        start, end: marks around the whole.
        header: of entry 1, with the separator before it: what an output continues.
        checks: the events.
    """

    unit: str
    entries: int
    min_words: int
    separator: str
    start: str
    end: str
    header: str
    checks: tuple[Check, ...]

    @staticmethod
    def missing(row: Mapping[str, Any]) -> str:
        """Why a row has no plan; "" where it has one."""
        return "" if json.loads(row["extra"] or "{}").keys() >= _NEEDED else "it has no plan of entries"

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Plan:
        """The plan of a row with COLUMNS."""
        extra = json.loads(row["extra"])
        checks = tuple(Check(one["kind"], one["text"], tuple(one["indices"])) for one in row["checks"] or ())
        separator, header = extra["separator"], extra["header"]
        if separator not in header:
            header = f"{separator} {header.lstrip()}"
        start = extra.get("start", _START)
        return cls(extra["unit"], extra["entries"], extra["min_words"], separator, start, extra["end"], header, checks)

    @property
    def places(self) -> Iterator[Place]:
        """Everything that is demanded, event by event."""
        return (Place(number, entry) for number, check in enumerate(self.checks) for entry in check.indices)

    @property
    def demanded(self) -> dict[int, list[str]]:
        """The events of each entry that has any."""
        found: dict[int, list[str]] = defaultdict(list)
        for check in self.checks:
            for index in check.indices:
                found[index].append(check.text)
        return dict(found)
