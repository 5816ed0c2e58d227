"""Write short texts on request: sentence patterns of a form and a topic, with slots filled from word lists."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream
from worlds.prose.morphology import fix_articles, title_case

_SLOT = re.compile(r"<(\w+)>")
_CHOICE = re.compile(r"\{([^{}]*)\}")  # alternatives, with "|" between them
SHORT_FORMATS = ("photo caption",)
"""Forms whose texts have 30 to 300 characters."""


@cache
def words() -> dict[str, Any]:
    """Return the word file, read once and only by processes that write."""
    return read_yaml(Path(__file__).with_name("words.yaml"))


@cache
def formats() -> tuple[str, ...]:
    """Return the forms whose texts have 600 to 2,400 characters, for "Write a <form> about <topic>."."""
    return tuple(form for form in words()["forms"] if form not in SHORT_FORMATS)


@cache
def kinds() -> dict[str, dict[str, Any]]:
    """Return the words of each topic; topics are plural noun phrases, and none contains another."""
    return {topic: kind for kind in words()["kinds"].values() for topic in kind["topics"]}


class Writer:
    """Writer of texts that share few sentences and words.

    Patterns and words are dealt like cards: each comes once before any comes again. Texts of one writer are therefore
    more different from each other than texts of two writers.

    Args:
        stream: source of all choices; the same stream and the same requests give the same texts.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._decks: dict[int, Iterator[Any]] = {}  # by the identity of the list of cards, which is never freed

    def write(self, form: str, topic: str) -> str:
        """Return a text of 600 to 2,400 characters that names the topic at least twice.

        Raises:
            KeyError: the form or the topic is unknown.
        """
        lists = _lists(form, topic)
        parts = [*self._optional("head", lists), *self._body(lists), *self._optional("tail", lists)]
        return fix_articles("\n\n".join(parts))

    def _body(self, lists: Mapping[str, Any]) -> Iterator[str]:
        return self._paragraphs(lists) if "sentences" in lists else self._verses(lists)

    def _paragraphs(self, lists: Mapping[str, Any]) -> Iterator[str]:
        """Yield paragraphs that begin with a sentence about the topic by name."""
        left, lead = self._stream.between(*lists["length"]), "open"
        while left > 0:
            paragraph = [self._say(lead, lists)]
            for _ in range(self._stream.between(*lists["sentences"]) - 1):
                paragraph.append(self._say(self._deal(lists["body"]), lists))
            left -= sum(map(len, paragraph))
            lead = "claim"
            yield " ".join(paragraph if left > 0 else [*paragraph, self._say("close", lists)])

    def _verses(self, lists: Mapping[str, Any]) -> Iterator[str]:
        """Yield verses of four lines, of which the second and the fourth rhyme; the first and last name the topic."""
        left, first = self._stream.between(*lists["length"]), "named"
        while left > 0:
            verse = self._verse(first, lists)
            left -= len(verse)
            first = "free"
            yield verse
        yield self._verse("named", lists)

    def _verse(self, first: str, lists: Mapping[str, Any]) -> str:
        one, two = self._stream.sample(self._deal(lists["rhymes"]), 2)
        lines = [self._say(first, lists), self._say("rhymed", lists, one)]
        lines += [self._say("free", lists), self._say("rhymed", lists, two)]
        return "{},\n{}.\n{},\n{}.".format(*lines)

    def _optional(self, part: str, lists: Mapping[str, Any]) -> Iterator[str]:
        if part in lists:
            yield self._say(part, lists)

    def _say(self, name: str, lists: Mapping[str, Any], rhyme: str = "") -> str:
        """Return the next pattern of a list with its slots filled, which may be patterns themselves."""
        text: str = self._deal(lists[name])
        while "{" in text:  # innermost alternatives first
            text = _CHOICE.sub(lambda found: self._stream.choice(found[1].split("|")), text)
        while "<" in text:
            text = _SLOT.sub(lambda slot: self._fill(slot[1], lists, rhyme), text)
        return _capital(text)

    def _fill(self, slot: str, lists: Mapping[str, Any], rhyme: str) -> str:
        if slot == "r":
            return rhyme
        if slot in lists["given"]:
            return str(lists["given"][slot])
        text: str = self._deal(lists[slot.lower()])
        return _capital(text) if slot[0].isupper() else text

    def _deal(self, cards: list[Any]) -> Any:
        """Return the next card of a list."""
        if id(cards) not in self._decks:
            self._decks[id(cards)] = _rounds(cards, self._stream)
        return next(self._decks[id(cards)])


def _rounds(cards: list[Any], stream: Stream) -> Iterator[Any]:
    """Yield all cards in random order, again and again.

    The halves of a round are shuffled separately, so a card returns after half a round at the earliest.
    """
    half = len(cards) // 2
    cards = stream.shuffled(cards)
    while True:
        yield from cards
        cards = [*stream.shuffled(cards[:half]), *stream.shuffled(cards[half:])]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _lists(form: str, topic: str) -> Mapping[str, Any]:
    """Return all lists for a form and a topic by name, and what is given with the topic."""
    given = {"t": topic, "T": title_case(topic), "hashtag": "".join(re.findall(r"\w+", topic.title()))}
    every = words()
    extra = every["poem"] if form == "poem" else every
    return dict(ChainMap({"given": given}, every["forms"][form], kinds()[topic], every["slots"], extra))
