"""The one check of a block: whatever two articles may both tell is the same in both, and nothing happens out of its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from haymaker.core.errors import BuildError

from .model import Entity

_BACK = {
    "parent": "children", "birthplace": "natives", "school": "alumni", "club": "players", "award": "winners", "seat": "mayors",
    "author": "books", "director": "films", "artist": "albums", "publisher": "published", "label": "issued", "star": "star_films",
    "architect": "buildings", "describer": "species", "winner": "battles", "builder": "ships", "river": "towns",
}  # fmt: skip
_MATES, _BIRTH_AGES = {"he": "wife", "she": "husband"}, range(18, 51)


def check(entities: Sequence[Entity]) -> None:
    """Read all entities of a block with their links.

    Raises:
        BuildError: two of them contradict each other: a mistake of this package. Names the first.
    """
    for problem in contradictions(entities):
        raise BuildError(f"the encyclopaedia contradicts itself: {problem}", fix="report it with the seed")


def contradictions(entities: Sequence[Entity]) -> Iterator[str]:
    """Each as "article: what is wrong"."""
    animals: dict[str, str] = {}
    for entity in entities:
        found = [*_links(entity), *_groups(entity), *_order(entity)]
        if entity.person:
            found += _family(entity)
        if (
            entity.kind == "species"
            and animals.setdefault(entity.facts["genus"], entity.facts["type"]) != entity.facts["type"]
        ):
            found.append("its genus has another animal")
        yield from (f"{entity.title}: {problem}" for problem in found)


def _links(entity: Entity) -> Iterator[str]:
    for relation, other in entity.refs.items():
        if entity.facts[relation] != other.name:
            yield f"{relation} is {entity.facts[relation]}, who is called {other.name}"
        if relation in _BACK and entity not in other.groups.get(_BACK[relation], ()):
            yield f"{relation} {other.name} does not have it among the {_BACK[relation]}"
        if (entity.person or other.person) and not entity.meets(other):
            yield f"{relation} {other.name} lived at another time"


def _groups(entity: Entity) -> Iterator[str]:
    for group, members in entity.groups.items():
        for member in members:
            if group != "namesakes" and entity not in member.refs.values():
                yield f"{member.name}, one of the {group}, does not say so"


def _order(entity: Entity) -> Iterator[str]:
    for one, two in pairwise(entity.groups.get("mayors", ())):
        if one.years["office_end"] >= two.years["office"]:
            yield f"{one.name} and {two.name} are mayors at once"
    if (book := entity.refs.get("based_on")) and book.years["released"] >= entity.years["released"]:
        yield "it is older than its book"
    if "buyer" in entity.refs and "buyer" in entity.refs["buyer"].refs:
        yield "its buyer was sold itself"
    heights = [mountain.years["elevation"] for mountain in entity.groups.get("mountains", ())]
    if heights and max(heights) > entity.refs["peak"].years["elevation"]:
        yield "its highest mountain is not the highest"


def _family(person: Entity) -> Iterator[str]:
    facts, born, died = person.facts, person.years["born"], person.years["died"]
    if "spouse" in facts and not born + 18 <= int(facts["married_year"]) <= died:
        yield f"was born in {born}, married in {facts['married_year']} and died in {died}"
    if facts["mate"] != _MATES[person.pronoun]:
        yield f"has a {facts['mate']}"
    mate = person.refs.get("spouse")
    if mate and (mate.refs["spouse"] is not person or mate.pronoun == person.pronoun):
        yield f"{mate.name} is not the {facts['mate']}"
    for child in person.groups.get("children", ()):
        role = facts["parenthood"]
        if child.refs[role] is not person or child.facts[f"{role}_trade"] != facts["occupation"]:
            yield f"{child.name} has another {role}, or gives another trade"
        if child.years["born"] - born not in _BIRTH_AGES:
            yield f"{child.name} was born at the age of {child.years['born'] - born}"
        other = "mother" if role == "father" else "father"
        if facts.get("spouse", child.facts.get(other)) != child.facts.get(other):
            yield f"{child.name} has another {other} than the {facts['mate']}"
