"""Facts of a chronicle: deeds, the things concerned, and the people and misfortunes involved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Deed:
    """An event that the chronicle mentions once.

    Attributes:
        stage: founded, grown, kept, turned, struck; or held (an office begins), blow, after, measure (without a year).
        theme: kind of thing; of an office its name.
        place: parish.
        part: of the book, from 0.
        year: year of the event; 0 if the text has none.
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
    """A person or misfortune involved in several deeds.

    Attributes:
        role: builder, donor, keeper or blow.
        name: a person, or what the district calls a misfortune.
        slots: values for the chapter on this person or misfortune.
        deeds: theirs.
        own: content of that chapter, as a deed.
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
