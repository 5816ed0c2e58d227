"""What one output is worth by its row's plan: places where an event is told, entries that are there, and what else can be counted
(docs/spec/longgenbench.md 4, 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from haymaker.text import count_words, words_in_each
from scoring.longgen.folding import stems
from scoring.longgen.plan import Place, Plan
from scoring.longgen.reading import Reading, official_text, read, read_officially
from scoring.longgen.rule import Texts
from scoring.text import unthought, whole

Verdicts = Mapping[Place, bool | None]  # None: nobody judged it


class Told(NamedTuple):
    """Events told in entries, by the rule.

    Attributes:
        right: where the plan has them.
        wrong: where it has not. An event whose words all belong to those demanded of the entry is not wrong there.
    """

    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Completion:
    """Which entries are there.

    Attributes:
        wanted: entries that the plan has.
        found: of them, each once.
        words: by white space: of all entries; in the reference's reading of the whole output, the first header before it.
        blocks: that the separator makes.
    """

    wanted: int
    found: int
    words: int
    blocks: int

    @property
    def share(self) -> float:
        """CR of a row: found of wanted."""
        return self.found / self.wanted


@dataclass(frozen=True, slots=True)
class Form:
    """How an output is written; our reading alone.

    Attributes:
        duplicates: entries whose number stood before.
        beyond: entries with a number that the plan has not.
        strays: blocks that are no entry.
        entries: all that have a number, whatever number.
        rising: pairs of neighbours among them whose number rises.
        long_enough: of the entries found, those with the words asked for.
        windows, repeated: runs of eight words, and those that stood before.
        ended: whether the end mark stands there.
        told: events told right and wrong.
    """

    duplicates: int
    beyond: int
    strays: int
    entries: int
    rising: int
    long_enough: int
    windows: int
    repeated: int
    ended: bool
    told: Told

    @property
    def neighbours(self) -> int:
        """Pairs of entries that follow one another."""
        return max(0, self.entries - 1)


def complete(reading: Reading, plan: Plan, words: int = 0) -> Completion:
    """Which entries a reading has."""
    return Completion(plan.entries, len(_found(reading, plan)), words, reading.blocks)


def _found(reading: Reading, plan: Plan) -> dict[int, int]:
    """Where the entries that the plan has stand."""
    return {index: at for index, at in reading.first.items() if 1 <= index <= plan.entries}


def ruled(reading: Reading, plan: Plan, texts: Texts) -> dict[Place, bool]:
    """Verdict of the rule on every place whose entry is there.

    Args:
        reading: the entries.
        plan: what was asked for.
        texts: told_in of both.
    """
    first, telling = reading.first, {check.text: texts.telling(check.text) for check in plan.checks}
    return {
        place: first[place.entry] in telling[plan.checks[place.check].text]
        for place in plan.places
        if place.entry in first
    }


def told_in(reading: Reading, plan: Plan) -> Texts:
    """The entries of a reading, ready for the plan's events."""
    return Texts(reading.texts, {check.text for check in plan.checks})


def share_told(verdicts: Verdicts, plan: Plan) -> float:
    """STIC-2 of a row: places told of all that are demanded; 0 where none is."""
    return sum(verdict is True for verdict in verdicts.values()) / max(1, sum(1 for _ in plan.places))


def long_enough(reading: Reading, plan: Plan) -> list[int]:
    """Positions of the entries found that have the words asked for."""
    places = list(_found(reading, plan).values())
    words = words_in_each([reading.entries[at].text.encode(errors="replace") for at in places]) if places else ()
    return [at for at, count in zip(places, words, strict=True) if count >= plan.min_words]


def told(reading: Reading, plan: Plan, texts: Texts) -> Told:
    """Events told in the first entry of each number, of numbers that the plan has not too.

    Events of the same words are one event, demanded wherever one of them is.
    """
    index_of = {at: index for index, at in reading.first.items()}
    places: dict[frozenset[str], set[int]] = {}
    phrase_of = {_words([check.text]): check.text for check in plan.checks}
    for check in plan.checks:
        places.setdefault(_words([check.text]), set()).update(check.indices)
    held = {index: _words(events) for index, events in plan.demanded.items()}
    right = wrong = 0
    for words, phrase in phrase_of.items():
        indices = {index_of[at] for at in texts.telling(phrase) if at in index_of}
        right += len(indices & places[words])
        wrong += sum(not words <= held.get(index, frozenset()) for index in indices - places[words])
    return Told(right, wrong)


def _words(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(word for phrase in phrases for word in stems(phrase).values())


class Output(NamedTuple):
    """What an output is worth in one edition.

    Attributes:
        done: which entries are there.
        verdicts: on every place whose entry is there.
    """

    done: Completion
    verdicts: Verdicts


class Ours:
    """An output without thoughts in our reading, and what is counted in it; each is worked out when it is first asked for.

    Args:
        output: without thoughts.
        plan: what was asked for.
    """

    def __init__(self, output: str, plan: Plan) -> None:
        self.plan, self.reading = plan, read(output, plan)

    @cached_property
    def texts(self) -> Texts:
        """Its entries, ready for the plan's events."""
        return told_in(self.reading, self.plan)

    @cached_property
    def verdicts(self) -> dict[Place, bool]:
        """Of the rule, on every place whose entry is there."""
        return ruled(self.reading, self.plan, self.texts)

    @cached_property
    def told(self) -> Told:
        """Events told in its entries, by the rule."""
        return told(self.reading, self.plan, self.texts)

    @cached_property
    def long_enough(self) -> int:
        """Number of the entries found that have the words asked for."""
        return len(long_enough(self.reading, self.plan))

    @cached_property
    def whole(self) -> int:
        """Number of the entries found that have the words asked for and are mostly new text."""
        return int(self.texts.mostly_new()[long_enough(self.reading, self.plan)].sum())

    @cached_property
    def form(self) -> Form:
        """How it is written."""
        numbers = [entry.number for entry in self.reading.entries]
        windows, repeated = self.texts.windows()
        return Form(
            duplicates=len(numbers) - len(set(numbers)),
            beyond=sum(not 1 <= number <= self.plan.entries for number in numbers),
            strays=self.reading.strays,
            entries=len(numbers),
            rising=sum(a < b for a, b in pairwise(numbers)),
            long_enough=self.long_enough,
            windows=windows,
            repeated=repeated,
            ended=self.reading.ended,
            told=self.told,
        )


read_once = lru_cache(maxsize=2)(Ours)
_cut = lru_cache(maxsize=4)(unthought)  # a long one takes as long to look through as what a metric then does


def ours(output: object, plan: Plan) -> Ours:
    """An output in our reading, made once for all metrics; one that only thinks before it says the same is not read again."""
    return read_once(_cut(whole(output)), plan)


def by_rule(output: str, plan: Plan) -> tuple[Output, Form]:
    """Our edition: our reading, the rule as judge."""
    found = ours(output, plan)
    words = sum(len(text.split()) for text in found.reading.texts)
    return Output(complete(found.reading, plan, words), found.verdicts), found.form


def by_judge(output: str, plan: Plan, verdict: Callable[[Place], bool | None]) -> Output:
    """The reference's edition: its reading, and a judge.

    Args:
        output: what a model wrote.
        plan: what was asked for.
        verdict: of the judge on a place.
    """
    reading = read_officially(output, plan)
    first, words = reading.first, count_words(official_text(output, plan).encode(errors="replace"))
    verdicts = {place: verdict(place) for place in plan.places if place.entry in first}
    return Output(complete(reading, plan, words), verdicts)
