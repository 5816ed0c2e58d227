"""The plot of a story: a main thread with a summary, and side threads of one or two beats that can be asked for.

The plot is a function of seed and index alone: a story of other length tells the same one among more or fewer scenes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.records import KeyPoint
from corpora.world.encyclopaedia.phrases import listed
from corpora.world.prose.cast import FAMILIES as CAST_FAMILIES
from corpora.world.prose.cast import Person, World
from haymaker.rng import Stream

from .model import Inquiry, Outline
from .wording import Deck, capital, data, fill, fresh_people, fresh_places, number_word

FAMILIES = 6  # kinds of side thread in one story
EACH = 4  # threads of a kind: as many values of a sort as a choice has options
_FAR = 0.3  # share of the story that lies at least between the beats of a thread
_ASIDE = "Around this main thread the book has many smaller ones, in which the people of the <place|neighbourhood> are busy with {topics}."
_COINS = ("guineas", "pounds", "crowns", "florins")
_SPANS = ("days", "weeks", "months")


@dataclass(frozen=True, slots=True)
class Beat:
    """Sentences that are told at one place.

    Attributes:
        at: where, 0 .. 1 of the story.
        text: the sentences.
        main: of the main plot: a paragraph of its own.
    """

    at: float
    text: str
    main: bool = False


class Plot:
    """What one story tells beside its scenes.

    Args:
        s: decides everything.
        world: the people and places of the story.
    """

    def __init__(self, s: Stream, world: World) -> None:
        self._s, self._world = s, world
        pools = data("stories.yaml")["pools"]
        self._decks = {name: Deck[str](s, items) for name, items in pools.items()}
        places = (
            world.town,
            *world.villages,
            *world.far,
            *(place.split()[0] for place in (*world.lands, *world.hills)),
        )
        self._places = fresh_places(s, places)
        self._names = fresh_people(s, [p.surname for p in world.people] + list(world.strangers))
        self._old = Deck(s, world.old)
        self._numbers = Deck(s, range(3, 100))
        self._spans = Deck(s, [(n, span) for n in range(3, 41) for span in _SPANS])
        self._glosses: dict[str, str] = {}  # what else a question may call a thing
        self.outline = Outline()
        self.beats: list[Beat] = []
        self._main()
        families = s.sample(list(data("stories.yaml")["families"].values()), FAMILIES)
        for family in families:
            self._family(family)
        self.outline.summary.append(fill(s, _ASIDE, {"topics": listed([family["topic"] for family in families])}))
        self._spread()

    def _thing(self) -> str:
        noun, _, gloss = self._decks["object"].deal().partition(" = ")
        thing = f"the {self._decks['material'].deal()} {noun}"
        self._glosses[thing] = gloss
        return thing

    def _sum(self) -> str:
        return f"{number_word(self._numbers.deal())} {self._s.choice(_COINS)}"

    def _time(self) -> str:
        number, span = self._spans.deal()
        return f"{number_word(number)} {span}"

    def _family(self, family: dict[str, Any]) -> None:
        s = self._s
        people = s.sample(self._world.people, 3 * EACH)
        wordings = [s.shuffled(beat) for beat in family["beats"]]
        for i in range(EACH):
            who = {"A": people[i], "B": people[EACH + i], "C": people[2 * EACH + i]}
            slots = self._slots(who, str(family))
            told = [fill(s, wording[i], slots) for wording in wordings]
            self.beats += [Beat(at, text) for at, text in zip(self._far_apart(len(told)), told, strict=True)]
            for ask in family["asks"]:
                evidence = tuple(told[k] for k in ask["needs"])
                self._inquire(s.choice(ask["text"]), ask, slots, evidence)

    def _far_apart(self, count: int) -> list[float]:
        """Places for the beats of one thread, in order."""
        room = 1.0 - _FAR * (count - 1)
        return [place * room + k * _FAR for k, place in enumerate(sorted(self._s.unit() for _ in range(count)))]

    def _slots(self, who: dict[str, Person], used: str) -> dict[str, Any]:
        """Values for all slots that a family's wordings (`used`) have."""
        s, deck = self._s, self._decks
        winner, loser = s.shuffled((who["A"], who["B"]))
        topic, _, claim = deck["wager"].deal().partition(" = ") if "{K}" in used else ("", "", "")
        broken, _, verb = deck["damage"].deal().partition(" = ") if "{S}" in used else ("", "", "")
        makers = {
            "T": self._thing,
            "U": self._thing,
            "P": deck["hiding"].deal,
            "Q": deck["hiding"].deal,
            "M": deck["matter"].deal,
            "R": deck["reason"].deal,
            "D": deck["deed"].deal,
            "O": deck["occasion"].deal,
            "X": deck["mark"].deal,
            "Y": deck["condition"].deal,
            "I": deck["purpose"].deal,
            "J": deck["trade"].deal,
            "E": deck["cause"].deal,
            "G": self._old.deal,
            "L": lambda: next(self._places),
            "F": lambda: next(self._names),
            "Z": self._sum,
            "H": self._time,
        }
        slots: dict[str, Any] = {name: make() for name, make in makers.items() if f"{{{name}}}" in used}
        slots["T_gloss"] = self._glosses.get(slots.get("T", ""), "")
        return slots | who | {"W": winner, "V": loser, "N": topic, "K": claim, "S": broken, "did": verb}

    def _inquire(self, text: str, ask: dict[str, Any], slots: dict[str, Any], evidence: tuple[str, ...]) -> None:
        value = slots[ask["answer"]]
        question = fill(self._s, text, slots)
        named = tuple(v.name for v in slots.values() if isinstance(v, Person) and v.name in question)
        near = tuple(slots[name].name for name in ask.get("decoys", ""))
        decoys = tuple(name for name in near if name not in named)
        answers = aliases(value, ask["sort"])
        self.outline.inquiries.append(Inquiry(question, answers, evidence, ask["sort"], named, decoys))

    def _main(self) -> None:
        s, world = self._s, self._world
        arc = s.choice(data("stories.yaml")["arcs"])
        people = s.sample(
            [person for person in world.people if person.family >= CAST_FAMILIES], 5
        )  # of no kin to each other
        slots: dict[str, Any] = dict(zip("HRFWL", people, strict=True))
        slots |= {name: s.choice(pool) for name, pool in arc["pools"].items()}
        slots |= {"town": world.town, "far": s.choice(world.far), "G": self._old.deal().removeprefix("old ")}
        slots |= {"K": next(self._names), "Z": self._sum(), "Y": self._sum()}
        told = [[fill(s, sentence, slots) for sentence in beat["told"]] for beat in arc["beats"]]
        self.outline.summary = [fill(s, arc["opening"], slots), *(fill(s, beat["sum"], slots) for beat in arc["beats"])]
        self.outline.points = [key_point(s, beat["point"], beat["terms"], slots) for beat in arc["beats"]]
        self.beats += [Beat((i + 0.5) / len(told), " ".join(each), True) for i, each in enumerate(told)]
        for ask in arc["asks"]:
            self._inquire(ask["text"], ask, slots, (told[ask["beat"]][ask["sentence"]],))

    def _spread(self) -> None:
        """Side beats at even distances in the order of their places; inquiries in the order of their first sentence."""
        side = sorted((beat for beat in self.beats if not beat.main), key=lambda beat: beat.at)
        main = [beat for beat in self.beats if beat.main]
        side = [Beat((i + 0.5) / len(side), beat.text) for i, beat in enumerate(side)]
        self.beats = sorted((*main, *side), key=lambda beat: (beat.at, not beat.main))
        order = {sentence: i for i, beat in enumerate(self.beats) for sentence in _starts(beat, self.outline.inquiries)}
        self.outline.inquiries.sort(key=lambda inquiry: order[inquiry.evidence[-1]])


