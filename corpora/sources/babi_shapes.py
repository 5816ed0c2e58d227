"""Sentences of a book that could pass for a bAbI fact (docs/spec/babilong.md 3.1, 3.2; docs/defects/babilong.md 6.9.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Literal

Edition = Literal["babi", "babi_large"]
"""The facts to compare sentences with: of bAbI v1.2, or with the words of the edition `large`."""

_MOVES = ("went back", "went", "journeyed", "travelled", "moved")
_GETS = ("got", "grabbed", "took", "picked up")
_DROPS = ("dropped", "discarded", "left", "put down")
_GIVES = ("gave", "passed", "handed")
_CLAUSE_WORDS = 8  # at most, between a person and the place where that person is
_OPENERS = ("after that", "afterwards", "then", "following that")
_COMPASS = ("north", "south", "east", "west")
_RELATIONS = ("above", "below", "to the left of", "to the right of")


class _Words:
    """The words of an edition of bAbI, by their place in a fact."""

    def __init__(self, name: str) -> None:
        from worlds.babi_worlds.vocabulary import vocabulary

        words = vocabulary(name)
        self.people, self.places = words.people, words.places
        self.everyone, self.everywhere = _all(words.people), _all(words.places)
        self.objects = {*words.objects, *(motive.what for motive in words.motives)}
        self.figures, self.things = set(words.figures), set(chain.from_iterable(words.things))
        self.nouns = {phrase.split()[-1] for phrase in self.figures | self.things}
        self.kinds = {kind.one for kind in _all(words.species)}
        self.states = {*words.colours, *(motive.state for motive in words.motives)}
        self.feared = {kind.many for kind in words.species["A"]}
        self.plurals = {kind.many for kind in _all(words.species)}


def fact_lookalike_patterns() -> list[str]:
    """Regular expressions, one per fact shape and vocabulary group, to search for anywhere in a sentence.

    A sentence that matches could pass for a task's fact and change its answer ("So John went to the kitchen."), so
    a background must not hold it. Case and line breaks do not matter.
    """
    words = _Words("classic")
    people = {group: _any(listed) for group, listed in words.people.items()}
    places = {group: _any(listed) for group, listed in words.places.items()}
    shapes: list[str] = []
    for person, place in (("A", "A"), ("B", "A"), ("C", "B"), ("F", "C")):
        shapes += _story_shapes(people[person], places[place], rf"the {_any(words.objects)}")
    for person in (people["D"], people["E"], people["F"]):
        shapes += [rf"{person} is {_any('a ' + kind for kind in words.kinds)}", rf"{person} is {_any(words.states)}"]
    plurals, figures, things = _any(words.feared), _any(words.figures), _any(words.things)
    shapes += [
        rf"the {places['A']} is {_any(_COMPASS)} of the {places['A']}",
        rf"{plurals} are afraid of {plurals}",
        rf"the {figures} is {_any(_RELATIONS)} the {figures}",
        rf"the {things} (?:is bigger than|fits inside) the {things}",
    ]
    return [rf"(?i:\b{_spaced(shape)}\b)" for shape in shapes]


def near_facts_pattern() -> str:
    """Looser, for counting only: a person of a task, a place of a task and a fact verb, in any order (`re.match`)."""
    words = _Words("classic")
    verbs = _any((*_MOVES, *_GETS, *_DROPS, *_GIVES, "is in", "is not in", "is either in", "is no longer in"))
    every = (_any(words.everyone), _any(words.everywhere), _spaced(verbs))
    return "(?s)" + "".join(rf"(?=.*\b{each}\b)" for each in every)


class Lookalikes:
    """Facts of v1.2; two quick checks spare nearly all sentences the slow one. Near: a person, a place and a fact verb."""

    def __init__(self) -> None:
        words = _Words("classic")
        anchors = {*words.everywhere, *words.objects, *words.nouns, *words.kinds, *words.feared, *words.states}
        self._anchor = re.compile(rf"\b{_any({*anchors, *(a.capitalize() for a in anchors)})}\b")
        self._who = re.compile(rf"\b{_any({*words.everyone, *(p.lower() for p in words.everyone)})}\b")
        self._other = re.compile(r"(?i:\bthe [\w ]+ (?:is|fits)\b|\bafraid of\b|\b(?:he|she|they) [\w ]+ to the\b)")
        self._fact = re.compile("|".join(fact_lookalike_patterns()))
        self._near = re.compile(near_facts_pattern())

    def look(self, sentence: str) -> str:
        """Return "fact" (a fact shape is in the sentence), "near" (something close to one is), or an empty string."""
        if not self._anchor.search(sentence):
            return ""
        who = self._who.search(sentence)
        if (who or self._other.search(sentence)) and self._fact.search(sentence):
            return "fact"
        return "near" if who and self._near.match(sentence) else ""


class LargeLookalikes:
    """Facts with the words of `large`: words are looked up on both sides of the words that join them ("went to the").

    Looser than the facts: letter case and a second noun do not matter, and the receiver of a gift may be anyone.
    Near: one of the people before the joint, another word after it.
    """

    def __init__(self) -> None:
        words = _Words("large")
        self._people = {name.lower() for name in words.everyone}
        self._fits: dict[str, tuple[set[str], set[str]]] = {
            "move": (self._people, words.everywhere),
            "hold": (self._people, words.objects),
            "stay": (self._people, words.everywhere),
            "lie": (words.everywhere | words.nouns, words.everywhere | words.nouns),
            "be": (self._people, words.kinds | words.states),
            "fear": (words.plurals, words.plurals),
        }

    def look(self, sentence: str) -> str:
        """As in `Lookalikes`."""
        text, near = sentence.lower(), ""
        for hit in _JOINT.finditer(text):
            joint = next(name for name in self._fits if hit[name])
            befores, afters = self._fits[joint]
            before = _LAST_WORD.search(text, max(0, hit.start() - _LONGEST), hit.start())
            if before is None:
                continue
            is_subject = before["word"] in befores or (joint == "move" and bool(before["they"]))
            if is_subject and (hit["one"] in afters or hit["two"] in afters):
                return "fact"
            if before["word"] in self._people:
                near = "near"
        return near


def lookers(editions: Iterable[Edition]) -> list[Lookalikes | LargeLookalikes]:
    """One for each edition named."""
    return [Lookalikes() if edition == "babi" else LargeLookalikes() for edition in dict.fromkeys(editions)]


def _story_shapes(person: str, place: str, thing: str) -> list[str]:
    """Places in any words of one clause ("Mary was in a corner of the garden"), moves and hand-overs of a group of people."""
    return [
        rf"{person}(?: [\w'’-]+){{1,{_CLAUSE_WORDS}}}? {place}",
        rf"{_any(_OPENERS)},? (?:he|she|they) {_any(_MOVES)} to the {place}",
        rf"{person} {_any((*_GETS, *_DROPS))} {thing}(?: there)?",
        rf"{person} {_any(_GIVES)} {thing} to {person}",
    ]


def _all(groups: Mapping[str, Iterable[Any]]) -> set[Any]:
    return set(chain.from_iterable(groups.values()))


def _any(words: Iterable[str]) -> str:
    """One of the words, the longest first where one begins another."""
    listed = sorted(set(words), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", " ") for word in listed) + ")"


def _spaced(pattern: str) -> str:
    """Let any white space match a blank: books are wrapped in the middle of sentences."""
    return pattern.replace(" ", r"\s+")


_LONGEST = 40  # characters before a joint that can hold its subject
_LAST_WORD = re.compile(rf"(?P<they>\b{_any(_OPENERS)},? (?:he|she|they)$)|\b(?P<word>[a-z]+)$")
_JOINT = re.compile(
    rf" (?:(?P<move>{_any(_MOVES)} to the)|(?P<hold>{_any((*_GETS, *_DROPS, *_GIVES))} the)"
    rf"|(?P<stay>is (?:not |no longer |either )?in the)"
    rf"|(?P<lie>is {_any(_COMPASS)} of the|is {_any(_RELATIONS)} the|is bigger than the|fits inside the)"
    r"|(?P<be>is(?: an?)?)|(?P<fear>are afraid of)) (?P<one>[a-z]+)(?: (?P<two>[a-z]+))?"
)
