"""The people of a block: families, lives, names and other names."""

from __future__ import annotations

from haymaker.english import MONTHS

from .build import Making, american
from .model import LAYOUT, PEOPLE, Entity
from .names import pick, work_titles

LAST_YEAR = 2012  # who would have died later is alive
NAMESAKES = 7  # pairs per block
_OCCUPATIONS = {"director": "film director", "general": "army officer"}
_FAMILY_SIZES = (4, 4, *(3,) * 8)
_KIN_AGE = (22, 38)
_MODERN, _MODERN_UNTIL = {"director", "actor", "singer", "footballer"}, 1945  # crafts of the age of film and radio
_COMPANIONS = {
    "painter": "dealer",
    "composer": "librettist",
    "singer": "discoverer",
    "architect": "partner",
    "politician": "rival",
    "footballer": "trainer",
    "naturalist": "field_assistant",
    "general": "adjutant",
    "engineer": "backer",
}
_STAGE = {"singer", "actor", "novelist"}
_DECORATED = {"politician", "general", "engineer", "composer", "architect"}


def make_people(m: Making) -> None:
    """Everybody with an article: names, dates, kin."""
    kinds = [kind for kind in PEOPLE for _ in range(LAYOUT[kind])]
    extra = len(kinds) - sum(_FAMILY_SIZES) - (len(m.families) - len(_FAMILY_SIZES))
    sizes = [*_FAMILY_SIZES, *(2,) * extra, *(1,) * (len(m.families) - len(_FAMILY_SIZES) - extra)]
    seats = m.s.shuffled([(f, j) for f, size in enumerate(sizes) for j in range(size)])
    homes: list[list[Entity]] = [[] for _ in sizes]
    for kind, (f, j) in zip(kinds, seats, strict=True):
        homes[f].append(_person(m, kind, f, j))
    for home in homes:
        _family_life(m, home)
    _marry(m)
    _namesakes(m)


def finish_people(m: Making) -> None:
    """Other names and small facts. Towns must be there, and everybody settled in one."""
    for person in m.people():
        _other_names(m, person)
        _details(m, person)


def _person(m: Making, kind: str, f: int, j: int) -> Entity:
    family, woman = m.families[f], m.s.chance(0.42)
    given = (family.women if woman else family.men)[j]
    name = f"{given} {family.surname}"
    person = m.add(kind, name, short=family.surname, pronoun="she" if woman else "he")
    occupation = _OCCUPATIONS.get(kind, kind)
    person.facts |= {"given": given, "surname": family.surname, "type": occupation, "occupation": occupation}
    person.facts["child"] = "daughter" if woman else "son"
    return person


def _family_life(m: Making, home: list[Entity]) -> None:
    """Births and deaths of one family; the first is the parent of the others."""
    if len(home) == 1:
        _live(m, home[0], m.era + m.s.below(56))
        return
    parent, *children = home
    _live(m, parent, m.era + m.s.below(20))
    role = "mother" if parent.pronoun == "she" else "father"
    for child in children:
        _live(m, child, parent.years["born"] + m.s.between(*_KIN_AGE))
        if m.s.chance(0.85):
            child.link(role, parent)
            child.link("parent", parent)
            parent.groups.setdefault("children", []).append(child)


def _live(m: Making, person: Entity, born: int) -> None:
    age = 38 + m.s.below(30) + m.s.below(28)
    if person.kind in _MODERN:
        age = max(age, _MODERN_UNTIL - born)
    person.years["born"] = born
    date = m.date(born)
    person.state("born", date, american(date))
    person.facts["born_year"] = str(born)
    person.facts["was"] = "was"
    if born + age > LAST_YEAR:
        person.facts["was"] = "is"
        person.years["end"] = LAST_YEAR - 2
        person.facts["span"] = f"born {date}"
        return
    person.years["died"] = person.years["end"] = born + age
    death = m.date(born + age)
    person.state("died", death, american(death))
    person.facts["died_year"] = str(born + age)
    person.facts["span"] = f"{date} – {death}"


def _age(born: str, died: str) -> int:
    (d0, m0, y0), (d1, m1, y1) = born.split(), died.split()
    return int(y1) - int(y0) - ((MONTHS.index(m1), int(d1)) < (MONTHS.index(m0), int(d0)))


def year_in_life(m: Making, person: Entity, low: int, high: int) -> int:
    """A year in which somebody was `low` to `high` years old, and alive."""
    first = person.years["born"] + low
    last = max(first, min(person.years["born"] + high, person.years["end"] - 1))
    return m.s.between(first, last)


