"""Plan of a chronicle before the text is written: parishes with bridges and schools, officers, builders, givers, disasters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from haymaker.core.rng import Stream
from worlds.prose.texts import lexicon

from .chronicles_facts import Actor, Deed, Part, Thread
from .wording import Deck, Endless, data

FILE = "chronicles.yaml"
THEMES = 8  # kinds of things that a part of the book tells of
_HAS = 0.88  # of these, how many a parish has
_SPAN = 150  # years that a chronicle covers
_LIFE = 28  # years in which a builder or a giver is at work
_DATED = ("grown", "kept", "turned")
_ASIDES = 0.18  # of the words, about, for sentences that no question asks for
_DEED_WORDS = {"founded": 38, "measure": 15, "grown": 14, "kept": 16, "turned": 14, "struck": 52, "after": 32}  # about
_OFFICE_WORDS, _OTHER_WORDS = 180, 1_250  # about: both offices of a parish; people, misfortunes, headings
_HELPERS = {"founded": "builder", "grown": "donor", "kept": "keeper"}  # who has a hand in a deed


class Planner:
    """Plans parts one after the other.

    Args:
        s: decides everything.
        places, people: names, each given once; givers are of both sexes, builders and officers men, as they were.
    """

    def __init__(self, s: Stream, places: Iterator[str], people: Iterator[str]) -> None:
        self._s, self._places, self._people = s, places, people
        self._men = (name for name in people if name.split(maxsplit=1)[0] in lexicon()["name.man"])
        self._data = data(FILE)
        self._first = 1600 + s.below(120)

    def part(self, number: int, parishes: int, words: float) -> Part:
        """The next part.

        Args:
            number: from 0.
            parishes: how many it has; not all of them have all things.
            words: that it may take to tell.
        """
        s, things = self._s, self._data["things"]
        places = [next(self._places) for _ in range(parishes)]
        themes = s.sample([name for name in things if things[name].get("earliest", 0) <= self._first], THEMES)
        part = Part(number, f"{s.choice(self._data['parts'])} {next(self._places)}", places, themes, [], [], [])
        for theme in themes:
            pools = {"reason": things[theme]["founded"]["reason"], "why": things[theme]["turned"]["why"]}
            pools["stead"] = things[theme]["after"]["stead"]
            decks = {key: Endless[str](s, pool) for key, pool in pools.items()}
            part.threads += [self._thread(part, theme, place, decks) for place in places if s.chance(_HAS)]
        self._trim(part, words)
        for name in ("reeve", "parson"):
            trades = Endless[str](s, self._data["trades"][name])
            part.offices += [self._office(part, name, place, trades) for place in places]
        self._accidents(part)
        self._blows(part)
        self._helpers(part)
        return part

    def _trim(self, part: Part, words: float) -> None:
        """Leaves out things that there is no room for, and keeps some room for other sentences."""
        room = words * (1 - _ASIDES) - _OFFICE_WORDS * len(part.places) - _OTHER_WORDS
        size = {id(thread): sum(_DEED_WORDS[stage] for stage in thread.deeds) for thread in part.threads}
        for thread in self._s.shuffled(part.threads):
            if sum(size[id(each)] for each in part.threads) <= room:
                return
            part.threads.remove(thread)

    def _thread(self, part: Part, theme: str, place: str, decks: dict[str, Endless[str]]) -> Thread:
        """Return the stages with `founded` first and the rest in any order."""
        s, thing = self._s, self._data["things"][theme]
        year = self._first + 6 + s.below(80)
        slots: dict[str, Any] = {"place": place, "a_noun": thing["a_noun"], "title": thing["title"]}
        slots |= {"noun": _bare(thing["a_noun"]), "one": f"the {_bare(thing['a_noun'])} at {place}"}
        thread = Thread(theme, place)
        for stage in ("founded", *(stage for stage in s.shuffled(_DATED) if s.chance(0.9))):
            deed = Deed(stage, theme, place, part.number, year, slots | self._values(stage, decks))
            words = self._data["kept"] if stage == "kept" else thing[stage]
            thread.deeds[stage] = deed
            if stage != "kept":
                deed.event, deed.noun = (words.get(key, "").format_map(deed.slots) for key in ("event", "noun"))
            year += s.between(4, 22)
        measure = thing["measure"]
        number = s.between(*measure["range"])
        thread.deeds["measure"] = Deed("measure", theme, place, part.number, 0, slots | {"n": number})
        thread.deeds["measure"].noun = measure["of"].format_map(slots)
        if s.chance(0.6):
            self._strike(part, thread, slots | {"stead": decks["stead"].deal()})
        return thread

    def _values(self, stage: str, decks: dict[str, Endless[str]]) -> dict[str, Any]:
        s = self._s
        if stage == "founded":
            return {"reason": decks["reason"].deal(), "cost": _money(s, 210, 8_900)}
        if stage == "grown":
            return {"gift": _money(s, 210, 8_900)}
        if stage == "kept":
            return {"origin": next(self._places)}
        return {"why": decks["why"].deal()}

    def _strike(self, part: Part, thread: Thread, slots: dict[str, Any]) -> None:
        s, thing = self._s, self._data["things"][thread.theme]
        taken = {deed.year for deed in thread.deeds.values()}
        founded = thread.deeds["founded"].year
        years = [year for year in range(founded + 3, founded + 65) if year not in taken]
        kind = s.choice(thing["accidents"])
        words = self._data["struck"]["kinds"][kind]
        struck = Deed("struck", thread.theme, thread.place, part.number, s.choice(years), slots | {"kind": kind})
        struck.event = words["event"].format_map(slots)
        thread.deeds["struck"] = struck
        thread.deeds["after"] = Deed("after", thread.theme, thread.place, part.number, 0, slots)
        thread.deeds["after"].event = thing["after"]["said"].format_map(slots)

    def _accidents(self, part: Part) -> None:
        """Their causes, of a kind all different as long as there are enough."""
        s, kinds = self._s, self._data["struck"]["kinds"]
        decks = {kind: Endless[str](s, words["cause"]) for kind, words in kinds.items()}
        for thread in part.threads:
            if struck := thread.deeds.get("struck"):
                struck.slots |= {"cause": decks[struck.slots["kind"]].deal(), "loss": _money(s, 40, 3_000)}

    def _office(self, part: Part, name: str, place: str, trades: Endless[str]) -> list[Deed]:
        """Five or six holders after one another."""
        s, held = self._s, []
        year = self._first + s.below(9)
        for _ in range(s.between(5, 6)):
            slots = {"place": place, "who": next(self._men), "trade": trades.deal(), "office": name}
            held.append(Deed("held", name, place, part.number, year, slots))
            year += s.between(11, 36)
        return held

    def _blows(self, part: Part) -> None:
        """Misfortunes of the whole district, and the things that suffered in them."""
        s = self._s
        for name in s.sample(self._data["blows"]["names"], 4):
            year = self._first + s.between(50, _SPAN - 20)
            own = Deed("misfortune", "", "", part.number, year, {"blow": name})
            free = [t for t in part.threads if "blow" not in t.deeds and t.deeds["founded"].year < year - 2]
            actor = Actor("blow", name, own.slots, [], own)
            for theme in s.sample(part.themes, 4):
                if of_theme := [thread for thread in free if thread.theme == theme]:
                    thread = s.choice(of_theme)
                    slots = thread.deeds["founded"].slots | {"blow": name}
                    deed = Deed("blow", theme, thread.place, part.number, 0, slots, noun=slots["one"])
                    thread.deeds["blow"] = deed
                    actor.deeds.append(deed)
            part.actors.append(actor)

    def _helpers(self, part: Part) -> None:
        """Builders, givers and keepers of several deeds; everybody else comes once."""
        s, people = self._s, self._data["notables"]
        for stage, role in _HELPERS.items():
            names = self._people if role == "donor" else self._men
            free = s.shuffled([t.deeds[stage] for t in part.threads if stage in t.deeds])
            told = {key: Deck(s, people[key]) for key in ("fortune", "habit")}
            for _ in range(4 if role == "keeper" else 5):
                if group := self._group(free, 2 if role == "keeper" else s.between(2, 3), 3 if role == "keeper" else 0):
                    name = next(names)
                    slots = {"who": name, "origin": next(self._places)}
                    slots |= {
                        "donor": {"fortune": told["fortune"].deal()},
                        "builder": {"habit": told["habit"].deal()},
                    }.get(role, {})
                    own = Deed(role, "", "", part.number, 0, slots)
                    part.actors.append(Actor(role, name, slots, group, own))
                    free = [deed for deed in free if deed not in group]
                    for deed in group:
                        deed.slots |= {role: name, "origin": slots["origin"]}
            for deed in free:
                deed.slots[role] = next(names)
        words = self._data["kept"]
        for thread in part.threads:
            if kept := thread.deeds.get("kept"):
                kept.event = words["event"].format_map(kept.slots)

    def _group(self, free: Sequence[Deed], size: int, apart: int) -> list[Deed]:
        """Deeds of one life, each of another kind of thing; empty where there are none."""
        for first in free:
            group = [first]
            for deed in free:
                near = all(apart <= abs(deed.year - other.year) <= _LIFE - 6 for other in group)
                if near and deed.theme not in {other.theme for other in group} and len(group) < size:
                    group.append(deed)
            if len(group) == size:
                return group
        return []


def _bare(noun: str) -> str:
    """Without its article."""
    return noun.split(maxsplit=1)[1]


def _money(s: Stream, low: int, high: int) -> str:
    """A sum, to the crown: of round ones a long document would tell every one there is."""
    return f"{s.between(low, high):,} crowns"
