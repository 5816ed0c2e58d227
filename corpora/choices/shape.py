"""The shape of an answer that is a text: how it begins, whether it is a statement, whether it is a list; and what a statement is about."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpora.choices.filters import members
from haymaker.core.text.strings import padded, words

_VERBS = (
    "is was are were has had have did does will would can could may might must should said wrote told sought felt made gave took "
    "became began led held found saw left kept brought thought met went built set won lost got used came knew spoke sold bought ran rose "
    "fell grew drew chose taught caught sent spent paid stood fought hid sat ate drove flew threw broke stole"
)
FINITE = re.compile(rf"\b(?:{'|'.join(_VERBS.split())}|(?!need|speed|feed|seed|indeed|red|bed)[a-z]+ed)\b")
_PARTICIPLE = r"(?:[a-z]+ed|made|held|built|caught|kept|brought|led|sent|found|written|given|known|taken)"
_REDUCED = re.compile(
    rf"\b{_PARTICIPLE} (?:in|by|for|as|with|during|under|from|at)\b"  # "agents trained in war"
    r"|\b(?:an?|the|its|his|her|their) [a-z]+ed(?= [a-z])",  # "an increased tax"
    re.IGNORECASE,
)  # these state nothing
_RELATIVE = re.compile(rf"(?<= )(?:who|which|that|it|he|she|they|we) (?:{'|'.join(_VERBS.split())}|[a-z]+ed)\b")
_CLASSES = {
    "article": frozenset({"a", "an", "the", "its", "his", "her", "their"}),
    "pronoun": frozenset({"he", "she", "it", "they", "we"}),
    "cause": frozenset({"because", "due", "since"}),
    "to": frozenset({"to"}),
    "by": frozenset({"by", "through", "with"}),
    "for": frozenset({"for"}),
    "place": frozenset({"in", "at", "on", "within", "between", "from", "near"}),
}
_CLAUSE = re.compile(
    r"\b(?:that|which|who|whom|what|where|when|while|if|as|because|than|how|whether|after|before|until|since)\b.*"
)
_STRAYS = re.compile(
    rf"\b(?:(?:{'|'.join(_VERBS.split())})|(?!need|speed|feed|seed|indeed|red|bed)[a-z]+ed (?:a|an|the|to|his|her|its|their))\b"
)
_ONE = frozenset({"is", "was", "has", "does"})
_MANY = frozenset({"are", "were", "have", "do"})
_MOST_OF_A_SUBJECT = 8  # words
_NO_STATEMENTS = frozenset({"gerund", "by", "for", "to", "place", "infinitive"})
_PARTED = re.compile(r";|\b1[.)] .*\s2[.)] |\w{3}\. [A-Z]")
_PRONOUNS = _CLASSES["pronoun"]


class Shape(NamedTuple):
    """What all options of an item have in common.

    Attributes:
        opening: class of the first word.
        statement: it has a verb that states something.
        list: it lists short things.
        parted: it has several sentences or numbered parts.
    """

    opening: str
    statement: bool
    list: bool
    parted: bool


def shape(text: str) -> Shape:
    """The shape of a text in its normal form."""
    opened = opening(text)
    said = _RELATIVE.sub("", _REDUCED.sub("", text)) if opened in ("other", "article") else text
    states = opened not in _NO_STATEMENTS and bool(FINITE.search(said))
    return Shape(opened, states, len(members(text)) > 2, bool(_PARTED.search(text)))


def strays(text: str) -> bool:
    """Whether a text that begins with a gerund goes on as a sentence of its own ("Building was planned"), not as what somebody did."""
    return bool(_STRAYS.search(_CLAUSE.sub("", text)))


def opening(text: str) -> str:
    """How a text begins: the class of its first word."""
    found = words(text)
    word = next((word for word in found if word != "not"), "")
    for name, known in _CLASSES.items():
        if word in known:
            return name
    if word.endswith("ing") and len(word) > 5:
        return "gerund"
    return "verb" if FINITE.fullmatch(word) else "other"


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


def agrees(own: str, rest: str, plural: bool) -> bool:
    """Whether what is said of somebody else begins with a verb that the subject may have.

    Args:
        own: what the right answer says of the subject, from its verb on.
        rest: what is said of somebody else, from its verb on.
        plural: the subject is several, as far as its words tell.
    """
    first = rest.split(" ", 1)[0].lower()
    if not _states(first):
        return False
    verb = own.split(" ", 1)[0].lower()
    many = verb in _MANY or (verb not in _ONE and plural)
    return first not in (_ONE if many else _MANY)


def is_plural(subject: str, is_name: bool) -> bool:
    """Whether a subject is several: they, or a word that ends so and is no name."""
    last = subject.rsplit(maxsplit=1)[-1].lower()
    return last in ("they", "we") or (
        not is_name and last.endswith("s") and not last.endswith(("ss", "us", "is", "'s"))
    )


def _states(word: str) -> bool:
    return bool(FINITE.fullmatch(word.lower()))
