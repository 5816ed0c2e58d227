"""The sentence shapes of facts and questions, compiled per task (spec/babilong.md 3.2 and 3.3).

A shape is a regular expression with slots: `{who=people}` is a capturing slot "who" filled from `Vocabulary.people`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from generators.babilong.oracles.vocabulary import Vocabulary

_MOVE = "(?:went back|went|journeyed|travelled|moved) to the {where=places}"
_THEN = "(?:After that|Afterwards|Then|Following that)"

FACT_SHAPES: dict[str, str] = {
    "move": "{who=people} " + _MOVE,
    "get": "{who=people} (?:got|grabbed|took|picked up) the {what=objects}(?: there)?",
    "drop": "{who=people} (?:dropped|discarded|left|put down) the {what=objects}(?: there)?",
    "give": "{who=people} (?:gave|passed|handed) the {what=objects} to {whom=people}",
    "in": "{who=people} is in the {where=places}",
    "not in": "{who=people} is (?:not|no longer) in the {where=places}",
    "either": "{who=people} is either in the {where=places} or the {other=places}",
    "pair": "{who=people} and {whom=people} " + _MOVE,
    "pronoun": _THEN + " (?:he|she) " + _MOVE,
    "they": _THEN + " they " + _MOVE,
    "when first": "{when=TIMES} {who=people} " + _MOVE,
    "when last": "{who=people} " + _MOVE + " {when=times}",
    "compass": "The {first=places} is {way=ways} of the {second=places}",
    "kind": "{who=people} is an? {kind=kinds}",
    "fear": "{kind=PLURALS} are afraid of {feared=plurals}",
    "colour": "{who=people} is {colour=colours}",
    "figure": "The {first=figures} is {side=sides} the {second=figures}",
    "bigger": "The {big=things} is bigger than the {small=things}",
    "fits": "The {small=things} fits inside the {big=things}",
    "state": "{who=people} is {motive=motives}",
}

TASK_SHAPES: dict[str, tuple[str, ...]] = {
    "qa1": ("move",),
    "qa2": ("move", "get", "drop"),
    "qa3": ("move", "get", "drop"),
    "qa4": ("compass",),
    "qa5": ("move", "get", "drop", "give"),
    "qa6": ("move", "get", "drop"),
    "qa7": ("move", "get", "drop", "give"),
    "qa8": ("move", "get", "drop"),
    "qa9": ("move", "in", "not in"),
    "qa10": ("move", "in", "either"),
    "qa11": ("move", "pronoun"),
    "qa12": ("pair",),
    "qa13": ("pair", "they"),
    "qa14": ("when first", "when last"),
    "qa15": ("kind", "fear"),
    "qa16": ("kind", "colour"),
    "qa17": ("figure",),
    "qa18": ("bigger", "fits"),
    "qa19": ("compass",),
    "qa20": ("state", "move", "get"),
}

_WHERE_IS = {"where is": r"where is {who=people}\?"}
_IS_IN = {"is in": r"is {who=people} in the {where=places}\?"}

QUESTION_SHAPES: dict[str, dict[str, str]] = {
    "qa1": _WHERE_IS,
    "qa2": {"where is": r"where is the {what=objects}\?"},
    "qa3": {"before": r"where was the {what=objects} before the {where=places}\?"},
    "qa4": {
        "what is": r"what is {way=ways} of the {place=places}\?",
        "what of": r"what is the {place=places} {way=ways} of\?",
    },
    "qa5": {
        "what": r"what did {who=people} give to {whom=people}\?",
        "giver": r"who gave the {what=objects}\?",
        "giver to": r"who gave the {what=objects} to {whom=people}\?",
        "receiver": r"who received the {what=objects}\?",
        "receiver from": r"who did {who=people} give the {what=objects} to\?",
    },
    "qa6": _IS_IN,
    "qa7": {"how many": r"how many objects is {who=people} carrying\?"},
    "qa8": {"what": r"what is {who=people} carrying\?"},
    "qa9": _IS_IN,
    "qa10": _IS_IN,
    "qa11": _WHERE_IS,
    "qa12": _WHERE_IS,
    "qa13": _WHERE_IS,
    "qa14": {"before": r"where was {who=people} before the {where=places}\?"},
    "qa15": {"fear": r"what is {who=people} afraid of\?"},
    "qa16": {"colour": r"what color is {who=people}\?"},
    "qa17": {"is": r"is the {first=figures} {side=sides} the {second=figures}\?"},
    "qa18": {
        "bigger": r"is the {first=things} bigger than the {second=things}\?",
        "fits": r"does the {first=things} fit in the {second=things}\?",
    },
    "qa19": {"path": r"how do you go from the {start=places} to the {goal=places}\?"},
    "qa20": {
        "where": r"where will {who=people} go\?",
        "why go": r"why did {who=people} go to the {where=places}\?",
        "why get": r"why did {who=people} get the {what=objects}\?",
    },
}

TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
WAYS = ("north", "south", "east", "west")
SIDES = ("above", "below", "to the left of", "to the right of")

_SLOT = re.compile(r"\{(\w+)=(\w+)\}")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence that has one of the task's shapes.

    Attributes:
        shape: name of the shape, a key of FACT_SHAPES or of the task's QUESTION_SHAPES.
        words: slot name to the word in it, in the vocabulary's own spelling.
        start: character offset of the sentence in the text it was found in.
        text: the sentence.
    """

    shape: str
    words: Mapping[str, str]
    start: int
    text: str

    def __getitem__(self, slot: str) -> str:
        return self.words[slot]

    def get(self, slot: str) -> str | None:
        """The word in a slot, None when this shape has no such slot."""
        return self.words.get(slot)


