"""The plot of a story: a main thread with a summary, and side threads of one or two beats that can be asked for.

The plot is a function of seed and index alone: a story of other length tells the same one among more or fewer scenes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from haymaker.core.rng import Stream
from haymaker.core.text.english_grammar import number_words
from worlds.prose.cast import FAMILIES as CAST_FAMILIES
from worlds.prose.cast import Person, World

from .answers import forms, key_point, person_forms, verb_forms
from .model import CHOICE_OF, WRONG, Inquiry, Outline
from .wording import Deck, data, fill, fresh_people, fresh_places

FAMILIES = 6  # kinds of side thread in one story
EACH = 4  # threads of a kind
_FAR = 0.3  # share of the story that lies at least between the beats of a thread
_COINS = ("guineas", "pounds", "crowns", "florins")
_SPANS = ("days", "weeks", "months")
_SLOTS = {
    "thing": "TU",
    "hiding": "PQ",
    "matter": "M",
    "reason": "R",
    "deed": "D",
    "spot": "O",
    "mark": "X",
    "condition": "Y",
    "purpose": "I",
    "trade": "J",
    "cause": "E",
    "old": "G",
    "place": "L",
    "name": "F",
    "sum": "Z",
    "time": "H",
}  # sort -> slots of the side threads that have a value of it
_NO_CHOICE = ("thing", "old")  # a story has too few of these values for a choice


@dataclass(frozen=True, slots=True)
class Beat:
    """Sentences at one place of the story.

    Attributes:
        at: where, 0 .. 1 of the story.
        text: the sentences.
        main: of the main plot: a paragraph of its own.
        again: sentences of later scenes that mention it, each used at most once.
    """

    at: float
    text: str
    main: bool = False
    again: tuple[str, ...] = ()


class Plot:
    """Content of a story in addition to its scenes.

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
        borne = Counter(person.surname for person in world.people)
        self._single = {surname for surname, count in borne.items() if count == 1}
        self._turns: defaultdict[str, int] = defaultdict(lambda: s.below(CHOICE_OF))  # sort -> inquiries seen
        self.outline = Outline()
        self.beats: list[Beat] = []
        self._main()
        families = s.sample(list(data("stories.yaml")["families"].values()), FAMILIES)
        for family in families:
            self._family(family)
        self._spread()

    def _thing(self) -> str:
        noun, _, gloss = self._decks["object"].deal().partition(" = ")
        thing = f"the {self._decks['material'].deal()} {noun}"
        self._glosses[thing] = gloss
        return thing

    def _sum(self) -> str:
        return f"{number_words(self._numbers.deal())} {self._s.choice(_COINS)}"

    def _time(self) -> str:
        number, span = self._spans.deal()
        return f"{number_words(number)} {span}"

    def _family(self, family: dict[str, Any]) -> None:
        s = self._s
        people = s.sample(self._world.people, 3 * EACH)
        wordings = [s.shuffled(beat) for beat in family["beats"]]
        for i in range(EACH):
            who = {"A": people[i], "B": people[EACH + i], "C": people[2 * EACH + i]}
            slots = self._slots(who, str(family))
            told = [fill(s, wording[i], slots) for wording in wordings]
            texts, decoys = list(told), dict[str, tuple[str, ...]]()  # by beat; by slot of the answer
            for ask in family["asks"]:
                beat, asked = ask["needs"][-1], ask["answer"]
                if told[beat] == texts[beat] and self._due(ask, wordings[beat][i]):
                    turned = wordings[beat][i:] + wordings[beat][:i]
                    wrong = self._wrong([each for each in family["asks"] if each["needs"][-1] == beat], slots)
                    decoys[asked] = tuple(self._answers(each[asked], ask["sort"])[0] for each in wrong)
                    accounts = self._accounts(turned, [slots, *(slots | each for each in wrong)])
                    told[beat], texts[beat] = accounts[0], " ".join(s.shuffled(accounts))
            for ask in family["asks"]:
                inquiry = self._inquiry(s.choice(ask["text"]), ask, slots, tuple(told[k] for k in ask["needs"]))
                self.outline.inquiries.append(replace(inquiry, decoys=decoys.get(ask["answer"], ())))
            self.beats += [Beat(at, text) for at, text in zip(self._far_apart(len(told)), texts, strict=True)]

    def _due(self, ask: dict[str, Any], wording: str) -> bool:
        """Return whether a choice of this sort is due and the wording contains the answer."""
        if ask["sort"] in _NO_CHOICE or f"{{{ask['answer']}" not in wording:
            return False
        self._turns[ask["sort"]] += 1
        return self._turns[ask["sort"]] % CHOICE_OF == 0

    def _accounts(self, wordings: Sequence[str], versions: Sequence[dict[str, Any]]) -> list[str]:
        """Return every version of the slots, the true one first; only the verdict in each text shows which is true."""
        verdicts = self._s.sample(data("stories.yaml")["accounts"], len(versions))
        return [
            fill(self._s, f"{wording.removesuffix('.')}; {verdict[n > 0]}.", slots)
            for n, (verdict, wording, slots) in enumerate(zip(verdicts, wordings, versions, strict=True))
        ]

    def _wrong(self, asks: Sequence[dict[str, Any]], slots: dict[str, Any]) -> list[dict[str, str | Person]]:
        """Return the wrong versions of a beat; each has a different value for every answer of the beat.

        For a person, other people of the same thread come first, then people who have no part in it.
        """
        inside = {value.name for value in slots.values() if isinstance(value, Person)}
        bystanders = Deck(self._s, [person for person in self._world.people if person.name not in inside])
        values = dict[str, list[str | Person]]()
        for ask in asks:
            sort, true = ask["sort"], slots[ask["answer"]]
            near = [slots[slot] for slot in ask.get("decoys", "")]
            if sort == "old":  # too few in a story to use each once
                near = self._s.sample([old for old in self._world.old if old != true], WRONG)
            make = bystanders.deal if sort == "person" else self._makers()[sort]
            values[ask["answer"]] = [*near, *(make() for _ in range(WRONG - len(near)))]
        return [{slot: found[n] for slot, found in values.items()} for n in range(WRONG)]

    def _makers(self) -> dict[str, Callable[[], str]]:
        """Sort -> a new value of it."""
        deck = self._decks
        pools = ("hiding", "matter", "reason", "deed", "spot", "mark", "condition", "purpose", "trade", "cause")
        return {name: deck[name].deal for name in pools} | {
            "thing": self._thing,
            "old": self._old.deal,
            "place": lambda: next(self._places),
            "name": lambda: next(self._names),
            "sum": self._sum,
            "time": self._time,
        }

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
        makers = {name: make for sort, make in self._makers().items() for name in _SLOTS[sort]}
        slots: dict[str, Any] = {name: make() for name, make in makers.items() if f"{{{name}}}" in used}
        slots["T_gloss"] = self._glosses.get(slots.get("T", ""), "")
        return slots | who | {"W": winner, "V": loser, "N": topic, "K": claim, "S": broken, "did": verb}

    def _inquiry(self, text: str, ask: dict[str, Any], slots: dict[str, Any], evidence: tuple[str, ...]) -> Inquiry:
        value, sort = slots[ask["answer"]], ask["sort"]
        return Inquiry(fill(self._s, text, slots), self._answers(value, sort), evidence, sort)

    def _answers(self, value: str | Person, sort: str) -> tuple[str, ...]:
        """Accepted forms of an answer, the canonical one first."""
        if isinstance(value, Person):
            return person_forms(value, self._single)
        if sort == "deed":
            return verb_forms(value, value)
        if sort == "condition":
            return verb_forms(value, value.replace("to ", "", 1))
        if value.startswith("to "):
            return verb_forms(value, value[3:])[:3]
        return (value, value.removeprefix("old ")) if sort == "old" else forms(value)

    def _main(self) -> None:
        s, world = self._s, self._world
        arc = s.choice(data("stories.yaml")["arcs"])
        people = s.sample(
            [person for person in world.people if person.family >= CAST_FAMILIES], 5
        )  # of no kin to each other
        slots: dict[str, Any] = dict(zip("HRFWL", people, strict=True))
        slots |= {name: s.choice(pool) for name, pool in arc["pools"].items()}
        slots["the_use"] = f"the {slots['use'].partition(' ')[2]}"  # once it exists
        slots |= {"town": world.town, "far": s.choice(world.far), "G": self._old.deal().removeprefix("old ")}
        slots |= {"K": next(self._names), "Z": self._sum(), "Y": self._sum()}
        told = [[fill(s, sentence, slots) for sentence in beat["told"]] for beat in arc["beats"]]
        self.outline.summary = [
            fill(s, arc["opening"], slots),
            *(fill(s, s.choice(beat["sum"]), slots) for beat in arc["beats"]),
        ]
        texts = [" ".join(each) for each in told]
        for beat, text, sentence in zip(arc["beats"], texts, self.outline.summary[1:], strict=True):
            for each in _claims(beat):
                point = key_point(s, each["point"], each["terms"], slots, self._single)
                self.outline.points.append(replace(point, evidence=(text,), sentence=sentence))
        self.outline.plot = arc["name"]
        for ask in arc["asks"]:
            evidence = (told[ask["beat"]][ask["sentence"]],)
            self.outline.inquiries.append(self._inquiry(ask["text"], ask, slots, evidence))
        for i, (beat, text) in enumerate(zip(arc["beats"], texts, strict=True)):
            again = tuple(fill(s, sentence, slots) for sentence in beat["again"])
            self.beats.append(Beat((i + 0.5) / len(told), text, True, again))

    def _spread(self) -> None:
        """Side beats at even distances in the order of their places; inquiries in the order of their first sentence."""
        side = sorted((beat for beat in self.beats if not beat.main), key=lambda beat: beat.at)
        main = [beat for beat in self.beats if beat.main]
        side = [Beat((i + 0.5) / len(side), beat.text) for i, beat in enumerate(side)]
        self.beats = sorted((*main, *side), key=lambda beat: (beat.at, not beat.main))
        order = {sentence: i for i, beat in enumerate(self.beats) for sentence in _starts(beat, self.outline.inquiries)}
        self.outline.inquiries.sort(key=lambda inquiry: order[inquiry.evidence[-1]])


def _claims(beat: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a beat of the main plot with one claim, or two claims of different people, so that a summary with one has half."""
    return [beat, *filter(None, [beat.get("also")])]


def _starts(beat: Beat, inquiries: Sequence[Inquiry]) -> Iterator[str]:
    return (sentence for inquiry in inquiries for sentence in inquiry.evidence if sentence in beat.text)
