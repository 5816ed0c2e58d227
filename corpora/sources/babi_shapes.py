"""Sentences of a book that could pass for a bAbI fact (spec/babilong.md 3.1, 3.2 and 6.9 defect 6)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PEOPLE = {
    "A": ("Mary", "Sandra", "John", "Daniel"),
    "B": ("Mary", "Bill", "Fred", "Jeff"),
    "C": ("Mary", "Julie", "Bill", "Fred"),
    "D": ("Gertrude", "Winona", "Jessica", "Emily"),
    "E": ("Lily", "Bernhard", "Greg", "Julius", "Brian"),
    "F": ("Sumit", "Yann", "Antoine", "Jason"),
}
_PLACES: dict[str, tuple[str, ...]] = {
    "A": ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office"),
    "B": ("bedroom", "cinema", "kitchen", "office", "park", "school"),
    "C": ("bedroom", "garden", "kitchen"),
}
_OBJECTS = ("apple", "football", "milk", "pajamas")
_FIGURES = ("triangle", "pink rectangle", "red sphere", "red square", "blue square", "yellow square")
_THINGS = ("chocolate", "box of chocolates", "box", "chest", "suitcase", "container")
_KINDS = ("mouse", "wolf", "cat", "sheep", "swan", "lion", "frog", "rhino")
_PLURALS = ("mice", "wolves", "cats", "sheep")
_COLOURS = ("gray", "white", "yellow", "green")
_MOTIVES = ("hungry", "thirsty", "bored", "tired")
_MOVES = ("went back", "went", "journeyed", "travelled", "moved")
_GETS = ("got", "grabbed", "took", "picked up")
_DROPS = ("dropped", "discarded", "left", "put down")
_GIVES = ("gave", "passed", "handed")
_TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
_OPENERS = ("after that", "afterwards", "then", "following that")
_COMPASS = ("north", "south", "east", "west")
_RELATIONS = ("above", "below", "to the left of", "to the right of")


def fact_lookalike_patterns() -> list[str]:
    """Regular expressions, one per fact shape and vocabulary group, to look for anywhere in a sentence.

    A sentence that holds one could pass for a task's fact and change its answer ("So John went to the kitchen."), so
    a background must not hold it. Case and line breaks inside do not matter.
    """
    shapes: list[str] = []
    for people, places in (("A", "A"), ("B", "A"), ("C", "B"), ("F", "C")):
        shapes += _story_shapes(_any(_PEOPLE[people]), _any(_PLACES[places]))
    for people in ("D", "E", "F"):
        shapes.append(rf"{_any(_PEOPLE[people])} is {_any('a ' + kind for kind in _KINDS)}")
        shapes.append(rf"{_any(_PEOPLE[people])} is {_any((*_COLOURS, *_MOTIVES))}")
    shapes += [
        rf"the {_any(_PLACES['A'])} is {_any(_COMPASS)} of the {_any(_PLACES['A'])}",
        rf"{_any(_PLURALS)} are afraid of {_any(_PLURALS)}",
        rf"the {_any(_FIGURES)} is {_any(_RELATIONS)} the {_any(_FIGURES)}",
        rf"the {_any(_THINGS)} (?:is bigger than|fits inside) the {_any(_THINGS)}",
    ]
    return [rf"(?i:\b{_spaced(shape)}\b)" for shape in shapes]


def near_facts_pattern() -> str:
    """Looser, for counting only: a person of a task, a place of a task and a fact verb, in any order (`re.match`)."""
    people = _any(sorted({name for group in _PEOPLE.values() for name in group}))
    places = _any(sorted({name for group in _PLACES.values() for name in group}))
    verbs = _any((*_MOVES, *_GETS, *_DROPS, *_GIVES, "is in", "is not in", "is either in", "is no longer in"))
    return rf"(?s)(?=.*\b{people}\b)(?=.*\b{places}\b)(?=.*\b{_spaced(verbs)}\b)"


class Lookalikes:
    """Finds sentences that could pass for a fact; two quick looks spare nearly all of them the slow one."""

    def __init__(self) -> None:
        nouns = [word.split()[-1] for word in (*_FIGURES, *_THINGS)]
        places = {name for group in _PLACES.values() for name in group}
        people = {name for group in _PEOPLE.values() for name in group}
        anchors = {*places, *_OBJECTS, *nouns, *_KINDS, *_PLURALS, *_COLOURS, *_MOTIVES}
        self._anchor = re.compile(rf"\b{_any({*anchors, *(a.capitalize() for a in anchors)})}\b")
        self._who = re.compile(rf"\b{_any({*people, *(p.lower() for p in people)})}\b")
        self._other = re.compile(r"(?i:\bthe [\w ]+ (?:is|fits)\b|\bafraid of\b|\b(?:he|she|they) [\w ]+ to the\b)")
        self._fact = re.compile("|".join(fact_lookalike_patterns()))
        self._near = re.compile(near_facts_pattern())

    def look(self, sentence: str) -> str:
        """Either "fact" (a fact shape is in it), "near" (a person, a place and a fact verb are), or nothing."""
        if not self._anchor.search(sentence):
            return ""
        who = self._who.search(sentence)
        if (who or self._other.search(sentence)) and self._fact.search(sentence):
            return "fact"
        return "near" if who and self._near.match(sentence) else ""


def _story_shapes(person: str, place: str) -> list[str]:
    """Moves, hand-overs and whereabouts of one group of people and places."""
    move = rf"{_any(_MOVES)} to the {place}"
    when, thing = _any(_TIMES), rf"the {_any(_OBJECTS)}"
    return [
        rf"(?:{when},? )?{person} {move}(?: {when})?",
        rf"{person} and {person} {move}",
        rf"{_any(_OPENERS)},? (?:he|she|they) {move}",
        rf"{person} {_any((*_GETS, *_DROPS))} {thing}(?: there)?",
        rf"{person} {_any(_GIVES)} {thing} to {person}",
        rf"{person} is (?:not |no longer )?in the {place}",
        rf"{person} is either in the {place} or the {place}",
    ]


def _any(words: Iterable[str]) -> str:
    """One of the words, the longest first where one begins another."""
    listed = sorted(set(words), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", " ") for word in listed) + ")"


def _spaced(pattern: str) -> str:
    """Let any white space stand for a blank: books are wrapped in the middle of sentences."""
    return pattern.replace(" ", r"\s+")
