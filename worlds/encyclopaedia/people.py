"""The people of a block: families, lives, names and other names."""

from __future__ import annotations

from haymaker.core.text.english_grammar import MONTHS

from .build import MOST_KIN, Making, american
from .model import LAYOUT, PEOPLE, Entity
from .names import pick, work_titles

LAST_YEAR, _LAST_DEATH = 2012, 2008  # of this world; of its people, whose lives are all over
NAMESAKES = 7  # pairs per block
_OCCUPATIONS = {"director": "film director", "general": "army officer"}
_FAMILY_SIZES = (MOST_KIN, MOST_KIN, *(3,) * 8)
_KIN_AGE, _PARENT_AGE = (22, 38), 58  # of parents at a birth; at their death at least, so that no child is an orphan
_MARRIED = 27  # all are by this age who marry somebody with an article
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
    roles = ("daughter", "mother", "husband") if woman else ("son", "father", "wife")
    person.facts |= zip(("child", "parenthood", "mate"), roles, strict=True)
    return person


def _family_life(m: Making, home: list[Entity]) -> None:
    """Births and deaths of one family; the first is the parent of the others."""
    if len(home) == 1:
        _live(m, home[0], m.era + m.s.below(56))
        return
    parent, *others = home
    _live(m, parent, m.era + m.s.below(20), _PARENT_AGE)
    role = parent.facts["parenthood"]
    for child in others:
        _live(m, child, parent.years["born"] + m.s.between(*_KIN_AGE))
        if m.s.chance(0.85):
            child.link(role, parent)
            child.link("parent", parent)
            child.facts[f"{role}_trade"] = parent.facts["occupation"]
            parent.groups.setdefault("children", []).append(child)
    if "children" in parent.groups and m.s.chance(0.7):
        _other_parent(m, parent, parent.groups["children"])


def _other_parent(m: Making, parent: Entity, children: list[Entity]) -> None:
    """Whom a parent married: all the children have the same two parents and the father's surname."""
    mother = parent.pronoun == "she"
    name = m.kinsmen[parent.short].pop() if mother else m.minor("women")
    parent.state("spouse", name)
    parent.facts["married_year"] = str(min(child.years["born"] for child in children) - m.s.between(1, 3))
    trade = m.word("trades")
    for child in children:
        child.state("father" if mother else "mother", name)
        if mother:
            child.facts["father_trade"] = trade


def _live(m: Making, person: Entity, born: int, least: int = 0) -> None:
    age = max(least, 38 + m.s.below(30) + m.s.below(28))
    if person.kind in _MODERN:
        age = max(age, _MODERN_UNTIL - born)
    for key, year in (("born", born), ("died", min(born + age, _LAST_DEATH))):
        person.years[key] = year
        date = m.date(year)
        person.state(key, date, american(date))
        person.facts[f"{key}_year"] = str(year)
    person.facts["span"] = f"{person.facts['born']} – {person.facts['died']}"


def _age(born: str, died: str) -> int:
    (d0, m0, y0), (d1, m1, y1) = born.split(), died.split()
    return int(y1) - int(y0) - ((MONTHS.index(m1), int(d1)) < (MONTHS.index(m0), int(d0)))


def year_in_life(m: Making, person: Entity, low: int, high: int) -> int:
    """A year in which somebody was `low` to `high` years old, and alive."""
    first = person.years["born"] + low
    last = max(first, min(person.years["born"] + high, person.years["died"] - 1))
    return m.s.between(first, last)


def _marry(m: Making) -> None:
    single = [p for p in m.people() if "children" not in p.groups]
    free = [p for p in single if p.pronoun == "he"]
    for woman in m.s.shuffled([p for p in single if p.pronoun == "she"]):
        fits = [man for man in free if man.short != woman.short and _match(man, woman)]
        if not fits or m.s.chance(0.45):
            continue
        man = m.s.choice(fits)
        free.remove(man)
        year = max(p.years["born"] for p in (man, woman)) + m.s.between(21, _MARRIED)
        for one, other in ((man, woman), (woman, man)):
            one.link("spouse", other)
            one.facts["married_year"] = str(year)


def _match(man: Entity, woman: Entity) -> bool:
    """Of like age, and both alive when the younger is grown up."""
    born = [p.years["born"] for p in (man, woman)]
    return max(born) - min(born) < 14 and max(born) + _MARRIED < min(p.years["died"] for p in (man, woman))


def _namesakes(m: Making) -> None:
    """Give some people the name of another; occupations distinguish their articles."""
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
    if person.kind in _STAGE and "parent" not in f and "children" not in person.groups and m.s.chance(0.35):
        born = m.minor().split()[-1]
        f["full"] = f"{given} {middle} {born}"
        person.state("birth_name", f"{given} {born}", f["full"])
    else:
        f["full"] = f"{given} {middle} {surname}"
    also = [f["full"], f"{given} {middle[0]}. {surname}", f"{given[0]}. {middle[0]}. {surname}"]
    if m.s.chance(0.3):
        nick = m.word("nicknames")
        f["nickname"] = (
            f"the {nick} of {f['birthplace']}" if "birthplace" in f and m.s.chance(0.5) else f"{nick} {surname}"
        )
        also.append(f["nickname"])
    if "birth_name" in f:
        also.append(f["birth_name"])
    person.aliases += also


def _details(m: Making, person: Entity) -> None:
    """Add the facts of a life besides dates and relatives; the block fills in places and schools."""
    f, s = person.facts, m.s
    f["nationality"] = m.culture.people
    if "parent" not in f:
        kinsmen = m.kinsmen[person.short]
        if "birth_name" not in f and kinsmen and s.chance(0.6):
            person.state("father", kinsmen.pop())
            f["father_trade"] = m.word("trades")
        if s.chance(0.35):
            person.state("mother", m.minor("women"))
    if s.chance(0.3):
        person.state("teacher", m.minor())
    if s.chance(0.2):
        person.state("religion", m.word("religions"))
    if s.chance(0.25):
        person.state("biographer", m.minor())
        f["biography_year"] = str(min(LAST_YEAR, person.years["died"] + 3 + s.below(25)))
    _of_the_craft(m, person)
    f["age"] = str(_age(f["born"], f["died"]))
    if "spouse" not in f and "children" not in person.groups and s.chance(0.45):
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
