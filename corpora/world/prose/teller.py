"""The narrator's state while a book is written, and the slots of the grammar that read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from haymaker.rng import Stream

from .cast import BOTH, PASSER, US, Person, World, kin
from .grammar import Entropy, Grammar, Phrase, Specials, pick

_TIMES = ("morning", "forenoon", "afternoon", "evening", "night")
_SEASONS = (
    "winter",
    "winter",
    "spring",
    "spring",
    "spring",
    "summer",
    "summer",
    "summer",
    "autumn",
    "autumn",
    "autumn",
    "winter",
)
_AFFAIRS = (
    "the business",
    "the whole affair",
    "that matter",
    "the whole question",
    "this affair",
    "the dispute",
    "all this",
)
_KIN = (
    ("father", "his"),
    ("mother", "her"),
    ("grandfather", "his"),
    ("grandmother", "her"),
    ("uncle", "his"),
    ("aunt", "her"),
)


class Teller:
    """State of the telling: where we are, who acts (a), with whom (b), and who is spoken of (c)."""

    __slots__ = (
        "a",
        "b",
        "bits",
        "c",
        "hearer",
        "kin_his",
        "matter",
        "matter_short",
        "matter_told",
        "month",
        "named",
        "others",
        "props",
        "said",
        "shard",
        "speaker",
        "tod",
        "word",
        "world",
    )

    def __init__(self, stream: Stream, world: World, shard: int) -> None:
        self.word: Callable[[], int] = stream.word  # type: ignore[misc, unused-ignore]
        self.bits, self.shard = 0, shard
        self.world = world
        self.a, self.b, self.c = world.people[0], world.people[1], world.people[2]
        self.others: Sequence[Person] = world.people[3:]
        self.said: Person | None = None
        self.named = False
        self.speaker, self.hearer = self.a, self.b
        self.props: Sequence[str] = ("the lamp",)
        self.matter, self.matter_short, self.matter_told = "", "", False
        self.tod, self.month, self.kin_his = "evening", 0, "his"

    def one(self, items: Sequence[str]) -> str:
        """One of some words."""
        return items[pick(self, len(items))]

    def below(self, n: int) -> int:
        """An index in [0, n)."""
        return pick(self, n)

    def say(self, slot: str) -> str:
        """The text of a slot, without a capital or a full stop."""
        return phrase(slot)(self)


def _subject(t: Teller) -> str:
    a = t.a
    if a.family < 0:
        return a.name
    if t.said is a and pick(t, 20) < 13:
        return a.he
    t.said = a
    return a.name


def _by_kin(t: Teller, who: Person, share: int) -> str:
    """Now and then a person is named by kinship or trade."""
    if pick(t, 20) >= share:
        return who.name
    relation = kin(t.a, who)
    return f"{t.a.his} {relation}" if relation and t.said is t.a else (who.trade or who.name)


def _hearer(t: Teller) -> str:
    if t.b.family < 0:
        return t.b.him
    return _by_kin(t, t.b, 5)


def _absent(t: Teller) -> str:
    if t.named:  # the same name twice in a sentence reads ill
        return _other(t)
    t.named = True
    return _by_kin(t, t.c, 4)


def _other(t: Teller) -> str:
    return t.others[pick(t, len(t.others))].name


def _matter(t: Teller) -> str:
    if t.matter_told:
        return t.matter_short
    t.matter_told = True
    return t.matter


def _kinword(t: Teller) -> str:
    word, t.kin_his = _KIN[pick(t, len(_KIN))]
    return word


def _vocative(t: Teller) -> str:
    who, speaker = t.hearer, t.speaker
    relation = kin(speaker, who)
    if relation in {"father", "mother"}:
        return relation
    calls = (
        (who.name, f"my dear {who.name}", "sir" if who.male else "ma'am")
        if " " in who.name
        else (who.given, f"my dear {who.given}", who.given)
    )
    return t.one(calls)


def _place(t: Teller) -> str:
    return t.one(t.world.villages + t.world.houses)


def _specials() -> Specials:
    return {
        "A": _subject,
        "An": lambda t: t.a.name,
        "he": lambda t: t.a.he,
        "him": lambda t: t.a.him,
        "his": lambda t: t.a.his,
        "himself": lambda t: t.a.himself,
        "was": lambda t: t.a.was,
        "B": _hearer,
        "Bhis": lambda t: t.b.his,
        "C": _absent,
        "he.C": lambda t: t.c.he,
        "his.C": lambda t: t.c.his,
        "him.C": lambda t: t.c.him,
        "his.C.him": lambda t: t.c.him,
        "man.C": lambda t: "man" if t.c.male else "woman",
        "surname": lambda t: t.c.surname,
        "his.a": lambda t: "his",
        "his.k": lambda t: t.kin_his,
        "kinword": _kinword,
        "vocative": _vocative,
        "X": _other,
        "who": _other,
        "old": lambda t: t.one(t.world.elders),
        "stranger": lambda t: t.one(t.world.strangers),
        "town": lambda t: t.world.town,
        "Town": lambda t: t.world.town,
        "village": lambda t: t.one(t.world.villages),
        "far": lambda t: t.one(t.world.far),
        "Far": lambda t: t.one(t.world.far),
        "house": lambda t: t.one(t.world.houses),
        "House": lambda t: t.one(t.world.houses),
        "hill": lambda t: t.one(t.world.hills),
        "river": lambda t: t.world.river,
        "inn": lambda t: t.one(t.world.inns),
        "feast": lambda t: t.one(grammar().lexicon["n.feast"]),
        "place": _place,
        "prop": lambda t: t.one(t.props),
        "matter": _matter,
        "matters": lambda t: t.matter_short,
        "the.affair": lambda t: t.matter_short if pick(t, 5) < 3 else t.one(_AFFAIRS),
        "tod": lambda t: t.tod,
        "tod.s": lambda t: t.one(("mornings", "evenings", "nights", "afternoons")),
        "season": lambda t: _SEASONS[t.month % 12],
        "month": lambda t: grammar().lexicon["month"][(t.month + 11 + pick(t, 3)) % 12],
    }


def _as_hearer(made: Phrase) -> Phrase:
    """B acts: the two change places while the phrase is written."""

    def swapped(c: Entropy) -> str:
        t = cast(Teller, c)
        a, b = t.a, t.b
        t.a, t.b = b, a
        text = made(t)
        t.a, t.b = a, b
        return text

    return swapped


def _as_absent(made: Phrase) -> Phrase:
    """C acts, and someone else is spoken of."""

    def moved(c: Entropy) -> str:
        t = cast(Teller, c)
        a, absent, said = t.a, t.c, t.said
        t.a, t.c, t.said = absent, t.others[pick(t, len(t.others))], absent
        text = made(t)
        t.a, t.c, t.said = a, absent, said
        return text

    return moved


def _as_extra(actor: Person) -> Callable[[Phrase], Phrase]:
    """Someone acts who is no character: a passer-by, or two people at once."""

    def mode(made: Phrase) -> Phrase:
        def passing(c: Entropy) -> str:
            t = cast(Teller, c)
            a = t.a
            t.a = actor
            text = made(t)
            t.a = a
            return text

        return passing

    return mode


@cache
def grammar() -> Grammar:
    """The one compiled grammar."""
    return Grammar(
        _specials(),
        {"B": _as_hearer, "C": _as_absent, "M": _as_extra(PASSER), "T": _as_extra(BOTH), "U": _as_extra(US)},
    )


def phrase(slot: str) -> Phrase:
    """A compiled slot by its written name, such as "s.act" or "vp.small/ing"."""
    name, _, form = slot.partition("/")
    return grammar().phrase(name, form)


def set_time(t: Teller, month: int) -> None:
    """Move the story to a month, counted on from the first January."""
    t.month = month
    t.tod = t.one(_TIMES)
