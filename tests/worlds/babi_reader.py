"""A reader of bAbI file text for the moving tasks; it shares nothing with the simulator: no word lists, no code."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

Answer = tuple[str, list[int]]
TIMES = ("yesterday", "this morning", "this afternoon", "this evening")


class Stop(NamedTuple):
    """A place and the lines that tell it."""

    name: str
    lines: tuple[int, ...]


class Reader:
    """Reads facts one by one; knows what a careful person would know, nothing else.

    With `strict` it also refuses facts that cannot follow the ones before; without, it takes facts out of their context.
    """

    def __init__(self, *, strict: bool = True) -> None:
        self.strict = strict
        self.at: dict[str, Stop | None] = {}
        self.said: dict[str, tuple[str, tuple[str, ...], int]] = {}
        self.named: tuple[list[str], int] = ([], 0)
        self.pronouns: dict[str, str] = {}
        self.days: dict[str, dict[int, Stop]] = defaultdict(dict)
        self.holder: dict[str, str] = {}
        self.paths: dict[str, list[Stop]] = defaultdict(list)
        self.handled: dict[str, tuple[int, str]] = {}
        self.settled: dict[str, Stop | None] = {}
        self.gives: dict[str, tuple[str, str, int]] = {}
        self.pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.hands: dict[str, list[tuple[str, int]]] = defaultdict(list)

    # Facts

    def fact(self, text: str, n: int) -> None:
        """Take in one fact."""
        for shape, read in FACTS:
            if m := re.fullmatch(shape, text):
                return read(self, n, *m.groups())
        raise AssertionError(text)

    def _check(self, holds: bool, what: str) -> None:
        assert holds or not self.strict, what

    def _timed(self, n: int, first: str, who: str, place: str, last: str) -> None:
        time = TIMES.index(first.lower() or last)
        day = self.days[who]
        assert time not in day, "two places at one time"
        day[time] = Stop(place, (n,))
        for one in (time - 1, time + 1):
            assert one not in day or day[one].name != place, "moved to where he was"

    def _pronoun(self, n: int, who: str, place: str) -> None:
        people, line = self.named
        assert line == n - 1, "nobody named in the line above"
        assert (who == "they") == (len(people) == 2)
        for person in people:
            assert self.pronouns.setdefault(person, who) == who, "he or she?"
        self._arrived(people, place, (line, n))
        self.named = ([], 0)

    def _moved(self, n: int, one: str, other: str | None, place: str) -> None:
        people = [one] if other is None else [one, other]
        assert len(set(people)) == len(people)
        self.named = (people, n)
        self._arrived(people, place, (n,))

    def _arrived(self, people: list[str], place: str, lines: tuple[int, ...]) -> None:
        for who in people:
            known = self.at.get(who)
            self._check(not known or known.name != place, "moved to where he is known to be")
            self.at[who] = stop = Stop(place, lines)
            self.said[who] = ("in", (place,), lines[-1])
            for thing in [thing for thing, holder in self.holder.items() if holder == who]:
                self._carried(thing, stop)

    def _is_in(self, n: int, who: str, kind: str, place: str) -> None:
        known = self.at.get(who)
        if kind == "is in":
            assert not known or known.name != place, "told twice"
            self.at[who] = Stop(place, (n,))
            self.said[who] = ("in", (place,), n)
        else:
            assert not known or known.name == place, "denies what nobody thought"
            last = self.said.get(who)
            assert not last or last[0] != "not" or last[1] != (place,), "denied twice"
            self.at[who] = None
            self.said[who] = ("not", (place,), n)

    def _either(self, n: int, who: str, one: str, other: str) -> None:
        assert one != other, "either one place or the same"
        self.at[who] = None
        self.said[who] = ("either", (one, other), n)

    def _carried(self, thing: str, stop: Stop) -> None:
        if not self.paths[thing] or self.paths[thing][-1].name != stop.name:
            self.paths[thing].append(stop)

    def _took(self, n: int, who: str, thing: str) -> None:
        self._check(thing not in self.holder, "took what is held")
        here, lay = self.at.get(who), self.settled.get(thing)
        self._check(not lay or not here or lay.name == here.name, "took it from afar")
        self.holder[thing] = who
        self._touched(n, who, thing)

    def _dropped(self, n: int, who: str, thing: str) -> None:
        self._check(self.holder.get(thing) == who, "dropped what he has not")
        self.holder.pop(thing, None)
        self._touched(n, who, thing)

    def _touched(self, n: int, who: str, thing: str) -> None:
        here = self.at.get(who)
        self.handled[thing], self.settled[thing] = (n, who), here
        self.hands[who].append((thing, n))
        if here:
            self._carried(thing, here)

    def _given(self, n: int, who: str, thing: str, whom: str) -> None:
        self._check(self.holder.get(thing) == who, "gave what he has not")
        here, there = self.at.get(who), self.at.get(whom)
        self._check(not here or not there or here.name == there.name, "handed over afar")
        assert who != whom
        self.holder[thing] = whom
        self.gives[thing] = who, whom, n
        self.pairs[who, whom].add(thing)
        for hand in (who, whom):
            self.hands[hand].append((thing, n))

    # Questions

    def answer(self, question: str) -> Answer:
        """Answer and supporting lines; raises when the text does not decide it."""
        for shape, solve in QUESTIONS:
            if m := re.fullmatch(shape, question):
                return solve(self, *m.groups())
        raise AssertionError(question)

    def person(self, who: str) -> Answer:
        here = self.at[who]
        assert here
        return here.name, list(here.lines)

    def thing(self, what: str) -> Answer:
        n, who = self.handled[what]
        place = self.at[who] if what in self.holder else self.settled[what]
        assert place is not None
        return place.name, [n, *place.lines]

    def before(self, what: str, place: str) -> Answer:
        path = self.paths[what]
        k = max(k for k, stop in enumerate(path) if stop.name == place)
        assert k, "nothing known before"
        return path[k - 1].name, [self.handled[what][0], *path[k].lines, *path[k - 1].lines]

    def day_before(self, who: str, place: str) -> Answer:
        day = [self.days[who][time] for time in sorted(self.days[who])]
        assert not self.strict or sorted(self.days[who]) == list(range(len(day))), "a time is missing"
        k = max(k for k, stop in enumerate(day) if stop.name == place)
        assert k, "nothing known before"
        return day[k - 1].name, [*day[k].lines, *day[k - 1].lines]

    def present(self, who: str, place: str) -> Answer:
        kind, places, line = self.said[who]
        if kind == "not":
            assert (place,) == places, "who is not here may be there"
            return "no", [line]
        yes = "maybe" if kind == "either" else "yes"
        return yes if place in places else "no", [line]

    def what_given(self, who: str, whom: str) -> Answer:
        [what] = self.pairs[who, whom]
        giver, receiver, n = self.gives[what]
        assert (giver, receiver) == (who, whom), "not its last transfer"
        return what, [n]

    def giver(self, what: str, whom: str | None = None) -> Answer:
        giver, receiver, n = self.gives[what]
        assert whom in (None, receiver)
        return giver, [n]

    def receiver(self, what: str) -> Answer:
        _, receiver, n = self.gives[what]
        return receiver, [n]

    def receiver_from(self, who: str, what: str) -> Answer:
        giver, receiver, n = self.gives[what]
        assert giver == who
        return receiver, [n]

    def number(self, who: str) -> Answer:
        held = sum(holder == who for holder in self.holder.values())
        assert self.hands[who]
        return ("none", "one", "two", "three")[held], [n for _, n in self.hands[who]]

    def list(self, who: str) -> Answer:
        ever = dict.fromkeys(thing for thing, _ in self.hands[who])
        held = [thing for thing in ever if self.holder.get(thing) == who]
        assert ever
        return ",".join(held) or "nothing", [n for thing in ever for one, n in self.hands[who] if one == thing]


FACTS = (
    (rf"({'|'.join(time.capitalize() for time in TIMES)}) (\w+) [a-z ]+? to the (\w+)()\.", Reader._timed),
    (rf"()(\w+) [a-z ]+? to the (\w+) ({'|'.join(TIMES)})\.", Reader._timed),
    (r"(?:After that|Afterwards|Then|Following that) (he|she|they) [a-z ]+? to the (\w+)\.", Reader._pronoun),
    (r"(\w+)(?: and (\w+))? [a-z ]+? to the (\w+)\.", Reader._moved),
    (r"(\w+) (is in|is not in|is no longer in) the (\w+)\.", Reader._is_in),
    (r"(\w+) is either in the (\w+) or the (\w+)\.", Reader._either),
    (r"(\w+) [a-z]+ the (\w+) to ([A-Z]\w+)\.", Reader._given),
    (r"(\w+) (?:dropped|discarded|left|put down) the (\w+)(?: there)?\.", Reader._dropped),
    (r"(\w+) [a-z ]+? the (\w+)(?: there)?\.", Reader._took),
)
QUESTIONS = (
    (r"Where is the (\w+)\?", Reader.thing),
    (r"Where is (\w+)\?", Reader.person),
    (r"Where was the (\w+) before the (\w+)\?", Reader.before),
    (r"Where was (\w+) before the (\w+)\?", Reader.day_before),
    (r"Is (\w+) in the (\w+)\?", Reader.present),
    (r"How many objects is (\w+) carrying\?", Reader.number),
    (r"What is (\w+) carrying\?", Reader.list),
    (r"What did (\w+) give to (\w+)\?", Reader.what_given),
    (r"Who gave the (\w+)(?: to (\w+))?\?", Reader.giver),
    (r"Who received the (\w+)\?", Reader.receiver),
    (r"Who did (\w+) give the (\w+) to\?", Reader.receiver_from),
)


def read(facts: Iterable[tuple[int, str]], *, strict: bool = True) -> Reader:
    """A reader of numbered facts."""
    reader = Reader(strict=strict)
    for n, text in facts:
        reader.fact(text, n)
    return reader


def reread(text: str) -> int:
    """Check every question of file text; how many there were."""
    asked, reader = 0, Reader()
    pronouns = reader.pronouns
    for line in text.splitlines():
        number, _, rest = line.partition(" ")
        if number == "1":
            reader = Reader()
            reader.pronouns = pronouns  # nobody is "she" in one story and "he" in another
        if "\t" not in rest:
            reader.fact(rest, int(number))
            continue
        question, answer, supporting = rest.split("\t")
        assert reader.answer(question.strip()) == (answer, [int(n) for n in supporting.split(" ")]), line
        asked += 1
    return asked