def _marry(m: Making) -> None:
    women = m.s.shuffled([p for p in m.people() if p.pronoun == "she"])
    free = [p for p in m.people() if p.pronoun == "he"]
    for woman in women:
        fits = [man for man in free if abs(man.years["born"] - woman.years["born"]) < 14 and man.short != woman.short]
        if not fits or m.s.chance(0.45):
            continue
        man = m.s.choice(fits)
        free.remove(man)
        year = max(p.years["born"] for p in (man, woman)) + m.s.between(21, 32)
        for one, other in ((man, woman), (woman, man)):
            one.link("spouse", other)
            one.facts["married_year"] = str(year)


def _namesakes(m: Making) -> None:
    """Some bear the name of another; their articles are told apart by occupation."""
    people = m.s.shuffled(m.people())
    free = [p for p in people if "parent" not in p.facts and not p.groups]
    for one in people:
        fits = [p for p in free if p.kind != one.kind and p.pronoun == one.pronoun and not p.namesake and p is not one]
        if one.namesake or not fits or sum(p.namesake for p in people) >= 2 * NAMESAKES:
            continue
        other = fits[0]
        other.name, other.short, other.aliases = one.name, one.short, [one.name]
        other.facts |= {"given": one.facts["given"], "surname": one.short}
        for person in (one, other):
            person.title = f"{person.name} ({person.facts['type']})"
        one.groups["namesakes"], other.groups["namesakes"] = [other], [one]
        if "spouse" in other.refs:
            other.refs["spouse"].facts["spouse"] = other.name


def _other_names(m: Making, person: Entity) -> None:
    """Full name, birth name, stage name, title, initials: what a question may accept."""
    f = person.facts
    given, surname = f["given"], f["surname"]
    pool = m.culture.women if person.pronoun == "she" else m.culture.men
    middle = m.s.choice([name for name in pool if name != given])
    f["full"] = f"{given} {middle} {surname}"
    also = [f["full"], f"{given} {middle[0]}. {surname}", f"{given[0]}. {middle[0]}. {surname}"]
    if person.kind in _DECORATED and m.s.chance(0.3):
        f["honour"] = "Dame" if person.pronoun == "she" else "Sir"
        also.append(f"{f['honour']} {person.name}")
    if m.s.chance(0.3):
        nick = m.word("nicknames")
        f["nickname"] = (
            f"the {nick} of {f['birthplace']}" if "birthplace" in f and m.s.chance(0.5) else f"{nick} {surname}"
        )
        also.append(f["nickname"])
    if person.kind in _STAGE and m.s.chance(0.35):
        f["birth_name"] = m.minor("women" if person.pronoun == "she" else "men")
        also.append(f["birth_name"])
    elif person.pronoun == "she" and "spouse" in f and m.s.chance(0.5):
        f["married_name"] = f"{given} {person.refs['spouse'].short}"
        also.append(f["married_name"])
    person.aliases += also


def _details(m: Making, person: Entity) -> None:
    """What a life has besides dates and kin; places and schools are filled in by the block."""
    f, s = person.facts, m.s
    f["nationality"] = m.culture.people
    f["trade"] = m.word("trades")
    if "father" not in f and s.chance(0.6):
        person.state("father", m.minor("men"))
        f["father_trade"] = m.word("trades")
    if "mother" not in f and s.chance(0.35):
        person.state("mother", m.minor("women"))
    if s.chance(0.3):
        person.state("teacher", m.minor())
    if s.chance(0.2):
        person.state("religion", m.word("religions"))
    if s.chance(0.25):
        person.state("biographer", m.minor())
        f["biography_year"] = str(min(LAST_YEAR, person.years["end"] + 3 + s.below(25)))
    _of_the_craft(m, person)
    if "died_year" in f:
        f["age"] = str(_age(f["born"], f["died"]))
    if "spouse" not in f and s.chance(0.45):
        person.state("spouse", m.minor("men" if person.pronoun == "she" else "women"))
        f["married_year"] = str(person.years["born"] + s.between(22, 34))
    if s.chance(0.3):
        f["study"] = m.word("studies")
    if s.chance(0.25):
        f["hobby"] = m.word("hobbies")


def _of_the_craft(m: Making, person: Entity) -> None:
    """A fact or two that only people of one occupation have."""
    f, kind = person.facts, person.kind
    minor = _COMPANIONS.get(kind)
    if minor and m.s.chance(0.75):
        person.state(minor, m.minor())
    if kind in ("painter", "composer"):
        work = "masterpiece" if kind == "painter" else "opera"
        title = pick(work_titles(), m.spare_title(), m.seed, "works")
        person.state(work, title)
        f[f"{work}_year"] = str(year_in_life(m, person, 25, 70))
