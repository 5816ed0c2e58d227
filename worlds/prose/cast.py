"""Cast of a novel: people, families, tempers and invented places, the same throughout one book."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from haymaker.core.rng import Stream

from .texts import lexicon, mask

FAMILIES = 4
_SINGLES = 8
_ROLES = ("father", "mother", "son", "daughter", "son", "daughter")
_TEMPERS = ("proud", "kind", "hot", "cautious", "merry", "sad", "shrewd", "frank")
_HE, _SHE = ("he", "him", "his", "himself"), ("she", "her", "her", "herself")


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """A character, or the "I" and "you" of speech.

    Attributes:
        name: what the narrator calls the person.
        role: place in the family: father, mother, son, daughter, or "" for one who has no family here.
        trade: what neighbours call the person, with "the".
        gentle: lives in a large house and does not work with the hands.
        home: house the person lives in.
        mask: tags of sex, age, rank and temper, as bits.
    """

    name: str
    given: str
    surname: str
    role: str
    family: int
    trade: str
    male: bool
    age: str
    gentle: bool
    temper: str
    home: str
    he: str
    him: str
    his: str
    himself: str
    mask: int = 0
    whose: str = ""
    plural: bool = False

    @property
    def full(self) -> str:
        """Given name and surname."""
        return f"{self.given} {self.surname}"

    @property
    def owner(self) -> str:
        """The name as a possessive."""
        return self.whose or f"{self.name}'s"


def _voice(name: str, him: str, his: str, himself: str) -> Person:
    return Person(name, *("",) * 3, -1, "", True, "", True, "", "", name, him, his, himself, 0, his, name != "I")


FIRST = _voice("I", "me", "my", "myself")
SECOND = _voice("you", "you", "your", "yourself")
PASSER = _voice("he", "him", "his", "himself")
LIVING = replace(PASSER, mask=mask(["middle"]))


@lru_cache(maxsize=256)
def as_pronoun(who: Person) -> Person:
    """The same person, named by pronouns only."""
    return replace(who, name=who.he, whose=who.his)


@dataclass(frozen=True, slots=True)
class World:
    """The people and places of one book."""

    people: tuple[Person, ...]
    old: tuple[str, ...]
    strangers: tuple[str, ...]
    town: str
    villages: tuple[str, ...]
    far: tuple[str, ...]
    lands: tuple[str, ...]
    hills: tuple[str, ...]
    river: str
    inns: tuple[str, ...]
    trades: tuple[str, ...]
    locals: tuple[str, ...]


def kin(of: Person, to: Person) -> str:
    """Return the relation of `to` to `of` ("brother", "mother"), or "" if they are not of one family."""
    if of.family != to.family or of.family < 0 or of is to:
        return ""
    old_of, old_to = of.role in {"father", "mother"}, to.role in {"father", "mother"}
    if old_of and old_to:
        return "husband" if to.male else "wife"
    if old_to:
        return "father" if to.male else "mother"
    if old_of:
        return "son" if to.male else "daughter"
    return "brother" if to.male else "sister"


def place_name(code: int) -> str:
    """One of the invented place names; different codes below `place_names()` give different names."""
    words = lexicon()
    front, end = words["name.front"], words["name.end"]
    return front[code % len(front)] + end[code // len(front) % len(end)]


def place_names() -> int:
    """How many place names there are."""
    words = lexicon()
    return len(words["name.front"]) * len(words["name.end"])


def _person(s: Stream, names: tuple[str, str], role: str, family: int, home: str, gentle: bool, trade: str) -> Person:
    given, surname = names
    male = role in {"father", "son"} or (role == "" and given in lexicon()["name.man"])
    age = {"father": "middle", "mother": "middle", "son": "young", "daughter": "young"}.get(role, "")
    age = age or s.choice(("young", "middle", "middle", "old"))
    title = "Mr" if male else ("Mrs" if role == "mother" or (age != "young" and s.chance(0.5)) else "Miss")
    plain = age == "young" and (role != "" or s.chance(0.6))
    temper = s.choice(_TEMPERS)
    tags = ["man" if male else "woman", age, "gentle" if gentle else "plain", temper]
    name = given if plain else f"{title} {surname}"
    pronouns = _HE if male else _SHE
    return Person(
        name, given, surname, role, family, trade, male, age, gentle, temper, home, *pronouns, mask=mask(tags)
    )


def _people(s: Stream, surnames: list[str], places: list[str]) -> tuple[Person, ...]:
    words = lexicon()
    men, women = s.shuffled(words["name.man"]), s.shuffled(words["name.woman"])
    crafts, female = s.shuffled(words["n.calling"]), s.shuffled(words["n.woman"])
    people: list[Person] = []
    for family in range(FAMILIES + _SINGLES):
        roles = _ROLES[: 4 + s.below(2)] if family < FAMILIES else ("",)
        gentle = family in {0, 1} or (family >= FAMILIES and s.chance(0.35))
        house = s.choice(words["name.house" if gentle else "name.farm"])
        for role in roles:
            male = role in {"father", "son"} or (role == "" and s.chance(0.55))
            trade = (
                "" if gentle or role in {"mother", "son", "daughter"} else "the " + (crafts if male else female).pop()
            )
            names = ((men if male else women).pop(), surnames[family])
            people.append(_person(s, names, role, family, f"{places[family]} {house}", gentle, trade))
    return tuple(people)


def _surnames(s: Stream, count: int) -> list[str]:
    words = lexicon()
    front, end = words["name.front"], words["name.surend"]
    out: dict[str, None] = {}
    while len(out) < count:
        out[s.choice(front) + s.choice(end)] = None
    return list(out)


def make_world(s: Stream) -> World:
    """Draw the cast and the map of one book."""
    words = lexicon()
    size = FAMILIES + _SINGLES
    surnames = _surnames(s, size + 20)
    places = [place_name(code) for code in s.sample(range(place_names()), 45)]
    old = zip(s.sample(words["name.man"] + words["name.woman"], 8), surnames[-8:], strict=True)
    people = _people(s, surnames, places[15:])
    taken = {p.trade for p in people} | {p.given for p in people}
    trades = s.sample([the for w in words["n.calling"] if (the := f"the {w}") not in taken], 8)
    men = s.sample([w for w in words["name.man"] if w not in taken], 7)
    strangers = surnames[size:-8]
    return World(
        people=people,
        old=tuple(f"old {given} {surname}" for given, surname in old),
        strangers=tuple(strangers),
        town=places[0],
        villages=tuple(places[1:7]),
        far=tuple(places[7:15]),
        lands=tuple(f"{p} {s.choice(words['name.land'])}" for p in places[30:38]),
        hills=tuple(f"{p} {s.choice(words['name.hill'])}" for p in places[38:41]),
        river="the " + places[42],
        inns=tuple("the " + inn for inn in s.sample(words["name.inn"], 3)),
        trades=tuple(trades),
        locals=(*trades, *(f"{man} {surname}" for man, surname in zip(men, strangers, strict=False))),
    )
