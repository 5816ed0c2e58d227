"""Checks on the text of a question: answer leaks, offered options, references to an unseen text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from haymaker.core.text.strings import filter_aliases, holds, padded, words

GIVEN_AWAY = "its question holds its answer"
BESIDE = "its question asks for yes or no, its answer says neither"
_OR, _OR_ZH = re.compile(r"\bor\b"), "还是"
_WHETHER = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have|can)\b", re.IGNORECASE)
_JUDGED = re.compile(r"\s*(?:yes|no)\b(?!-)", re.IGNORECASE)  # "No-Answer Baseline" is neither yes nor no
_ANY = re.compile(r"\s*name (?:an?|one|any)\b", re.IGNORECASE)
_NAME = re.compile(r"[^\W\da-z_][\w.'’-]*(?: [^\W\da-z_][\w.'’-]*)*")  # consecutive words, each with a capital

_POINTS = re.compile(  # nothing matches after a comma or full stop, where the question itself may hold the antecedent
    r"\A[^,.;]*?\b(?:this|these)\b(?! (?:years?|time|is|was|been|in)\b)(?= \w)|\bthose \w+s\b(?! (?:who|that|which)\b)"
    r"|\bthe (?:article|author|excerpt|paragraph|passage|text)\b(?! (?:of|for)\b)|\bof the following\b",
    re.IGNORECASE,
)


def points_at_text(question: str) -> bool:
    """Check whether a question needs its source text to be understood: "Why was this organization created?"

    For one-sentence English questions on a single passage. A multi-hop question may itself describe "this singer".
    """
    return _POINTS.search(question) is not None


def offers(question: str) -> bool:
    """Check whether a question may offer its answer as an option: "Who is older, A or B?"."""
    return " or " in padded(question) or _OR_ZH in question


def answered_beside(question: str, answers: Iterable[str]) -> bool:
    """Check whether a yes/no question has no accepted answer of yes or no: "Were others tested?", "SVM"."""
    judged = _WHETHER.match(question) is not None and not offers(question)
    return judged and not any(map(_JUDGED.match, answers))


def names_any(question: str) -> bool:
    """Check whether any of several items would be a right answer, even unlisted ones: "Name a member of ..."."""
    return _ANY.match(question) is not None


def gives_away(question: str, answers: Iterable[str]) -> bool:
    """Check whether a question contains an accepted answer as whole words without offering options.

    Yes, no and single characters are ignored.
    """
    return not offers(question) and holds(padded(question), filter_aliases(answers))


def as_offered(question: str, answers: Iterable[str]) -> tuple[str, ...]:
    """Return the question's own name of the offered answer, if it differs from every accepted answer.

    Example: "Virginia Woolf" in "Emma Bull or Virginia Woolf?" for "Adeline Virginia Woolf". Requires that exactly one
    name around the last "or" ends with the last word of the first answer; otherwise returns an empty tuple.
    """
    given, sides = tuple(answers), _OR.split(question)[-2:]
    if len(sides) < 2 or not given or holds(padded(question), map(padded, given)):
        return ()
    end = words(given[0])[-1:]
    found = [name for side in sides for name in _NAME.findall(side) if words(name)[-1:] == end]
    return tuple(found) if len(found) == 1 else ()
