"""What a chronicle tells of: deeds, the things they happened to, the people and misfortunes that had a hand in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Deed:
    """Something that happened and is told once.

    Attributes:
        stage: founded, grown, kept, turned, struck; held (an office begins); blow, after, measure (told without a year).
        theme: kind of thing; of an office its name.
        place: parish.
        part: of the book, from 0.
        year: when; 0 where none is told.
        slots: all values that its sentence and questions on it name.
        event: a clause that names it without its year.
        noun: what was paid for, measured or struck by a misfortune.
        evidence: sentences that tell it, the last of them its own.
        at: characters before that one in the document.
    """

    stage: str
    theme: str
    place: str
    part: int
    year: int
    slots: dict[str, Any]
    event: str = ""
    noun: str = ""
    evidence: tuple[str, ...] = ()
    at: int = -1


@dataclass(slots=True, eq=False)
class Thread:
    """One thing of one parish: its deeds by stage."""

    theme: str
    place: str
    deeds: dict[str, Deed] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Actor:
    """Who or what has a hand in several deeds.

    Attributes:
        role: builder, donor, keeper or blow.
        name: a person, or what the district calls a misfortune.
        slots: what is told of them in a chapter of their own.
        deeds: theirs.
        own: what that chapter says, as a deed.
    """

    role: str
    name: str
    slots: dict[str, Any]
    deeds: list[Deed]
    own: Deed


@dataclass(slots=True)
class Part:
    """A part of the book: its parishes with everything in them."""

    number: int
    name: str
    places: list[str]
    themes: list[str]
    threads: list[Thread]
    offices: list[list[Deed]]
    actors: list[Actor]

    def deeds(self) -> Iterator[Deed]:
        """All, in no order that means anything."""
        for thread in self.threads:
            yield from thread.deeds.values()
        for office in self.offices:
            yield from office
        yield from (actor.own for actor in self.actors if actor.role != "keeper")
