"""Turns of MRCR conversations: a request and its reply, written and counted once per release, and the turns of a group.

A turn is one piece that begins inside its request and ends with the first word of the next: ` a poem about night trains.`, the
opening of the reply, the reply, the opening of the next request, `Write`. So any turn follows any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.generated.listed import Column, ListUnits
from generators.generated.splits import split_of
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.chat_template import TEMPLATES, Template
from haymaker.core.rows.source_records import Split
from worlds.replies.write import FORMATS, SHORT_FORMATS, TOPICS, Writer

FIRST_WORD = "Write"
STOCK = 8192  # turns of a split: about 1.4M tokens
_LONG = 2  # long replies for each short one; short ones are never asked for, and with them a few turns fill any length


class Turn(NamedTuple):
    """A request for a text of a format about a topic, and the text."""

    form: str
    topic: str
    text: str

    @property
    def request(self) -> str:
        """The request."""
        return f"{FIRST_WORD} {'an' if self.form[0] in 'aeiou' else 'a'} {self.form} about {self.topic}."

    def piece(self, template: Template) -> str:
        """The turn as part of a conversation, up to the first word of the next request."""
        around = TEMPLATES[template]
        return f"{self.request[len(FIRST_WORD) :]}{around.end}{around.assistant}{self.text}{ending(template)}"


def ending(template: Template) -> str:
    """Return the text that ends a turn and opens the next."""
    around = TEMPLATES[template]
    return f"{around.end}{around.user}{FIRST_WORD}"


def topics(split: Split) -> list[str]:
    """Return the topics of a split; splits share none."""
    return [topic for topic in TOPICS if split_of(topic) == split]


class Stock(NamedTuple):
    """Turns for all groups of a split, and the same turns as parts of a conversation."""

    turns: list[Turn]
    pieces: Pieces


@lru_cache(maxsize=4)
def _turns(stream_key: Key, split: Split) -> list[Turn]:
    draws, known = Stream("frontier", "turns", stream_key, split), topics(split)
    writer, asked = Writer(draws), Stream("frontier", "requests", stream_key, split)
    forms = (SHORT_FORMATS if i % (_LONG + 1) == 0 else FORMATS for i in range(STOCK))
    pairs = [(asked.choice(each), asked.choice(known)) for each in forms]
    return [Turn(form, topic, writer.write(form, topic)) for form, topic in pairs]


@lru_cache(maxsize=4)
def stock(stream_key: Key, split: Split, template: Template, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """Return the turns of a split of a release."""
    turns = _turns(stream_key, split)
    return Stock(turns, Pieces([turn.piece(template) for turn in turns], tokenizers))


class Turns:
    """The turns of a group by rank: needles in the order of the conversation, near misses, all others.

    Args:
        split: split of the group.
        needles: number of replies to the asked request.
        near: number of near misses: the same format about other topics, and other formats about the same topic, in turn.
        draws: returns the random stream of the group for a purpose.
    """

    def __init__(self, split: Split, needles: int, near: int, draws: Callable[[str], Stream]) -> None:
        chosen, writer, self._draws = draws("request"), Writer(draws("texts")), draws
        form, topic = chosen.choice(FORMATS), chosen.choice(topics(split))
        forms = chosen.shuffled([each for each in FORMATS if each != form])
        others = chosen.shuffled([each for each in topics(split) if each != topic])
        close = [(form, others[i]) if i % 2 else (forms[i // 2 % len(forms)], topic) for i in range(near)]
        written = [Turn(*pair, writer.write(*pair)) for pair in [*[(form, topic)] * needles, *close]]
        self.needles, self.near = written[:needles], written[needles:]

    def units(self, have: Stock, asked: int, template: Template, tokenizers: Sequence[Tokenizer]) -> ListUnits:
        """Return the turns as units; needle number `asked` (from 0) is the requested one."""
        own = Pieces([turn.piece(template) for turn in (*self.needles, *self.near)], tokenizers)
        others = self._others(have.turns)
        needles = {i: ("gold" if i == asked else "needle", f"needle:{i}") for i in range(len(self.needles))}
        near = {len(self.needles) + i: ("distractor", f"near:{i}") for i in range(len(self.near))}

        def columns(count: int) -> list[Column]:
            return [[(own, np.arange(len(own))), (have.pieces, others[:count])]]

        return ListUnits(columns, len(own), len(others), needles | near, ending(template))

    def _others(self, turns: Sequence[Turn]) -> Ints:
        """Return the numbers of turns with other requests in the order in which longer contexts take them, every third one short."""
        free = np.array([turn[:2] != self.needles[0][:2] for turn in turns])
        short = np.array([turn.form in SHORT_FORMATS for turn in turns])
        few, many = (np.flatnonzero(free & each) for each in (short, ~short))
        few, many = (each[self._draws(name).permutation(len(each))] for each, name in ((few, "short"), (many, "long")))
        count = min(len(few), len(many) // _LONG)
        return np.column_stack((many[: _LONG * count].reshape(count, _LONG), few[:count])).ravel()