def _starts(beat: Beat, inquiries: Sequence[Inquiry]) -> Iterator[str]:
    return (sentence for inquiry in inquiries for sentence in inquiry.evidence if sentence in beat.text)


def aliases(value: str | Person, sort: str) -> tuple[str, ...]:
    """Accepted forms of an answer, the canonical one first."""
    if isinstance(value, Person):
        return tuple(dict.fromkeys((value.name, value.full)))
    if sort in {"hiding", "trade", "cause", "thing", "purpose"} and " " in value:
        return (value, value.split(" ", 1)[1])
    if sort in {"sum", "time"}:
        word, unit = value.split(" ", 1)
        return (value, f"{_digits()[word]} {unit}")
    return (value, value.removeprefix("old ")) if sort == "old" else (value,)


def _digits() -> dict[str, int]:
    return {number_word(n): n for n in range(100)}


def key_point(s: Stream, text: str, terms: Sequence[str], slots: dict[str, Any]) -> KeyPoint:
    """A key point with its terms; a person may be called by either name."""
    groups = []
    for term in terms:
        person = slots.get(term[1:].removesuffix(".name}")) if term.endswith(".name}") else None
        groups.append(aliases(person, "person") if isinstance(person, Person) else (term.format_map(slots),))
    return KeyPoint(capital(fill(s, text, slots)), tuple(groups), "world")
