"""Sentence shapes of facts and questions, compiled per task (docs/spec/babilong.md 3.2, 3.3).

A shape is a regular expression with slots: `{who=people}` is a slot "who" for one of `Vocabulary.people`. A slot matches any word of
the right form; the word is then looked up, so that long word lists cost no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import cast

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

_CARRY = ("move", "get", "drop")

TASK_SHAPES: dict[str, tuple[str, ...]] = {
    "qa1": ("move",), "qa2": _CARRY, "qa3": _CARRY, "qa4": ("compass",), "qa5": (*_CARRY, "give"),
    "qa6": _CARRY, "qa7": (*_CARRY, "give"), "qa8": _CARRY, "qa9": ("move", "in", "not in"), "qa10": ("move", "in", "either"),
    "qa11": ("move", "pronoun"), "qa12": ("pair",), "qa13": ("pair", "they"), "qa14": ("when first", "when last"),
    "qa15": ("kind", "fear"), "qa16": ("kind", "colour"), "qa17": ("figure",), "qa18": ("bigger", "fits"), "qa19": ("compass",),
    "qa20": ("state", "move", "get"),
}  # fmt: skip

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
    "qa9": _IS_IN, "qa10": _IS_IN, "qa11": _WHERE_IS, "qa12": _WHERE_IS, "qa13": _WHERE_IS,
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
}  # fmt: skip

TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
WAYS = ("north", "south", "east", "west")
SIDES = ("above", "below", "to the left of", "to the right of")
_CLOSED = {"times": TIMES, "ways": WAYS, "sides": SIDES}

_SLOT = re.compile(r"\{(\w+)=(\w+)\}")
# Any capitalised word between spaces; the literal space at the start makes the search fast.
_OPENING = re.compile(r" ([A-Z][a-z]+)(?= )")
_NAME, _PHRASE = "[A-Z][a-z]+", "(?:[ -][a-z]+){0,3}?"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence of one of the task's shapes.

    Attributes:
        shape: key of FACT_SHAPES or of the task's QUESTION_SHAPES.
        words: slot -> word, spelled as in the vocabulary.
        start: character offset of the sentence.
        text: the sentence.
    """

    shape: str
    words: Mapping[str, str]
    start: int
    text: str

    def __getitem__(self, slot: str) -> str:
        return self.words[slot]

    def get(self, slot: str) -> str | None:
        return self.words.get(slot)


@dataclass(frozen=True, slots=True)
class Shape:
    """A compiled shape; `types` are slot -> type of its words."""

    name: str
    pattern: re.Pattern[str]
    types: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The shapes of a task over a vocabulary.

    Attributes:
        vocabulary: words of the slots.
        openings: first words of facts.
        facts, questions: shapes.
        words: slot type -> lower-case word -> spelling.
    """

    vocabulary: Vocabulary
    openings: frozenset[str]
    facts: tuple[Shape, ...]
    questions: tuple[Shape, ...]
    words: Mapping[str, Mapping[str, str]]

    def find(self, text: str) -> Iterator[Parsed]:
        """Yield the facts in `text`, in order: whole sentences between text bounds or single spaces."""
        end, openings = 0, self.openings
        for hit in _OPENING.finditer(f" {text}"):  # with the added space, hit.start() is the word's offset in `text`
            if hit[1] in openings and hit.start() >= end:
                fact = self._fact(text, hit.start())
                if fact is not None:
                    end = fact.start + len(fact.text)
                    yield fact

    def fact(self, sentence: str) -> Parsed | None:
        """Return the whole sentence as a fact, or None."""
        fact = self._fact(sentence, 0)
        return fact if fact is not None and fact.text == sentence else None

    def question(self, question: str) -> Parsed | None:
        """Return the question, ignoring letter case and outer white space, or None."""
        return self._first((shape, shape.pattern.fullmatch(question.strip())) for shape in self.questions)

    def _fact(self, text: str, start: int) -> Parsed | None:
        return self._first((shape, shape.pattern.match(text, start)) for shape in self.facts)

    def _first(self, tried: Iterator[tuple[Shape, re.Match[str] | None]]) -> Parsed | None:
        """The first match with words of this vocabulary in all slots."""
        for shape, match in tried:
            if match is not None:
                words = {slot: self.words[of].get(match[slot].lower()) for slot, of in shape.types.items()}
                if None not in words.values():
                    return Parsed(shape.name, cast(dict[str, str], words), match.start(), match[0])
        return None


@lru_cache(maxsize=128)
def grammar(task: str, vocabulary: Vocabulary) -> Grammar:
    """Return the shapes of a task over a vocabulary. A fact ends before a space or the end of the text."""
    words = {
        **asdict(vocabulary),
        **_CLOSED,
        "kinds": [one for one, _ in vocabulary.kinds],
        "plurals": [many for _, many in vocabulary.kinds],
        "motives": [state for state, _, _ in vocabulary.motives],
    }
    facts = {name: FACT_SHAPES[name] for name in TASK_SHAPES[task]}
    return Grammar(
        vocabulary=vocabulary,
        openings=frozenset(first for shape in facts.values() for first in _first_words(shape, words)),
        facts=tuple(_shape(name, shape + r"\.(?![^ ])", re.NOFLAG) for name, shape in facts.items()),
        questions=tuple(_shape(name, shape, re.IGNORECASE) for name, shape in QUESTION_SHAPES[task].items()),
        words={of: {word.lower(): word for word in group} for of, group in words.items()},
    )


def _shape(name: str, shape: str, flags: re.RegexFlag) -> Shape:
    slots = _SLOT.findall(shape)
    pattern = _SLOT.sub(lambda slot: f"(?P<{slot[1]}>{_written(slot[2])})", shape)
    return Shape(name, re.compile(pattern, flags), {slot: of.lower() for slot, of in slots})


def _written(of: str) -> str:
    """Pattern of the words of a slot type; a type in capitals begins a sentence."""
    if of.lower() in _CLOSED:
        return "|".join(word.capitalize() if of.isupper() else word for word in _CLOSED[of.lower()])
    if of == "people":
        return _NAME
    return (_NAME if of.isupper() else "[a-z]+") + _PHRASE


def _first_words(shape: str, words: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """First words of sentences of a shape, which begins with a slot, a group of alternatives, or a literal word."""
    if slot := _SLOT.match(shape):
        phrases: Iterable[str] = (word[0].upper() + word[1:] for word in words[slot[2].lower()])
    elif shape.startswith("(?:"):
        phrases = shape[3 : shape.index(")")].split("|")
    else:
        phrases = (shape,)
    return (phrase.split(" ")[0] for phrase in phrases)
