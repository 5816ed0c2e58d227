"""In how many ways an answer or a key point can be said: names, numbers, verb forms, and the words that carry a phrase."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cache
from typing import Any

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import KeyPoint
from haymaker.core.text.english_grammar import number_words
from worlds.prose.cast import Person
from worlds.prose.morphology import gerund, past, third
from worlds.prose.texts import lexicon

from .wording import capital, fill

_COINS = frozenset("crowns guineas pounds florins".split())
_ARTICLE = re.compile(r"^(?:an?|the) ")
_LED = re.compile(r"^(?:because|out of|in the hope of|under|behind|inside|beneath|above|to) ")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d[\d,]*")
_NOUN = re.compile(r"\b[a-z]+(?<!ed)(?= (?:between|by|for|from|in|of|on|with)\b|$)")  # at the end of a noun phrase
_NAMES_BUT = frozenset("act house mill farm bridge town".split())  # of a name of two words, the one that tells nothing
_WEAK = frozenset(
    "this that with from into upon under over each every which what them their there been being have half more most than then very "
    "until after before other another against about for and the all his her its own old new one two out off down back not between".split()
)


def person_forms(who: Person, single: Set[str]) -> tuple[str, ...]:
    """Return the names of a person of a story: "Mr Uping", "John Uping", and "Uping" if the surname is unique.

    Args:
        who: the person.
        single: surnames that one person alone bears.
    """
    short = (who.surname,) if who.surname in single else ()
    return tuple(dict.fromkeys((who.name, who.full, *short)))


def forms(value: str) -> tuple[str, ...]:
    """Accepted forms of a value as the text has it, the canonical one first.

    A person is also accepted by the surname, which is unique in the archive. Amounts and spans are accepted in digits, in words and
    without the currency. The article or preposition at the start is optional.
    """
    found = [value, *_numbered(value)]
    if is_person(value):
        found.append(value.rsplit(maxsplit=1)[-1])
    found += [_ARTICLE.sub("", value), bare := _LED.sub("", value), _ARTICLE.sub("", bare)]
    return tuple(dict.fromkeys(found))


def verb_forms(told: str, base: str) -> tuple[str, ...]:
    """Return what a person did or was to do, as written and in the other forms that fit a question.

    Args:
        told: "to keep no dog in the house"; equal to `base` where the text has that.
        base: "keep no dog in the house".
    """
    lead, verb, rest = _split(base)
    act = f"{lead}{gerund(verb)}{rest}"
    return tuple(dict.fromkeys((told, f"{lead}to {verb}{rest}", base, act, f"{lead}{past(verb)}{rest}", f"to {base}")))


def _split(base: str) -> tuple[str, str, str]:
    lead = "never " if base.startswith("never ") else ""
    verb, space, rest = base.removeprefix(lead).partition(" ")
    return lead, verb, space + rest


def is_person(value: str) -> bool:
    """Whether a value is a given name and a surname."""
    return re.fullmatch(r"[A-Z]\w+ [A-Z]\w+", value) is not None and value.split(maxsplit=1)[0] in _given()


@cache
def _given() -> frozenset[str]:
    return frozenset(lexicon()["name.man"] + lexicon()["name.woman"])


@cache
def _digits() -> dict[str, int]:
    return {number_words(n): n for n in range(100)}


def _numbered(value: str) -> list[str]:
    """A value that begins with a number, the number said otherwise; the number alone of sums."""
    number, _, unit = value.partition(" ")
    if number not in _digits():
        return []
    said = [number, str(_digits()[number])]
    return [f"{n} {unit}" for n in said] + (said if unit in _COINS else [])


def key_point(
    s: Stream, text: str, terms: Sequence[str], slots: dict[str, Any], single: Set[str] = frozenset()
) -> KeyPoint:
    """A key point with its terms.

    Args:
        s: decides between `<this|that>`.
        text: the claim, with slots.
        terms: "{slot}", or the ways in which the point may be said: "this|that".
        slots: their values.
        single: surnames that one person alone bears.
    """
    groups: list[tuple[str, ...]] = []
    for term in terms:
        person = slots.get(term[1:].removesuffix(".name}")) if term.endswith(".name}") else None
        if isinstance(person, Person):
            groups.append(person_forms(person, single))
        elif "|" in term:
            groups.append(tuple(term.format_map(slots).split("|")))
        else:
            groups += _groups(term.format_map(slots))
    return KeyPoint(capital(fill(s, text, slots)), tuple(groups), "simulated")


def _groups(value: str) -> list[tuple[str, ...]]:
    """Return the required words: a name or number; for a phrase one of two main words, for more words one from each half."""
    if is_person(value) or value.split(maxsplit=1)[0] in _digits() or " " not in value:
        return [forms(value)]
    act = value.removeprefix("to ")
    words = [word for word in _WORD.findall(act) if word in _digits() or (len(word) > 3 and word.lower() not in _WEAK)]
    named = [word for word in words if word[0].isupper()]
    chosen = [word for word in named if word.lower() not in _NAMES_BUT] or named or words
    half = (len(chosen) + 1) // 2 if len(chosen) > 2 and not named else len(chosen)
    verb = act.split(maxsplit=1)[0] if act != value else ""
    nouns = frozenset(_NOUN.findall(act))
    return [_any(part, verb, nouns) for part in (chosen[:half], chosen[half:]) if part]


def _any(words: Iterable[str], verb: str, nouns: Set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for word in words for form in _inflected(word, word == verb, word in nouns)))


def _inflected(word: str, is_verb: bool, is_noun: bool) -> tuple[str, ...]:
    """A word as it may come back in a sentence of one's own: number, tense, digits."""
    if word in _digits():
        return (word, str(_digits()[word]))
    if word[0].isupper():
        return (word,)
    if is_verb:
        return (word, third(word), past(word), past(word, participle=True), gerund(word))
    base = word.removesuffix("'s").removesuffix("'")
    single = base[:-1] if base.endswith("s") and not base.endswith("ss") else base
    return (base, single, third(single)) if is_noun else (base, single)
