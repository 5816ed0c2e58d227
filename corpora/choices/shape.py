"""The shape of an answer that is a text: how it begins, whether it is a statement, whether it is a list; and what a statement is about."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpora.choices.filters import members
from haymaker.text import padded, words

_VERBS = (
    "is was are were has had have did does will would can could may might must should said wrote told sought felt made gave took "
    "became began led held found saw left kept brought thought met went built set won lost got used came knew spoke"
)
FINITE = re.compile(rf"\b(?:{'|'.join(_VERBS.split())}|(?!need|speed|feed|seed|indeed|red|bed)[a-z]+ed)\b")
_CLASSES = {
    "article": frozenset({"a", "an", "the", "its", "his", "her", "their"}),
    "pronoun": frozenset({"he", "she", "it", "they", "we"}),
    "cause": frozenset({"because", "due", "since"}),
    "to": frozenset({"to"}),
    "by": frozenset({"by", "through", "with"}),
    "for": frozenset({"for"}),
    "place": frozenset({"in", "at", "on", "within", "between", "from", "near"}),
}
_ONE = frozenset({"is", "was", "has", "does"})
_MANY = frozenset({"are", "were", "have", "do"})
_MOST_OF_A_SUBJECT = 8  # words
_MOST_OF_A_PHRASE = 12
_PRONOUNS = _CLASSES["pronoun"]


class Shape(NamedTuple):
    """What all options of an item have in common.

    Attributes:
        opening: class of the first word.
        statement: it has a verb that states something.
        list: it lists short things.
        long: a phrase of more words than a phrase has.
    """

    opening: str
    statement: bool
    list: bool
    long: bool


def shape(text: str) -> Shape:
    """The shape of a text in its normal form."""
    listed = len(members(text)) > 2
    return Shape(opening(text), bool(FINITE.search(text)), listed, len(words(text)) > _MOST_OF_A_PHRASE)


def opening(text: str) -> str:
    """How a text begins: the class of its first word."""
    first = words(text)[:1]
    word = first[0] if first else ""
    for name, known in _CLASSES.items():
        if word in known:
            return name
    return "gerund" if word.endswith("ing") and len(word) > 5 else "other"


def subject_of(answer: str, question: str) -> str:
    """What a statement is about, where the question says it too or it is a pronoun: the words before its first verb; else empty."""
    parts, known = answer.split(), padded(question)
    for size in range(min(_MOST_OF_A_SUBJECT, len(parts) - 1), 0, -1):
        subject = " ".join(parts[:size])
        if not _states(parts[size]) or subject.endswith((",", ".", ";", ":")):
            continue
        if padded(subject) in known or subject.lower() in _PRONOUNS:
            return subject
    return ""


def agrees(own: str, rest: str, subject: str) -> bool:
    """Whether what is said of somebody else begins with a verb that the subject may have.

    Args:
        own: what the right answer says of the subject, from its verb on.
        rest: what is said of somebody else, from its verb on.
        subject: of the right answer.
    """
    first = rest.split(" ", 1)[0].lower()
    if not _states(first):
        return False
    verb = own.split(" ", 1)[0].lower()
    plural = verb in _MANY or (verb not in _ONE and (subject.lower() == "they" or _plural(subject)))
    return first not in (_ONE if plural else _MANY)


def _plural(subject: str) -> bool:
    last = subject.rsplit(maxsplit=1)[-1]
    return last.endswith("s") and not last.endswith(("ss", "us", "is")) and last.islower()


def _states(word: str) -> bool:
    return bool(FINITE.fullmatch(word.lower()))
