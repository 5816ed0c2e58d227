"""Events of a book: events with conditions before and effects after, chosen so that one brings on another.

The state is a set of facts such as ("owes", debtor, creditor), each with the event that made it. An event may happen when its
conditions hold; the event that made the first of them is its cause, and is spoken of as such.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from .cards import Entropy, pick
from .cast import Person, kin
from .texts import TAGS, data_lines, mask

_MEMORY = 90  # events that people still speak of
_OPEN = frozenset(
    ("slight", "meet", "sicken", "miss", "boundary", "fire", "bank", "leave", "learn_secret", "sell", "call")
)
_CLOSING = frozenset(("reconcile", "wed", "repay", "return", "mend", "settle", "find", "beg_pardon", "burn", "consent"))
_SEEN = frozenset((*TAGS, "match", "kin", "parent"))  # conditions that are no facts
_ORDINARY, _CAUSED = 60, 240  # weight of an event that nothing brought on, and of one with a cause


@dataclass(frozen=True, slots=True)
class Condition:
    """`name` holds, or holds not, for the people in `roles`."""

    name: str
    roles: str
    holds: bool


@dataclass(slots=True)
class Schema:
    """A kind of event, one block of events.txt."""

    name: str
    roles: str
    where: str = ""
    need: list[Condition] = field(default_factory=list)
    effects: list[Condition] = field(default_factory=list)
    vp: str = ""
    noun: str = ""
    mood: str = "even"

    def facts(self) -> list[Condition]:
        """Return the conditions that must be facts, in contrast to those visible from the people themselves."""
        return [n for n in self.need if n.holds and n.name not in _SEEN]


@dataclass(slots=True, eq=False)
class Event:
    """Something that has happened, as people remember it.

    Attributes:
        who: the people by role.
        words: the sums, things and places it was about, by slot name.
        day: story day.
        known: who has heard of it.
        cause: the event that brought it on, if one did.
    """

    schema: Schema
    who: dict[str, Person]
    words: dict[str, str]
    day: int
    place: str
    known: set[Person]
    cause: Event | None


def _conditions(text: str, mark: str) -> list[Condition]:
    out = []
    for term in text.split(", "):
        name, *roles = term.split()
        out.append(Condition(name.removeprefix(mark), "".join(roles), not name.startswith(mark)))
    return out


@cache
def schemas() -> list[Schema]:
    """All kinds of events."""
    out: list[Schema] = []
    for line in data_lines("events.txt"):
        head, _, rest = line.strip().partition(" ")
        if head.startswith("["):
            out.append(Schema(head[1:-1], rest.replace(" ", "")))
        elif head == "need":
            out[-1].need = _conditions(rest, "!")
        elif head == "do":
            out[-1].effects = _conditions(rest, "-")
        elif head:
            setattr(out[-1], "where" if head == "in" else head, rest)
    return out


def _single(state: Story, who: Person) -> bool:
    ties = [*state.facts["betrothed"], *state.facts["married"]]
    return all(people[0] is not who for people in ties)


def _holds(state: Story, name: str, people: tuple[Person, ...]) -> bool:
    if name in TAGS and len(people) == 1:
        return bool(people[0].mask & mask([name]))
    if name == "kin":
        return bool(kin(*people))
    if name == "parent":
        return kin(people[1], people[0]) in {"father", "mother"}
    if name == "match":
        a, b = people
        ages = a.age != "old" and b.age != "old" and a.role[-2:] != "er" and b.role[-2:] != "er"
        return a.male != b.male and a.family != b.family and ages and _single(state, a) and _single(state, b)
    return people in state.facts[name]


class Story:
    """The state of things in one book.

    Args:
        c: random bits.
        people: the cast, the leads first.
    """

    def __init__(self, c: Entropy, people: tuple[Person, ...]) -> None:
        self._c, self._people = c, people
        self.facts: defaultdict[str, dict[tuple[Person, ...], Event | None]] = defaultdict(dict)
        self.past: deque[Event] = deque(maxlen=_MEMORY)
        self._told: Counter[str] = Counter()
        self._near: dict[Person, list[Event]] = {}  # since the last event
        self._feelings: dict[tuple[Person, Person], str] = {}
        for who in people:
            if pick(c, 5) == 0:
                self.facts["poor"][who,] = None
        self._told.update(dict.fromkeys([schema.name for schema in schemas()], 0))
        for _ in people:
            a, b = self._one(), self._one()
            if a is not b:
                self.facts["grudge" if pick(c, 3) == 0 else "friend"][a, b] = None

    def _one(self) -> Person:
        people = self._people
        return people[pick(self._c, len(people) if pick(self._c, 2) else len(people) // 2)]

    def near(self, who: Person) -> list[Event]:
        """Events in which the person had a part, the latest last."""
        if who not in self._near:
            self._near[who] = [e for e in self.past if who in e.who.values()]
        return self._near[who]

    def here(self, who: Person) -> bool:
        """Whether the person is neither away nor in bed."""
        return (who,) not in self.facts["away"] and (who,) not in self.facts["ill"]

    def feeling(self, a: Person, b: Person) -> str:
        """Return the attitude of a to b: warm, cold or plain."""
        if (a, b) not in self._feelings:
            self._feelings[a, b] = self._felt(a, b)
        return self._feelings[a, b]

    def _felt(self, a: Person, b: Person) -> str:
        facts = self.facts
        if (a, b) in facts["open"] or (a, b) in facts["grudge"]:
            return "cold"
        ties = ("friend", "love", "betrothed", "married")
        return "warm" if any((a, b) in facts[tie] for tie in ties) or kin(a, b) else "plain"

    def _cast(self, schema: Schema) -> dict[str, Person] | None:
        """Roles filled by way of one of the needed facts, so that most tries succeed."""
        who: dict[str, Person] = {}
        if wanted := schema.facts():
            facts = self.facts[wanted[0].name]
            if not facts:
                return None
            people = next(islice(facts, pick(self._c, len(facts)), None))
            who = dict(zip(wanted[0].roles, people, strict=True))
        roles = schema.roles if "C" in schema.roles else schema.roles + "C"
        for role in roles:
            who.setdefault(role, self._one())
        if len(set(who.values())) < len(who):
            return None
        held = all(_holds(self, n.name, tuple([who[r] for r in n.roles])) is n.holds for n in schema.need)
        return who if held and self._present(schema, who) else None

    def _present(self, schema: Schema, who: dict[str, Person]) -> bool:
        moves = schema.where in {"letter", "sick"} or schema.name in {"return", "sicken"}
        return moves or (self.here(who["A"]) and self.here(who["B"]))

    def _cause(self, schema: Schema, who: dict[str, Person]) -> Event | None:
        for n in schema.need:
            made = self.facts[n.name].get(tuple(who[r] for r in n.roles)) if n.holds else None
            if made:
                return made
        return None

    def _weight(self, schema: Schema, cause: Event | None, share: float, least: int) -> int:
        often = self._told[schema.name] - least
        weight = (_ORDINARY if cause is None else _CAUSED) // (1 + often * often) + 1
        if share < 0.12 and schema.name in _OPEN:
            weight *= 4
        if share > 0.85 and schema.name in _CLOSING:
            weight *= 6
        return weight

    def next(self, share: float) -> tuple[Schema, dict[str, Person], Event | None]:
        """Return the next event; `share` is the share of the book that is written."""
        options: list[tuple[int, Schema, dict[str, Person], Event | None]] = []
        least = min(self._told.values(), default=0)
        recent = {p for e in list(self.past)[-3:] for p in e.who.values()}
        while not options:
            for schema in schemas():
                for _ in range(2):
                    who = self._cast(schema)
                    if who:
                        cause = self._cause(schema, who)
                        weight = self._weight(schema, cause, share, least)
                        weight *= 2 if who["A"] in recent or who["B"] in recent else 1
                        options.append((weight, schema, who, cause))
                        break
        at = pick(self._c, sum(o[0] for o in options) or 1)
        for weight, schema, who, cause in options:
            at -= weight
            if at < 0:
                return schema, who, cause
        return options[-1][1:]

    def happen(self, event: Event) -> None:
        """Put an event's effects into the state."""
        self.past.append(event)
        self._near.clear()
        self._feelings.clear()
        self._told[event.schema.name] += 1
        for effect in event.schema.effects:
            people = tuple(event.who[r] for r in effect.roles)
            if effect.holds:
                self.facts[effect.name][people] = event
            else:
                self.facts[effect.name].pop(people, None)
