"""The narrator's state while a book is written, and the slots of the grammar that read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from haymaker.core.rng import Stream

from .cards import Entropy, deal, pick
from .cast import LIVING, PASSER, Person, World, kin
from .figures import number_slots
from .grammar import Grammar, Phrase, Specials
from .recall import DAYS, View, ago, clause, noun, recent, subject
from .story import Event, Story
from .texts import mask

TIMES = ("morning", "afternoon", "evening", "night")
_TIMES_OF = {"outdoors": TIMES[:3], "town": TIMES[:3], "feast": TIMES[2:]}
_SEASONS = ("winter",) * 2 + ("spring",) * 3 + ("summer",) * 3 + ("autumn",) * 3 + ("winter",)
_WEATHERS = {
    "winter": ("dull", "rain", "wind", "snow", "snow", "frost", "frost", "fog", "fine"),
    "spring": ("fine", "fine", "fine", "dull", "rain", "rain", "wind", "fog"),
    "summer": ("fine", "fine", "fine", "heat", "heat", "rain", "dull", "wind"),
    "autumn": ("fine", "fine", "dull", "rain", "rain", "wind", "fog", "fog", "frost"),
}
_NAMES = dict(  # slots of names, and their lists in the world
    pair.split("=")
    for pair in "old=old stranger=strangers village=villages elsewhere=far hill=hills field=lands inn=inns the.local=locals the.trade=trades".split()
)
_ROOMS = {
    True: ("drawing-room", "library", "study", "dining-room", "morning-room", "breakfast-room", "hall"),
    False: ("kitchen", "parlour", "back parlour", "front room", "kitchen"),
}


class Teller:
    """State of the telling: place and time, who acts (a), with another person (b), the person mentioned (c), and the voice."""

    __slots__ = (
        *("a", "b", "c", "x", "said", "other", "view", "event", "cause", "news", "memory", "recalled", "words"),
        *("bits", "decks", "word", "world", "story", "scene", "day", "month", "tod", "weather", "room", "home", "year"),
        *("pattern", "words_before"),
    )

    def __init__(self, stream: Stream, world: World, year: int = 1850) -> None:
        self.word: Callable[[], int] = stream.word  # type: ignore[misc, unused-ignore]
        self.bits = 0
        self.decks: dict[int, list[int]] = {}
        self.pattern = (-1, -1)
        self.words_before: tuple[str, ...] = ("",) * 4
        self.world = world
        self.a, self.b, self.c, self.x = world.people[:4]
        self.said: Person | None = None
        self.other: Person | None = None
        self.view = View()
        self.scene, self.day, self.month = 0, pick(self, 360), 0
        self.year = year
        self.tod = self.weather = self.room = ""
        self.home = self.a.home
        self.words: dict[str, str] = {}
        self.event: Event | None = None
        self.cause: Event | None = None
        self.news: Event | None = None
        self.memory: Event | None = None
        self.recalled: Event | None = None  # of the sentence at hand
        self.story = Story(self, world.people)

    def tags(self) -> int:
        """Tags of the scene and of the two at hand."""
        b = self.b
        sides = _SIDES[b.male, b.gentle]
        return (
            self.scene
            | self.a.mask
            | sides
            | (_KIN if kin(self.a, b) else 0)
            | _FEELINGS[self.story.feeling(self.a, b)]
        )

    def one(self, items: Sequence[str]) -> str:
        """One of some words."""
        return items[pick(self, len(items))]

    def say(self, slot: str) -> str:
        """The text of a slot, without a capital or a full stop."""
        return phrase(slot)(self)

    def set_scene(self, place: str, home: Person) -> None:
        """Move to another hour and place; the weather changes with it."""
        self.month = self.day // 30 % 12
        season = _SEASONS[self.month]
        self.tod, self.weather = (
            self.one(_TIMES_OF.get(place, TIMES)),
            self.one(_WEATHERS[season]),
        )
        self.scene = mask([season, self.tod, self.weather, place])
        self.home, self.room = home.home, self.one(_ROOMS[home.gentle])
        self.said = None


_SIDES = {
    (male, gentle): mask(["bman" if male else "bwoman", "bgentle" if gentle else "bplain"])
    for male in (True, False)
    for gentle in (True, False)
}
_KIN = mask(["kin"])
_FEELINGS = {"warm": mask(["warm"]), "cold": mask(["cold"]), "plain": 0}


def _subject(t: Teller) -> str:
    a = t.a
    if t.said is a and pick(t, 20) < 18:
        return a.he
    t.said = a
    return a.name


def _named(t: Teller) -> str:
    t.said = t.a
    return t.a.name


def _other(t: Teller, who: Person) -> str:
    if who.male == t.a.male:
        t.said = None
    return who.name


def _second(t: Teller) -> str:
    """Return B as a subject: a pronoun if it can only mean B."""
    known, t.other = t.other is t.b, t.b
    return t.b.he if known and t.b.male != t.a.male and pick(t, 3) else _other(t, t.b)


def _related(t: Teller) -> str:
    """B by kinship to A, or by name."""
    relation = kin(t.a, t.b)
    return f"{t.a.his} {relation}" if relation and pick(t, 2) else _other(t, t.b)


def _call(t: Teller) -> str:
    """How the speaker addresses the hearer."""
    a, b = t.a, t.b
    relation = kin(a, b)
    if relation in {"father", "mother"}:
        return relation
    if relation or b.age == "young" or (a.age == b.age and t.story.feeling(a, b) == "warm"):
        return b.given if " " not in b.name or relation else b.name
    return b.name if pick(t, 3) else ("sir" if b.male else "ma'am")


def _memory(t: Teller) -> Event | None:
    """An earlier event of A's, or of anyone's; the same throughout a sentence or an exchange."""
    if t.recalled is None:
        own = t.story.near(t.a) or list(t.story.past)
        own = [e for e in own if e is not t.event]
        own = [e for e in own if e is not t.memory] or own
        t.recalled = t.memory = recent(own, t) if own else None
    return t.recalled


def _told(form: str, which: str) -> Callable[[Teller], str]:
    def tell(t: Teller) -> str:
        event = getattr(t, which) if which else _memory(t)
        if event is None:
            raise LookupError(which)
        view = t.view if t.view.first or t.said is not t.a else View(focus=t.a)
        spoken = view.first is not None
        if form == "noun":
            return noun(event)
        if form == "who":
            if event.who["A"] is t.a:
                raise LookupError(which)
            return subject(event, view)
        if form == "when":
            return ago(event, t.day, spoken)
        return clause(event, form, view)

    return tell


def _turn(mark: str) -> Callable[[Teller], str]:
    """The other of the two takes up the word."""

    def turn(t: Teller) -> str:
        t.a, t.b = t.b, t.a
        t.view = View(t.a, t.b)
        return mark

    return turn


def _name(slot: str) -> Callable[[Teller], str]:
    """Return a name from its list, never the previous one: a sentence with two names means two people or places."""
    key = -1 - list(_NAMES).index(slot)  # below the keys of the grammar

    def name(t: Teller) -> str:
        names: tuple[str, ...] = getattr(t.world, _NAMES[slot])
        return names[deal(t, key, len(names), many=2)]

    return name


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _word(name: str) -> Callable[[Teller], str]:
    return lambda t: t.words[name]


def _people() -> Specials:
    out: Specials = {
        "A": _subject,
        "An": _named,
        "B1": _second,
        "Ao": lambda t: t.a.him if t.said is t.a else t.a.name,
        "As": lambda t: t.a.his if t.said is t.a and not t.view.first else t.a.owner,
        "Br": _related,
        "v": lambda t: "" if pick(t, 5) < 3 else f", {_call(t)}",
        "V": _call,
    }
    for form in ("he", "him", "his", "himself"):
        out[form] = lambda t, form=form: getattr(t.a, form)
    for role in "bcx":
        up = role.upper()
        out[up] = lambda t, role=role: _other(t, getattr(t, role))
        out[f"{up}s"] = lambda t, role=role: getattr(t, role).owner
        for form in ("he", "him", "his", "himself"):
            out[f"{up}{form}"] = lambda t, role=role, form=form: getattr(getattr(t, role), form)
    return out


def _specials() -> Specials:
    out = _people() | number_slots() | {slot: _name(slot) for slot in _NAMES}
    for name in "sum land landname thing doc animal illness gathering hidden oldman oldsown far".split():
        out[name] = _word(name)
    for which, field in (("cause", "cause"), ("news", "news"), ("mem", "")):
        for form in ("noun", "who", "when", "ed", "had", "has"):
            out[f"{which}.{form}"] = _told(form, field)
    out |= {
        "turn": _turn(" // "),
        "start": _turn("B: "),
        "trade": lambda t: t.a.trade,
        "home": lambda t: t.a.home,
        "Bhome": lambda t: t.b.home,
        "here": lambda t: t.home,
        "room": lambda t: t.room,
        "surname": lambda t: t.a.surname,
        "town": lambda t: t.world.town,
        "river": lambda t: t.world.river,
        "The.local": lambda t: _upper(out["the.local"](t)),
        "The.trade": lambda t: _upper(out["the.trade"](t)),
        "tod": lambda t: t.tod,
        "day": lambda t: "evening" if t.tod == "night" else t.tod,  # as one is greeted
        "season": lambda t: _SEASONS[t.month],
        "month": lambda t: grammar().lexicon["month"][t.month],
        "nextmonth": lambda t: grammar().lexicon["month"][(t.month + 1) % 12],
        "lastmonth": lambda t: grammar().lexicon["month"][(t.month + 11) % 12],
        "today": lambda t: DAYS[t.day % 7],
        "dow": lambda t: t.one(DAYS),
    }
    return out


def _as(role: str) -> Callable[[Phrase], Phrase]:
    """B or C acts: the two change places while the phrase is written."""

    def mode(made: Phrase) -> Phrase:
        def swapped(c: Entropy) -> str:
            t = cast(Teller, c)
            a, other = t.a, getattr(t, role)
            t.a = other
            setattr(t, role, a)
            try:
                return made(t)
            finally:
                t.a = a
                setattr(t, role, other)

        return swapped

    return mode


def _passing(who: Person) -> Callable[[Phrase], Phrase]:
    """Some man acts who is no character."""

    def mode(made: Phrase) -> Phrase:
        def passed(c: Entropy) -> str:
            t = cast(Teller, c)
            a, t.a = t.a, who
            try:
                return made(t)
            finally:
                t.a = a

        return passed

    return mode


@cache
def grammar() -> Grammar:
    """The one compiled grammar."""
    return Grammar(
        _specials(), {"B": _as("b"), "C": _as("c"), "X": _as("x"), "m": _passing(PASSER), "l": _passing(LIVING)}
    )


def phrase(slot: str) -> Phrase:
    """A compiled slot by its written name, such as "s.land" or "p.act/ing"."""
    name, _, form = slot.partition("/")
    return grammar().phrase(name, form)
