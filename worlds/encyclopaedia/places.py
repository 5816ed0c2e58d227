"""Region, waters, mountains, towns and their buildings."""

from __future__ import annotations

from .build import Making, american, measures, split, tenths, thousands
from .model import Entity
from .names import data, place_name, river_name
from .people import year_in_life

_PLACES = 26  # names of places that a block takes
_TOWN_PEOPLE = (16, 12, 9, 7, 6, 5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1)
_RIVER_TOWNS = (7, 5, 4)
_SIZES = ((50_000, "city"), (9_000, "town"), (3_000, "market town"), (0, "village"))  # fewest inhabitants
_BUILDINGS = (6, 4, 1, 1)
_METRES = ("metres", "meters", "m")
_SQUARE = ("square kilometres", "square kilometers", "km2", "km²", "sq km")


def make_land(m: Making) -> None:
    """Region, rivers, lakes, mountains and towns."""
    s, pools, name = m.s, m.culture, iter(range(10**6))

    def place() -> str:
        return place_name(m.seed, pools, m.place * _PLACES + next(name))

    stem = place()
    region = m.add("region", f"{stem} {s.choice(('Province', 'County', 'Region', 'District'))}", pronoun="it")
    region.facts |= {"type": "region", "stem": stem}
    for j in range(3):
        river = m.add("river", f"River {river_name(m.seed, pools, m.place * 3 + j)}")
        river.short = "the river"
        lake_stem, peak = place(), place()
        m.add("lake", f"Lake {lake_stem}").short = "the lake"
        m.add("mountain", f"Mount {peak}").short = "the mountain"
        river.aliases.append(river.name.removeprefix("River ") + " River")
    for _ in range(16):
        m.add("town", place())
    _waters(m)
    _towns(m, [place() for _ in range(3)])
    _region(m, region)


def _waters(m: Making) -> None:
    s = m.s
    rivers, lakes, mountains = (m.entities[kind] for kind in ("river", "lake", "mountain"))
    region = m.entities["region"][0]
    for river, lake, mountain in zip(rivers, s.shuffled(lakes), s.shuffled(mountains), strict=True):
        river.state("length", *measures(tenths(s, 31, 480), "kilometres", "kilometers", "km"))
        river.link("source", mountain)
        river.link("mouth", lake)
        lake.link("feeder", river)
        lake.state("area", *measures(tenths(s, 4, 310), *_SQUARE))
        lake.state("depth", *measures(tenths(s, 12, 240), *_METRES))
        elevation = thousands(s, 1040, 3980)
        mountain.state("elevation", *measures(elevation, *_METRES))
        mountain.years["elevation"] = int(elevation[1])
        mountain.state("climber", m.minor())
        date = m.date(s.between(1838, 1881))
        mountain.state("climbed", date, american(date))
        mountain.facts["range"] = f"{region.facts['stem']} {m.word('ranges')}"
        if s.chance(0.6):
            lake.state("surveyor", m.minor())
            lake.facts["survey_year"] = str(s.between(1850, 1930))
        if s.chance(0.6):
            river.state("engineer", m.minor())
            river.facts["works_year"] = str(s.between(1840, 1960))
    for kind in ("river", "lake", "mountain"):
        for entity in m.entities[kind]:
            entity.facts |= {"type": kind}
            entity.link("region", region)


def _towns(m: Making, old_names: list[str]) -> None:
    s, towns = m.s, m.entities["town"]
    for river, along in zip(m.entities["river"], split(s, towns, _RIVER_TOWNS), strict=True):
        river.groups["towns"] = river.groups["river_towns"] = along
        for town in along:
            town.link("river", river)
    for town in towns:
        f = town.facts
        people, plain = thousands(s, 1_100, 190_000)
        f["type"] = next(name for least, name in _SIZES if int(plain) >= least)
        town.state("population", people, plain)
        town.years["population"] = int(plain)
        f["census"] = str(s.choice((1991, 1996, 2001, 2006, 2011)))
        town.state("founder", m.minor())
        town.years["founded"] = s.between(1090, 1660)
        f["founded_year"] = str(town.years["founded"])
        f["industry"] = m.word("industries")
        f["landmark_age"] = str(s.between(1661, 1800))
        elevation, _ = thousands(s, 12, 880)
        f["elevation"] = f"{elevation} metres"
        date = m.date(s.between(1846, 1911))
        town.state("railway", date, american(date))
        if s.chance(0.7):
            town.state("saint", m.word("saints"))
        if s.chance(0.5):
            town.state("dish", m.word("dishes"))
        if s.chance(0.5):
            town.state("twin", m.word("twins"))
        town.link("region", m.entities["region"][0])
    for town, old in zip(s.sample(towns, len(old_names)), old_names, strict=True):
        town.facts["former"] = old
        town.aliases.append(old)


def _region(m: Making, region: Entity) -> None:
    s, towns = m.s, m.entities["town"]
    region.link("capital", s.choice([town for town in towns if town.facts["type"] == "city"] or towns))
    region.state("area", *measures(thousands(s, 1_300, 24_000), *_SQUARE))
    people = sum(town.years["population"] for town in towns) * 2 + s.below(9_000)
    region.state("population", f"{people:,}", str(people))
    region.link("peak", max(m.entities["mountain"], key=lambda peak: peak.years["elevation"]))
    region.groups["towns"], region.groups["mountains"] = towns, m.entities["mountain"]
    region.state("governor", m.minor())
    region.facts["founded_year"] = str(s.between(1790, 1880))
    region.years["founded"] = int(region.facts["founded_year"])


