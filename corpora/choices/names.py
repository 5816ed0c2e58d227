"""Names that might stand in the place of a name: of the same sort, from the same document, and not from the evidence."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher

from corpora.choices.options import Asked, is_near
from corpora.choices.reading import Name, goes_on, wanted_sort
from haymaker.core.text.strings import padded, words

MOST = 12
_WORDS_APART = 1
_NAME_WORDS = range(1, 7)
_LINKS = frozenset({"of", "the", "de", "la", "del", "von", "van", "for"})
_ENDING = 3
_SPELT_ALIKE = 0.8  # of two names: from here they may be one, written in two ways ("Donbas", "Donbass")


def names_in(asked: Asked) -> list[tuple[int, Name]]:
    """Names of the document that stand in the right answer, and where; the longest where they overlap."""
    out: list[tuple[int, Name]] = []
    for name in sorted(asked.reading.names.values(), key=lambda name: (-len(name.text), name.text)):
        at = asked.right.find(name.text)
        end = at + len(name.text)
        if goes_on(asked.right[end:]):
            continue
        if at < 0 or not _alone(asked.right, at, end):
            continue
        if not any(at < start + len(other.text) and start < end for start, other in out):
            out.append((at, name))
    return sorted(out, key=lambda found: found[0])


def whole_name(asked: Asked) -> Name | None:
    """The name that the right answer is, of the sort that the question asks for; None where it is no name."""
    names, bare = asked.reading.names, asked.right.removeprefix("The ")
    name = names.get(bare) or names.get(f"The {bare}")
    parts = bare.split()
    if name is None and len(parts) in _NAME_WORDS and all(part[0].isupper() or part in _LINKS for part in parts):
        name = Name(bare, "other", (), asked.right != bare)
    if name is None:
        return None
    return replace(name, text=bare, sort=wanted_sort(asked.question, bare) or name.sort)


def alternatives(asked: Asked, name: Name) -> list[str]:
    """At most MOST names of the same sort, the best first: those of sentences like the question, near the evidence.

    None shares a word with the question or the rest of the answer, stands in the evidence or beside it, or is spelt nearly like the name; of no
    known sort, it must share a word with the right one or end like it.
    """
    reading = asked.reading
    evidence = "".join(padded(text) for text in asked.evidence_texts)
    own = set(words(name.text))
    taken = (set(words(asked.right)) - own) | set(words(asked.question))
    scores = reading.relevance(f"{asked.question} {asked.right}")
    found = []
    for other in reading.names.values():
        apart = abs(len(other.text.split()) - len(name.text.split()))
        theirs = set(words(other.text))
        if apart > _WORDS_APART or other.article != name.article or taken & theirs or own <= theirs or theirs <= own:
            continue
        if spelt_alike(other.text, name.text):
            continue
        ending = other.text[-_ENDING:] == name.text[-_ENDING:]
        if other.sort != name.sort or (name.sort == "other" and not own & theirs and not ending):
            continue
        if padded(other.text) not in evidence and not any(is_near(place, asked.evidence) for place in other.places):
            rare = len(other.places) < min(2, len(name.places))
            score = max(scores[i] for i in other.places)
            found.append((apart, not ending, rare, -score, reading.distance(other.places, asked.evidence), other.text))
    return [text for *_, text in sorted(found)[:MOST]]


def spelt_alike(one: str, other: str) -> bool:
    """Whether two names may be the same one, spelt in two ways."""
    return SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio() >= _SPELT_ALIKE


def _alone(text: str, start: int, end: int) -> bool:
    """Whether a place holds a whole name: no part of a longer word or name ("Alexander the Great"), and no number behind it."""
    before, behind = text[:start].split(" "), text[end:]
    if before[-1] and (before[-1][-1].isalnum() or before[-1][-1] in "-\u2013'\u2019"):
        return False
    if (
        behind[:1].isalnum()
        or behind[:1] in ("-", "\u2013")
        or re.match(r" (?:\d|(?:the )?[A-Z\u00c0-\u00de])", behind)
    ):
        return False
    if re.search(r"\S [A-Z\u00c0-\u00de]\w+ the $", text[:start]):
        return False
    last = before[-2] if len(before) > 2 else ""
    return not (last[:1].isupper() and last.isalpha())
