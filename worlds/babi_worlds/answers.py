"""The answers of every task and how often each is given (docs/spec/babilong.md 2.5, 7.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from worlds.babi_worlds.vocabulary import Vocabulary, Words

Balance = Literal["natural", "even"]


class Block(NamedTuple):
    """Answers that belong together.

    Attributes:
        words: what is answered.
        natural: share of each word in the real files, in percent. For a list of another length, the sum is spread over it.
        labels: number of labels of bAbI v1.2 that the block represents: its weight when all labels are to be equal.
    """

    words: Words
    natural: tuple[float, ...]
    labels: int


LIST = ","
"""Counts for every answer of several words in qa8."""
PATHS: Words = ("e,e", "e,n", "e,s", "n,e", "n,n", "n,w", "s,e", "s,s", "s,w", "w,n", "w,s", "w,w")


def _even(words: Words, labels: int) -> list[Block]:
    return [Block(words, (100 / labels,) * labels, labels)]


def _each(**natural: float) -> list[Block]:
    return [Block((word,), (share,), 1) for word, share in natural.items()]


def _places(words: Vocabulary) -> list[Block]:
    return _even(words.places["A"], 6)


def _yes_no(words: Vocabulary) -> list[Block]:
    return _each(yes=50, no=50)


_BLOCKS: dict[str, Callable[[Vocabulary], list[Block]]] = {
    **dict.fromkeys(("qa1", "qa2", "qa3", "qa4", "qa11", "qa12", "qa13"), _places),
    **dict.fromkeys(("qa6", "qa17", "qa18"), _yes_no),
    "qa5": lambda words: [
        Block(words.people["B"], (18.9, 18.8, 16.4, 12.9), 4),
        Block(words.objects, (13.7, 9.5, 9.8), 3),
    ],
    "qa7": lambda words: _each(one=48.7, none=47.0, two=4.1, three=0.2),
    "qa8": lambda words: [
        Block(("nothing",), (36.2,), 1),
        Block(words.objects, (18.9, 18.6, 19.9), 3),
        Block((LIST,), (6.4,), 0),
    ],
    "qa9": lambda words: _each(no=62.5, yes=37.5),
    "qa10": lambda words: _each(no=47.5, yes=37.7, maybe=14.7),
    "qa14": lambda words: _even(words.places["B"], 6),
    "qa15": lambda words: _even(tuple(kind.one for kind in words.species["A"]), 4),
    "qa16": lambda words: _even(words.colours, 4),
    "qa19": lambda words: _even(PATHS, 12),
    "qa20": lambda words: [
        Block(words.places["C"], (9.2, 9.4, 18.7), 3),
        Block(tuple(motive.state for motive in words.motives), (15.7,) * 4, 4),
    ],
}


def shares(task: str, words: Vocabulary, balance: Balance) -> dict[str, float]:
    """Weight of every label of a task, for a `Quota`: as in the real files, or as even as the vocabulary allows.

    A block of words that is longer than the real one ("large") shares what the real one has. A label without a weight
    is not limited.
    """
    weights: dict[str, float] = {}
    for block in _BLOCKS[task](words):
        natural = block.natural
        if balance == "even" or len(natural) != len(block.words):
            whole = sum(natural) if balance == "natural" else float(block.labels)
            natural = (whole / len(block.words),) * len(block.words)
        weights.update(zip(block.words, natural, strict=True))
    return {label: weight for label, weight in weights.items() if weight}