def settle(m: Making) -> None:
    """Birthplaces, deaths and schools of the people."""
    s, towns, people = m.s, m.entities["town"], m.people()
    for town, born in zip(towns, split(s, people, _TOWN_PEOPLE), strict=True):
        town.groups["natives"] = born
        for person in born:
            person.link("birthplace", town)
    for person in people:
        if s.chance(0.85):
            person.link("deathplace", s.choice(towns))
            if s.chance(0.3):
                person.state("burial", f"{m.word('saints')} Cemetery")
        if s.chance(0.4):
            person.link("residence", s.choice(towns))


def make_institutions(m: Making) -> None:
    """Schools, buildings, clubs and newspapers. People must be settled."""
    _schools(m)
    _buildings(m)
    _clubs(m)
    _newspapers(m)


def _schools(m: Making) -> None:
    s = m.s
    towns = s.sample(m.entities["town"], 3)
    for town in towns:
        school = m.add("school", f"{town.name} {s.choice(('Academy', 'Grammar School', 'College', 'Institute'))}")
        school.short = "the school"
        school.facts |= {"type": "school"}
        school.link("town", town)
        _founded(m, school, s.between(1620, 1868))
        school.state("founder", m.minor())
        school.state("head", m.minor())
        school.facts["head_year"] = str(s.between(1960, 2008))
        if s.chance(0.75):
            school.state("motto", f"{m.word('motto_a')} {m.word('motto_b')}")
        school.state("pupils", *measures(thousands(s, 210, 1900), "pupils"))
        school.groups["alumni"] = []
    schools = m.entities["school"]
    for person in m.people():
        if s.chance(0.45):
            school = s.choice(schools)
            person.link("school", school)
            school.groups["alumni"].append(person)


def _founded(m: Making, entity: Entity, year: int) -> None:
    date = m.date(year)
    entity.years["founded"] = year
    entity.state("founded", date, american(date))
    entity.facts["founded_year"] = str(year)


def _buildings(m: Making) -> None:
    s = m.s
    architects = s.shuffled(m.entities["architect"])
    owners = [a for a, share in zip(architects, _BUILDINGS, strict=False) for _ in range(share)]
    sites: set[tuple[str, str]] = set()
    for architect in owners:
        town, kind = s.choice(m.entities["town"]), m.word("building_kinds")
        while (town.name, kind) in sites:
            town = s.choice(m.entities["town"])
        sites.add((town.name, kind))
        building = m.add("building", f"{town.name} {kind.title()}", short=f"the {kind.split()[-1]}")
        year = year_in_life(m, architect, 28, 68)
        building.facts |= {"type": kind, "style": m.word("styles"), "material": m.word("materials")}
        building.link("architect", architect)
        building.link("town", town)
        _founded(m, building, year)
        building.facts["opened"], building.also["opened"] = building.facts["founded"], building.also["founded"]
        building.years["opened"] = year
        building.state("height", *measures(tenths(s, 14, 118), *_METRES))
        if s.chance(0.7):
            building.state("contractor", m.minor())
        if s.chance(0.6):
            building.state("cost", *measures(thousands(s, 14_000, 940_000), "crowns"))
        if s.chance(0.6):
            building.state("opener", m.minor())
        architect.groups.setdefault("buildings", []).append(building)
        town.groups.setdefault("buildings", []).append(building)


def _clubs(m: Making) -> None:
    s = m.s
    for number, town in enumerate(s.sample(m.entities["town"], 6)):
        form = s.choice(data("words.yaml")["club_forms"])
        club = m.add("club", f"{town.name} {form}", short="the club")
        club.aliases.append(f"{town.name} {form} F.C.")
        club.facts |= {"type": "football club", "colours": m.word("colours")}
        club.link("town", town)
        _founded(m, club, s.between(1858, 1878))
        club.state("nickname", f"the {(nick := m.word('club_nicknames'))}", nick)
        club.state("founder", m.minor())
        club.state("ground", s.choice(data("words.yaml")["ground_forms"]).format(m.minor().split()[-1]))
        club.state("manager", m.minor())
        attendance, plain = thousands(s, 4_100, 46_000)
        club.state("attendance", attendance, plain)
        club.facts["record_year"] = str(s.between(1921, 1978))
        club.facts["cup_year"] = str(1905 + 14 * number + s.below(14))  # none in the year of another
        club.groups["players"] = []
    for player in m.entities["footballer"]:
        club = s.choice(m.entities["club"][:4])
        player.link("club", club)
        player.years["debut"] = year_in_life(m, player, 17, 23)
        player.facts["debut_year"] = str(player.years["debut"])
        player.facts["position"] = m.word("positions")
        if player.facts["position"] != "goalkeeper":
            player.state("goals", *measures(thousands(s, 11, 260), "goals"))
        club.groups["players"].append(player)


def _newspapers(m: Making) -> None:
    s = m.s
    for town in s.sample(m.entities["town"], 3):
        title = m.word("press")
        paper = m.add("newspaper", f"The {town.name} {title}", short="the paper")
        paper.aliases.append(f"{town.name} {title}")
        paper.facts |= {"type": "newspaper"}
        paper.link("town", town)
        _founded(m, paper, s.between(1802, 1880))
        paper.state("founder", m.minor())
        paper.state("editor", m.minor())
        paper.facts["editor_year"] = str(s.between(1955, 2006))
        circulation, plain = thousands(s, 3_000, 140_000)
        paper.state("circulation", circulation, plain)