@dataclass(frozen=True, slots=True)
class Grammar:
    """One task's shapes, compiled for one vocabulary."""

    opening: re.Pattern[str]
    facts: tuple[tuple[str, re.Pattern[str]], ...]
    questions: tuple[tuple[str, re.Pattern[str]], ...]
    spelling: Mapping[str, str]

    def find(self, text: str) -> Iterator[Parsed]:
        """All facts in `text`, in order: whole sentences between text bounds or single spaces.

        The first word is searched for alone: literal alternatives let `re` skip through prose at memory speed.
        """
        end = 0
        for hit in self.opening.finditer(text):
            start = hit.start()
            if start < end or (start and text[start - 1] != " "):
                continue
            fact = self._fact(text, start)
            if fact is not None:
                end = start + len(fact.text)
                yield fact

    def fact(self, sentence: str) -> Parsed | None:
        """The sentence as a fact, None when it is not one from its first to its last character."""
        fact = self._fact(sentence, 0)
        return fact if fact is not None and fact.text == sentence else None

    def question(self, question: str) -> Parsed | None:
        """The question, letter case and outer white space ignored; None when it is not one of the task's."""
        asked = question.strip()
        for shape, pattern in self.questions:
            match = pattern.fullmatch(asked)
            if match is not None:
                return Parsed(shape, self._spelled(match), 0, asked)
        return None

    def _fact(self, text: str, start: int) -> Parsed | None:
        for shape, pattern in self.facts:
            match = pattern.match(text, start)
            if match is not None:
                return Parsed(shape, self._spelled(match), start, match[0])
        return None

    def _spelled(self, match: re.Match[str]) -> dict[str, str]:
        return {slot: self.spelling[word.lower()] for slot, word in match.groupdict().items()}


@lru_cache(maxsize=128)
def grammar(task: str, vocabulary: Vocabulary) -> Grammar:
    """The compiled shapes of one task over one vocabulary."""
    words = _lists(vocabulary)
    facts = [(name, FACT_SHAPES[name]) for name in TASK_SHAPES[task]]
    openings = {word.split(" ")[0] for _, shape in facts for word in _first_words(shape, words)}
    return Grammar(
        opening=re.compile("(?:" + "|".join(re.escape(word) for word in sorted(openings)) + ") "),
        facts=tuple((name, re.compile(_fill(shape, words) + r"\.(?![^ ])")) for name, shape in facts),
        questions=tuple(
            (name, re.compile(_fill(shape, words), re.IGNORECASE)) for name, shape in QUESTION_SHAPES[task].items()
        ),
        spelling={word.lower(): word for name, group in words.items() if name.islower() for word in group},
    )


def _lists(vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """Slot type to its words; types in capitals stand first in a sentence and are looked up in lower case."""
    plurals = tuple(plural for _, plural in vocabulary.kinds)
    return {
        "people": vocabulary.people,
        "places": vocabulary.places,
        "objects": vocabulary.objects,
        "kinds": tuple(kind for kind, _ in vocabulary.kinds),
        "plurals": plurals,
        "PLURALS": tuple(plural.capitalize() for plural in plurals),
        "colours": vocabulary.colours,
        "figures": vocabulary.figures,
        "things": vocabulary.things,
        "motives": tuple(motive for motive, _, _ in vocabulary.motives),
        "times": TIMES,
        "TIMES": tuple(time.capitalize() for time in TIMES),
        "ways": WAYS,
        "sides": SIDES,
    }


def _fill(shape: str, words: Mapping[str, tuple[str, ...]]) -> str:
    """The shape as a regular expression; longer words first, so that "box" does not cut "box of chocolates" short."""

    def slot(match: re.Match[str]) -> str:
        group = sorted(words[match[2]], key=lambda word: (-len(word), word))
        return f"(?P<{match[1]}>" + ("|".join(re.escape(word) for word in group) or "(?!)") + ")"

    return _SLOT.sub(slot, shape)


def _first_words(shape: str, words: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What a sentence of this shape can begin with: a slot's words, a group's alternatives, or one literal word."""
    slot = _SLOT.match(shape)
    if slot is not None:
        return words[slot[2]]
    if shape.startswith("(?:"):
        return tuple(shape[3 : shape.index(")")].split("|"))
    return (shape,)
