"""Who and where a novel is about: people, families, trades and invented places, the same throughout one book."""

from __future__ import annotations

from dataclasses import dataclass

from haymaker.rng import Stream

from .grammar import lexicon

FAMILIES = 4
_ROLES = ("father", "mother", "son", "daughter", "son", "daughter")
_FAMILY_SIZE = 4
_SINGLES = 7
_CLASHES = frozenset(("Marybourne",))


@dataclass(frozen=True, slots=True)
class Person:
    """A character, or the "I" and "you" of speech.

    Attributes:
        name: what the narrator calls the person.
        full: given name and surname.
        role: place in the family: father, mother, son, daughter, or "" for one who has no family here.
        trade: what neighbours call the person, with "the".
        male: sex, for kin words.
        he, him, his, himself, was: pronouns and the past of "be" that agree with the person.
    """

    name: str
    given: str
    surname: str
    role: str
    family: int
    trade: str
    male: bool
    he: str
    him: str
    his: str
    himself: str
    was: str = "was"

    @property
    def full(self) -> str:
        """Given name and surname."""
        return f"{self.given} {self.surname}"


FIRST = Person("I", "", "", "", -1, "", True, "I", "me", "my", "myself")
SECOND = Person("you", "", "", "", -2, "", True, "you", "you", "your", "yourself", "were")
BOTH = Person("they", "", "", "", -4, "", True, "they", "them", "their", "themselves", "were")
US = Person("we", "", "", "", -5, "", True, "we", "us", "our", "ourselves", "were")
PASSER = Person("he", "", "", "", -3, "", True, "he", "him", "his", "himself")


@dataclass(frozen=True, slots=True)
class World:
    """The people and places of one book."""

    people: tuple[Person, ...]
    elders: tuple[str, ...]
    strangers: tuple[str, ...]
    town: str
    villages: tuple[str, ...]
    far: tuple[str, ...]
    houses: tuple[str, ...]
    hills: tuple[str, ...]
    river: str
    inns: tuple[str, ...]


def kin(of: Person, to: Person) -> str:
    """What `to` is to `of` ("brother", "mother"), or "" when they are not of one family."""
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


def _person(given: str, surname: str, role: str, family: int, trade: str, male: bool, plain: bool) -> Person:
    title = "Mr" if male else ("Mrs" if role == "mother" else "Miss")
    name = given if plain else f"{title} {surname}"
    pronouns = ("he", "him", "his", "himself") if male else ("she", "her", "her", "herself")
    return Person(name, given, surname, role, family, trade, male, *pronouns)


def _people(s: Stream, surnames: list[str]) -> tuple[Person, ...]:
    words = lexicon()
    men, women = s.shuffled(words["name.man"]), s.shuffled(words["name.woman"])
    trades, crafts = s.shuffled(words["n.trade"]), s.shuffled(words["n.woman"])
    people = []
    for family in range(FAMILIES + _SINGLES):
        roles = _ROLES[: _FAMILY_SIZE + s.below(3)] if family < FAMILIES else ("",)
        for role in roles:
            male = role in {"father", "son"} if role else s.chance(0.6)
            trade = "the " + (trades if male else crafts).pop()
            plain = role in {"son", "daughter"} or (not role and s.chance(0.3))
            given = (men if male else women).pop()
            people.append(_person(given, surnames[family], role, family, trade, male, plain))
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
    surnames = _surnames(s, FAMILIES + _SINGLES + 14)
    places = [place_name(code) for code in s.sample(range(place_names()), 30)]
    men = s.sample(words["name.man"], 6)
    return World(
        people=_people(s, surnames),
        elders=tuple(f"old {given} {surname}" for given, surname in zip(men, surnames[-6:], strict=True)),
        strangers=tuple(surnames[FAMILIES + _SINGLES : -6]),
        town=places[0],
        villages=tuple(places[1:8]),
        far=tuple(places[8:15]),
        houses=tuple(f"{p} {s.choice(words['name.house'])}" for p in places[15:19]),
        hills=tuple(f"{p} {s.choice(words['name.hill'])}" for p in places[19:22]),
        river="the " + places[22],
        inns=tuple("the " + inn for inn in s.sample(words["name.inn"], 3)),
    )
