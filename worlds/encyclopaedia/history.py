"""Events of a block: battles, mishaps, offices, discoveries, ships."""

from __future__ import annotations

from .build import Making, american, measures, split, tenths, thousands
from .model import LAYOUT
from .names import data, genus_name
from .people import year_in_life

_DESCRIBED = (6, 3, 1)
_FIRST_WAR, _WAR_YEARS = 1884, 16


def make_history(m: Making) -> None:
    """Everything of this module."""
    _offices(m)
    _battles(m)
    _incidents(m)
    _species(m)
    _ships(m)


def _offices(m: Making) -> None:
    """Mayors follow one another: each politician is mayor of one of three towns."""
    s = m.s
    towns = s.sample(m.entities["town"], 4)
    for j, politician in enumerate(m.entities["politician"]):
        town = towns[j % 4]
        year = year_in_life(m, politician, 34, 60)
        town.groups.setdefault("mayors", []).append(politician)
        politician.years["office"] = year
        politician.state("party", m.word("parties"))
        politician.state("votes", *measures(thousands(s, 1_300, 39_000), "votes"))
    for town in towns:
        mayors = sorted(town.groups["mayors"], key=lambda p: p.years["office"])
        town.groups["mayors"] = []
        free = 0
        for mayor in mayors:
            first = max(free, mayor.years["office"])
            last = min(first + s.between(2, 9), mayor.years["died"])
            if first < last:
                free = last + 1
                mayor.link("seat", town)
                mayor.years |= {"office": first, "office_end": last}
                mayor.facts |= {"office_from": str(first), "office_to": str(last)}
                town.groups["mayors"].append(mayor)


def _battles(m: Making) -> None:
    """The year says in which war: one follows the other all over the world."""
    s, wars = m.s, data("words.yaml")["wars"]
    for town in s.sample(m.entities["town"], 3):
        battle = m.add("battle", f"Battle of {town.name}", short="the battle")
        general = s.choice(m.entities["general"])
        year = year_in_life(m, general, 30, 62)
        date = m.date(year)
        battle.facts |= {"type": "battle", "war": wars[(year - _FIRST_WAR) // _WAR_YEARS], "year": str(year)}
        battle.state("date", date, american(date))
        battle.years["date"] = year
        battle.link("town", town)
        battle.link("winner", general)
        battle.state("loser", m.minor("men"))
        battle.state("dead", *measures(thousands(s, 310, 9_800), "men"))
        general.groups.setdefault("battles", []).append(battle)
    for general in m.entities["general"]:
        general.facts["regiment"] = f"{s.between(4, 20)}th {m.word('regiments')}"
        general.facts["rank_year"] = str(year_in_life(m, general, 36, 58))


def _incidents(m: Making) -> None:
    s = m.s
    for town in s.sample(m.entities["town"], 4):
        kind, causes = s.choice(list(data("words.yaml")["incidents"].items()))
        year = s.between(1885, 1968)
        incident = m.add("incident", f"{town.name} {kind} of {year}", short=f"the {kind.split()[-1]}")
        incident.aliases.append(f"{year} {town.name} {kind}")
        date = m.date(year)
        incident.facts |= {"type": kind, "year": str(year)}
        incident.state("date", date, american(date))
        incident.years["date"] = year
        incident.link("town", town)
        incident.state("cause", s.choice(causes))
        incident.state("inquiry", m.minor())
        if s.chance(0.6):
            incident.state("rescuer", m.minor())
        incident.state("damage", *measures(thousands(s, 11_000, 880_000), "crowns"))
        incident.facts["memorial_year"] = str(year + s.between(2, 44))


def _species(m: Making) -> None:
    s = m.s
    owners = split(s, range(LAYOUT["species"]), _DESCRIBED)
    owner = {slot: person for person, own in zip(m.entities["naturalist"], owners, strict=False) for slot in own}
    numbers = [m.block * 2 + j for j in (0, 1)]
    names = [genus_name(m.seed, number) for number in numbers]
    kinds = data("words.yaml")["animals"]
    animals = [list(kinds)[number % len(kinds)] for number in numbers]
    epithets = s.sample(data("names.yaml")["epithets"], LAYOUT["species"])
    for slot in range(LAYOUT["species"]):
        genus, animal, epithet = names[slot % 2], animals[slot % 2], epithets[slot]
        stem = s.choice(m.entities["town"]).name
        common = f"{stem} {m.word('animal_marks')} {animal}"
        species = m.add("species", f"{genus} {epithet}", short="the species")
        species.aliases += [common, f"{genus[0]}. {epithet}"]
        describer = owner[slot]
        year = year_in_life(m, describer, 26, 70)
        species.facts |= {"type": animal, "common": common, "genus": genus}
        species.facts |= {"year": str(year)}
        species.years["described"] = year
        species.link("describer", describer)
        describer.groups.setdefault("species", []).append(species)
        species.state("habitat", s.choice(kinds[animal]["habitats"]))
        species.state("food", s.choice(kinds[animal]["foods"]))
        species.state("threat", m.word("threats"))
        species.state("collector", m.minor())
        species.state("size", *measures(tenths(s, 11, 96), "millimetres", "millimeters", "mm"))


def _ships(m: Making) -> None:
    s = m.s
    yard = next(c for c in m.entities["company"] if c.facts["type"] == "shipyard")
    for _ in range(LAYOUT["ship"]):
        ship = m.add("ship", f"SS {m.minor('women')}", short="the ship")
        ship.aliases.append(ship.name.removeprefix("SS "))
        year = s.between(1885, 1938)
        date = m.date(year)
        ship.facts |= {"type": s.choice(("cargo steamer", "passenger steamer", "paddle steamer")), "year": str(year)}
        ship.years["launched"] = year
        ship.state("launched", date, american(date))
        ship.link("builder", yard)
        ship.state("captain", m.minor("men"))
        ship.state("tonnage", *measures(thousands(s, 310, 14_200), "tons"))
        ship.facts["fate"] = m.word("fates")
        ship.link("fate_town", s.choice(m.entities["town"]))
        ship.facts["fate_year"] = str(year + s.between(6, 44))
        yard.groups.setdefault("ships", []).append(ship)
