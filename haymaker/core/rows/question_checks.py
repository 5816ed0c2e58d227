"""What a question itself says: whether it holds its answer, what it offers to choose from, whether it points at a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from haymaker.core.text.strings import filter_aliases, holds, padded, words

GIVEN_AWAY = "its question holds its answer"
BESIDE = "its question asks for yes or no, its answer says neither"
_OR, _OR_ZH = re.compile(r"\bor\b"), "还是"
_WHETHER = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have|can)\b", re.IGNORECASE)
_JUDGED = re.compile(r"\s*(?:yes|no)\b(?!-)", re.IGNORECASE)  # "No-Answer Baseline" says neither
_ANY = re.compile(r"\s*name (?:an?|one|any)\b", re.IGNORECASE)
_NAME = re.compile(
    r"[^\W\da-z_][\w.'’-]*(?: [^\W\da-z_][\w.'’-]*)*"
)  # words that follow one another, each with a capital

_POINTS = re.compile(  # a comma or full stop before it: what it means may stand in the question
    r"\A[^,.;]*?\b(?:this|these)\b(?! (?:years?|time|is|was|been|in)\b)(?= \w)|\bthose \w+s\b(?! (?:who|that|which)\b)"
    r"|\bthe (?:article|author|excerpt|paragraph|passage|text)\b(?! (?:of|for)\b)|\bof the following\b",
    re.IGNORECASE,
)


def points_at_text(question: str) -> bool:
    """Whether it can be understood only by who knows which text it was written on: "Why was this organization created?"

    English questions of one sentence on one passage. Where passages are linked, "this singer" is who the question goes on to describe.
    """
    return _POINTS.search(question) is not None


def offers(question: str) -> bool:
    """Whether it may offer its answer among others: "Who is older, A or B?"."""
    return " or " in padded(question) or _OR_ZH in question


def answered_beside(question: str, answers: Iterable[str]) -> bool:
    """Whether it asks for yes or no, and no accepted answer says either: "Were others tested?", "SVM"."""
    judged = _WHETHER.match(question) is not None and not offers(question)
    return judged and not any(map(_JUDGED.match, answers))


def names_any(question: str) -> bool:
    """Whether one of several is asked for, so that others than the accepted one are right: "Name a member of ..."."""
    return _ANY.match(question) is not None


def gives_away(question: str, answers: Iterable[str]) -> bool:
    """Whether an accepted answer stands in it as whole words, and it offers none: nobody has to read to be right.

    Yes, no and single characters are no answers to look for.
    """
    return not offers(question) and holds(padded(question), filter_aliases(answers))


def as_offered(question: str, answers: Iterable[str]) -> tuple[str, ...]:
    """The name that a question has for what it offers, where no accepted answer has that form; else nothing.

    "Virginia Woolf", of "Emma Bull or Virginia Woolf?", for "Adeline Virginia Woolf". It is certain where one name alone, beside the last "or",
    ends as the first answer does.
    """
    given, sides = tuple(answers), _OR.split(question)[-2:]
    if len(sides) < 2 or not given or holds(padded(question), map(padded, given)):
        return ()
    end = words(given[0])[-1:]
    found = [name for side in sides for name in _NAME.findall(side) if words(name)[-1:] == end]
    return tuple(found) if len(found) == 1 else ()
