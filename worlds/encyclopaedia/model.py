"""Entities of the invented world, and the fixed plan of a block of articles.

Article i belongs to block i // BLOCK: one region with its towns, people and works, closed in itself. Every strong relation
(author, birthplace, holder of an award) stays inside the block, so a block can be made alone, and more blocks change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from haymaker.core.rows.source_records import Split

LAYOUT: dict[str, int] = {
    "region": 1,
    "river": 3,
    "lake": 3,
    "mountain": 3,
    "town": 16,
    "novelist": 8,
    "director": 4,
    "actor": 8,
    "painter": 5,
    "composer": 5,
    "singer": 6,
    "architect": 5,
    "politician": 10,
    "footballer": 8,
    "naturalist": 4,
    "general": 4,
    "engineer": 6,
    "company": 12,
    "book": 20,
    "film": 14,
    "album": 8,
    "building": 12,
    "club": 6,
    "award": 3,
    "battle": 3,
    "incident": 4,
    "species": 10,
    "school": 3,
    "newspaper": 3,
    "ship": 3,
}
"""How many entities of each kind a block has, in the order of its articles."""
BLOCK = sum(LAYOUT.values())
PEOPLE = tuple(list(LAYOUT)[5:17])
_GROWN, _OPEN_END = 20, 9_999  # age of people when they are introduced; last year of things that still exist
_MOMENTS = ("released", "date", "opened", "launched", "described")
_PARTS: tuple[Split, ...] = ("test", "test", "test", "train", "test", "dev", "test", "train")


def split_of(block: int) -> Split:
    """The split whose questions ask about a block: of eight blocks five are test, two train, one dev."""
    return _PARTS[block % len(_PARTS)]


@dataclass(slots=True, eq=False)
class Entity:
    """Something that has an article.

    Attributes:
        index: number of its article.
        kind: key of LAYOUT; an occupation for people.
        name: as running text has it.
        title: of the article: the name, with a word in brackets where others have the same name.
        short: what its own article calls it from the second time on.
        pronoun: she, he, it or they.
        views: page views a month; a heavy tail, and what length of article and number of mentions follow.
        aliases: accepted names, `name` first.
        facts: relation -> value as text; what an article may state. A relation that is not here is stated nowhere.
        also: relation -> further accepted forms of the value.
        refs: relation -> the entity that is the value.
        groups: relation -> entities, a list that is complete in this world.
        years: relation -> year.
    """

    index: int
    kind: str
    name: str
    title: str
    short: str
    pronoun: str
    views: int
    aliases: list[str]
    facts: dict[str, str] = field(default_factory=dict)
    also: dict[str, tuple[str, ...]] = field(default_factory=dict)
    refs: dict[str, Entity] = field(default_factory=dict, repr=False)
    groups: dict[str, list[Entity]] = field(default_factory=dict, repr=False)
    years: dict[str, int] = field(default_factory=dict)

    def state(self, relation: str, value: str, *also: str) -> None:
        """Give a relation a value of its own."""
        self.facts[relation] = value
        if also:
            self.also[relation] = also

    def link(self, relation: str, other: Entity) -> None:
        """Give a relation an entity as its value."""
        self.facts[relation] = other.name
        self.refs[relation] = other

    def answers(self, relation: str) -> tuple[str, ...]:
        """All accepted forms of a relation's value, the stated one first."""
        more = self.refs[relation].aliases if relation in self.refs else self.also.get(relation, ())
        return tuple(dict.fromkeys((self.facts[relation], *more)))

    @property
    def active(self) -> tuple[int, int]:
        """First and last year in which it can have had to do with others: a grown life, the year of a work or an event, or since
        it was founded.
        """
        if "died" in self.years:
            return self.years["born"] + _GROWN, self.years["died"]
        moment = next((self.years[key] for key in _MOMENTS if key in self.years), None)
        return (moment, moment) if moment else (self.years.get("founded", 0), _OPEN_END)

    def meets(self, other: Entity) -> bool:
        """Whether there was a year in which both were there."""
        (a, b), (c, d) = self.active, other.active
        return max(a, c) <= min(b, d)

    @property
    def person(self) -> bool:
        """Whether it is a human being."""
        return self.kind in PEOPLE

    @property
    def namesake(self) -> bool:
        """Whether another entity has the same name."""
        return "namesakes" in self.groups

    @property
    def bare(self) -> str:
        """Its name without the article that some have ("the Golden Fern Award")."""
        return self.name.removeprefix("the ")

    @property
    def label(self) -> str:
        """Return the name for a question: with the kind if the name is not enough."""
        return f"the {self.facts['type']} {self.name}" if self.namesake else self.name
