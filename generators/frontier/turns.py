"""Turns of MRCR conversations: a request and its reply, written and counted once per release, and the turns of a group.

A turn is one piece that begins inside its request and ends with the first word of the next: ` a poem about night trains.`, the
opening of the reply, the reply, the opening of the next request, `Write`. So any turn follows any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.generated.listed import Column, ListUnits
from generators.generated.splits import split_of
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.chat_template import TEMPLATES, Template
from haymaker.core.rows.source_records import Split
from worlds.replies.write import SHORT_FORMATS, Writer, formats, kinds

FIRST_WORD = "Write"
BLOCKS = 48  # blocks of turns of a split, together about 1.5M tokens; a short context takes turns of one or two
_SHORT = 64  # short replies in a block; they are never requested, and with them a few turns fill any length
_LONG = 2  # long replies for each short one
_USED = (_LONG + 1) * (_SHORT - 1)  # turns of a block that a group may use: one may have its request


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


@cache
def topics(split: Split) -> list[str]:
    """Return the topics of a split; splits share none."""
    return [topic for topic in kinds() if split_of(topic) == split]


class Block(NamedTuple):
    """Turns with different requests for all groups of a split, long ones first, and the same turns as parts of a conversation."""

    turns: list[Turn]
    pieces: Pieces


@lru_cache(maxsize=2 * BLOCKS)
def _written(stream_key: Key, split: Split, number: int) -> list[Turn]:
    draws, known = Stream("frontier", "turns", stream_key, split, number), topics(split)
    writer, pairs = Writer(draws), list[tuple[str, str]]()
    for forms, count in ((formats(), _LONG * _SHORT), (SHORT_FORMATS, _SHORT)):
        pairs += draws.sample([(form, topic) for form in forms for topic in known], count)
    return [Turn(form, topic, writer.write(form, topic)) for form, topic in pairs]


@lru_cache(maxsize=4 * BLOCKS)
def block(stream_key: Key, split: Split, template: Template, tokenizers: tuple[Tokenizer, ...], number: int) -> Block:
    """Return a block of the turns of a release; `number` from 0 to BLOCKS - 1."""
    turns = _written(stream_key, split, number)
    return Block(turns, Pieces([turn.piece(template) for turn in turns], tokenizers))


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
        form, topic = chosen.choice(formats()), chosen.choice(topics(split))
        forms = chosen.shuffled([each for each in formats() if each != form])
        others = chosen.shuffled([each for each in topics(split) if each != topic])
        close = [(form, others[i]) if i % 2 else (forms[i // 2 % len(forms)], topic) for i in range(near)]
        written = [Turn(*pair, writer.write(*pair)) for pair in [*[(form, topic)] * needles, *close]]
        self.needles, self.near = written[:needles], written[needles:]

    def units(
        self, blocks: Callable[[int], Block], asked: int, template: Template, tokenizers: Sequence[Tokenizer]
    ) -> ListUnits:
        """Return the turns as units; needle number `asked` (from 0) is the requested one."""
        own = Pieces([turn.piece(template) for turn in (*self.needles, *self.near)], tokenizers)
        needles = {i: ("gold" if i == asked else "needle", f"needle:{i}") for i in range(len(self.needles))}
        near = {len(self.needles) + i: ("distractor", f"near:{i}") for i in range(len(self.near))}
        order = self._draws("blocks").permutation(BLOCKS).tolist()

        def columns(count: int) -> list[Column]:
            parts = [(own, np.arange(len(own)))]
            for place in range(-(-count // _USED)):
                have = blocks(order[place])
                parts.append((have.pieces, self._others(have.turns, order[place])[: count - place * _USED]))
            return [parts]

        return ListUnits(columns, len(own), BLOCKS * _USED, needles | near, ending(template))

    def _others(self, turns: Sequence[Turn], number: int) -> Ints:
        """Return the places in a block of _USED turns with other requests, every third one short."""
        draws, asked = self._draws(f"block {number}"), self.needles[0][:2]
        many = [place for place in draws.shuffled(range(_LONG * _SHORT)) if turns[place][:2] != asked]
        few = draws.shuffled(range(_LONG * _SHORT, len(turns)))
        count = _SHORT - 1
        return np.column_stack((np.reshape(many[: _LONG * count], (count, _LONG)), few[:count])).ravel()
