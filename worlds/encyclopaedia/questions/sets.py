"""The question sets by name, and how blocks share in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, TypeVar

from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Question, Split
from worlds.encyclopaedia.block import make_block
from worlds.encyclopaedia.model import BLOCK, split_of

from .hops import twohop
from .plain import absent, longtail, single, trivia
from .search import search
from .several import ambiguous, listing
from .wording import Asker, asker

SetName = Literal["single", "trivia", "longtail", "twohop", "search", "ambiguous", "list", "absent"]
SETS: dict[SetName, Callable[[Asker], Iterator[Question]]] = {
    "single": single,
    "trivia": trivia,
    "longtail": longtail,
    "twohop": twohop,
    "search": search,
    "ambiguous": ambiguous,
    "list": listing,
    "absent": absent,
}


Counts = Mapping[SetName, Mapping[Split, int]]
T = TypeVar("T")


def write_questions(seed: int, articles: int, counts: Counts) -> dict[SetName, list[Question]]:
    """The question sets of a world, block by block: the first of every block, then the second of every block, and so on.

    More questions never change the earlier ones.

    Args:
        seed: of the world.
        articles: how many the world has.
        counts: set -> split -> how many.

    Raises:
        BuildError: the blocks of a split do not give so many.
    """
    blocks = range(articles // BLOCK)
    return in_order([block_questions(seed, articles, number, counts) for number in blocks], articles, counts)


def block_questions(seed: int, articles: int, number: int, counts: Counts) -> dict[SetName, list[Question]]:
    """Return the output of one block for each set of its split: more than its share, so that others may give less."""
    split = split_of(number)
    wanted = {name: _share(articles, split, splits[split]) for name, splits in counts.items() if splits.get(split)}
    return {name: _of_block(seed, number, name, most) for name, most in wanted.items()}


def in_order(blocks: Sequence[Mapping[SetName, list[T]]], articles: int, counts: Counts) -> dict[SetName, list[T]]:
    """Return the sets, from the outputs of all blocks (questions, or their lines).

    Raises:
        BuildError: the blocks of a split do not give so many.
    """
    made: dict[tuple[SetName, Split], list[list[T]]] = {}
    for number, found in enumerate(blocks):
        for name, questions in found.items():
            made.setdefault((name, split_of(number)), []).append(questions)
    return {
        name: [
            q
            for split, count in splits.items()
            for q in _first(made.get((name, split), []), name, split, count, articles)
        ]
        for name, splits in counts.items()
    }


def _share(articles: int, split: Split, count: int) -> int:
    """Twice what a block must give, so that others may give less."""
    blocks = sum(split_of(number) == split for number in range(articles // BLOCK))
    return 2 * -(-count // blocks) + 2


def _first(made: Sequence[list[T]], name: str, split: Split, count: int, articles: int) -> list[T]:
    if (most := sum(map(len, made))) < count:
        raise BuildError(
            f"{articles:,} articles give {most} {split} questions of the set {name!r}, not {count}",
            fix="request more articles or fewer questions",
        )
    return list(islice(_in_turn(made, 2 if name == "absent" else 1), count))


def _of_block(seed: int, number: int, name: SetName, most: int) -> list[Question]:
    made = islice(SETS[name](asker(make_block(seed, number), name)), most)
    questions = [replace(q, question_id=f"{name}-{number:05d}-{k:03d}") for k, q in enumerate(made)]
    if name != "absent":
        return questions
    return [replace(q, twin_of=questions[k - 1].question_id) if k % 2 else q for k, q in enumerate(questions)]


def _in_turn(found: Sequence[list[T]], step: int) -> Iterator[T]:
    """The first `step` of each list, the next of each, and so on."""
    for at in range(0, max(map(len, found), default=0), step):
        for questions in found:
            yield from questions[at : at + step]
