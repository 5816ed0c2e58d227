"""Sentences of a book that could pass for a bAbI fact (docs/spec/babilong.md 3.1, 3.2; docs/defects/babilong.md 6.9.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, Protocol, get_args

Edition = Literal["babi", "babi_large"]
"""Whose facts sentences are held against: those of bAbI v1.2, or those with the words of the edition `large`."""

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
_CLAUSE_WORDS = 8  # at most, between a person and the place where that person is
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


class Looker(Protocol):
    """Tells what a sentence looks like."""

    def look(self, sentence: str) -> str:
        """Either "fact" (a fact shape is in it), "near" (something close to one is), or nothing."""


def lookers(editions: Iterable[Edition]) -> list[Looker]:
    """One for each edition named."""
    known: dict[Edition, type[Looker]] = dict(zip(get_args(Edition), (Lookalikes, LargeLookalikes), strict=True))
    return [known[edition]() for edition in dict.fromkeys(editions)]


class Lookalikes:
    """Facts of v1.2; two quick looks spare nearly all sentences the slow one. Near: a person, a place and a fact verb."""

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
        """See Looker."""
        if not self._anchor.search(sentence):
            return ""
        who = self._who.search(sentence)
        if (who or self._other.search(sentence)) and self._fact.search(sentence):
            return "fact"
        return "near" if who and self._near.match(sentence) else ""


class LargeLookalikes:
    """Facts with the words of `large`: words are looked up on both sides of what joins them in a fact ("went to the").

    Looser than the facts where it costs nothing: letter case and a second noun do not matter, and the receiver of a gift
    may be anyone. Near: one of the people before the joint, another word after it.
    """

    def __init__(self) -> None:
        from worlds.babi_worlds.vocabulary import vocabulary

        words = vocabulary("large")
        places = {place for group in words.places.values() for place in group}
        things = {phrase.split()[-1] for phrase in (*words.figures, *(thing for row in words.things for thing in row))}
        species = {kind for group in words.species.values() for kind in group}
        people = {name.lower() for group in words.people.values() for name in group}
        plurals = {kind.many for kind in species}
        states = {kind.one for kind in species} | {*words.colours} | {motive.state for motive in words.motives}
        self._people = people
        self._fits: dict[str, tuple[set[str], set[str]]] = {
            "move": (people, places),
            "hold": (people, {*words.objects}),
            "stay": (people, places),
            "lie": (places | things, places | things),
            "be": (people, states),
            "fear": (plurals, plurals),
        }

    def look(self, sentence: str) -> str:
        """See Looker."""
        text, near = sentence.lower(), ""
        for hit in _JOINT.finditer(text):
            joint = next(name for name in self._fits if hit[name])
            befores, afters = self._fits[joint]
            before = _LAST_WORD.search(text, max(0, hit.start() - _LONGEST), hit.start())
            subject = before is not None and (before["word"] in befores or (joint == "move" and bool(before["they"])))
            if subject and (hit["one"] in afters or hit["two"] in afters):
                return "fact"
            if before is not None and before["word"] in self._people:
                near = "near"
        return near


def _story_shapes(person: str, place: str) -> list[str]:
    """Whereabouts, in whatever words of one clause ("Mary was in a corner of the garden"), moves and hand-overs of one group of people and places."""
    thing = rf"the {_any(_OBJECTS)}"
    return [
        rf"{person}(?: [\w'’-]+){{1,{_CLAUSE_WORDS}}}? {place}",
        rf"{_any(_OPENERS)},? (?:he|she|they) {_any(_MOVES)} to the {place}",
        rf"{person} {_any((*_GETS, *_DROPS))} {thing}(?: there)?",
        rf"{person} {_any(_GIVES)} {thing} to {person}",
    ]


def _any(words: Iterable[str]) -> str:
    """One of the words, the longest first where one begins another."""
    listed = sorted(set(words), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", " ") for word in listed) + ")"


def _spaced(pattern: str) -> str:
    """Let any white space stand for a blank: books are wrapped in the middle of sentences."""
    return pattern.replace(" ", r"\s+")


_LONGEST = 40  # characters before a joint that can hold its subject
_LAST_WORD = re.compile(rf"(?P<they>\b{_any(_OPENERS)},? (?:he|she|they)$)|\b(?P<word>[a-z]+)$")
_JOINT = re.compile(
    rf" (?:(?P<move>{_any(_MOVES)} to the)|(?P<hold>{_any((*_GETS, *_DROPS, *_GIVES))} the)"
    rf"|(?P<stay>is (?:not |no longer |either )?in the)"
    rf"|(?P<lie>is {_any(_COMPASS)} of the|is {_any(_RELATIONS)} the|is bigger than the|fits inside the)"
    r"|(?P<be>is(?: an?)?)|(?P<fear>are afraid of)) (?P<one>[a-z]+)(?: (?P<two>[a-z]+))?"
)
