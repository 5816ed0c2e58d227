"""Facts and questions for each kind of entity: the YAML files of this package, merged and compiled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from .model import LAYOUT
from .names import data
from .phrases import Pattern, pattern

_FILES = ("people.yaml", "places.yaml", "works.yaml")
Patterns = tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """One sort of fact.

    Attributes:
        name: of the relation.
        value: the fact that answers questions about it.
        say: sentences that state it.
        ask, tail, keys: questions in natural wording, one in fixed wording, search queries; none where the value comes from a short
            list: it occurs in the text but not in questions.
        the: descriptions of the value ("the author of X"), for questions of two hops.
        clue: what may be said of the entity by this fact ("was written by Y").
        hint: what narrows an unnamed entity down and others may share: an apposition for `identity`, else a relative clause.
        first, last: comparisons of two entities by year or number.
        key: what they compare.
    """

    name: str
    value: str
    say: Patterns
    ask: Patterns
    tail: Pattern | None
    keys: Patterns
    the: Patterns
    clue: Patterns
    hint: Patterns
    first: Patterns
    last: Patterns
    key: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an article: heading, relations told, group listed, sentences that fill it."""

    heading: tuple[str, ...]
    tell: tuple[Relation, ...]
    group: str
    fill: Patterns


@dataclass(frozen=True, slots=True)
class Kind:
    """How articles of one kind are written; `extra` are sections that only some articles have."""

    name: str
    lead: tuple[Relation, ...]
    sections: tuple[Section, ...]
    extra: tuple[Section, ...]
    relations: dict[str, Relation]


def _patterns(sources: list[str] | None) -> Patterns:
    return tuple(pattern(source) for source in sources or ())


def _relation(name: str, entry: dict[str, Any]) -> Relation:
    compare = entry.get("compare", {})
    return Relation(
        name=name,
        value=entry.get("value", name),
        say=_patterns(entry["say"]),
        ask=_patterns(entry.get("ask")),
        tail=pattern(entry["tail"]) if "tail" in entry else None,
        keys=_patterns(entry.get("keys")),
        the=_patterns(entry.get("the")),
        clue=_patterns(entry.get("clue")),
        hint=_patterns(entry.get("hint")),
        first=_patterns(compare.get("first")),
        last=_patterns(compare.get("last")),
        key=compare.get("key", ""),
    )


@cache
def kinds() -> dict[str, Kind]:
    """All kinds of LAYOUT."""
    entries: dict[str, Any] = {}
    for file in _FILES:
        entries |= data(file)
    common = data("common.yaml")
    circle = {kind: group for group, members in common["groups"].items() for kind in members}
    return {name: _kind(name, entries, common["sections"][circle[name]], common["fill"]) for name in LAYOUT}


def _kind(name: str, entries: dict[str, Any], extra: list[Any], common: dict[str, list[str]]) -> Kind:
    own = entries[name]
    base = entries[own["like"]] if "like" in own else {}
    relations = {n: _relation(n, e) for n, e in (base.get("relations", {}) | own["relations"]).items()}
    fills = base.get("fill", {}) | own["fill"]
    general = base.get("sections", [])
    sections = [*general[:1], *own["sections"], *general[1:]]  # youth, work, the rest of a life
    return Kind(
        name,
        tuple(relations[n] for n in own.get("lead", base.get("lead"))),
        tuple(_section(section, relations, fills) for section in sections),
        tuple(_section(section, relations, common) for section in extra),
        relations,
    )


def _section(entry: dict[str, Any], relations: dict[str, Relation], fills: dict[str, list[str]]) -> Section:
    return Section(
        tuple(entry["heading"]),
        tuple(relations[n] for n in entry.get("tell", ())),
        entry.get("list", ""),
        _patterns(fills[entry["fill"]]) if "fill" in entry else (),
    )
