"""In which order the questions of a collection are asked: what decides it, and how documents take turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import groupby, zip_longest

from corpora.stores.documents.store import PreparedQuestion
from haymaker.core.rng import Stream

_RUNGS = 5  # doublings from 4k to 128k: documents that reach 128k are asked about first
_FIRST_RUNG = 4096
_NARROW = 1024  # tokens; evidence below that fits a window at every length
_LAST = 99  # doublings; more than any evidence has
_STATUS = ("verified", "aligned", "unknown")
_WORDS_AROUND = 1024  # tokens, at most: instruction, question and room for the answer

Rank = tuple[int, int, int]
"""What decides: two numbers that are asked in order, and a third that orders the questions of one document."""


def by_reach(question: PreparedQuestion, size: int, span: int) -> Rank:
    """Documents that reach the longer buckets come first, as far as 128k; of these, questions whose evidence fits a short window.

    So the first rows of every bucket ask the same, and questions that only longer buckets can ask come behind them. (The
    reference asks about no documents below 131,072 tokens in narrativeqa, below 65,536 in the other tasks,
    docs/spec/helmet.md 8.)

    Args:
        question: that is asked.
        size: tokens of its document.
        span: tokens from the first to the last sentence of its evidence.
    """
    # Unknown evidence comes last: no cut can promise to keep it.
    width = (span // _NARROW).bit_length() if question.units else _LAST
    return -min((size // _FIRST_RUNG).bit_length() - 1, _RUNGS), width, _STATUS.index(question.evidence)


def by_room(question: PreparedQuestion, size: int, span: int) -> Rank:
    """By the shortest bucket, in doublings of 4k, that has room for the whole document among others.

    So the first rows of every longer bucket ask the same as those of a shorter one. Arguments as of `by_reach`.
    """
    return ((size * 3 // 2 + _WORDS_AROUND) // _FIRST_RUNG).bit_length(), 0, 0


def in_turns(
    questions: Iterable[PreparedQuestion], rank: Callable[[PreparedQuestion], Rank], stream: Callable[..., Stream]
) -> list[PreparedQuestion]:
    """Questions by rank; among those that are alike in its first two numbers, documents alternate.

    Args:
        questions: of one part and kind.
        rank: of a question; lowest first.
        stream: draws for a purpose.
    """
    by_document: dict[str, list[PreparedQuestion]] = defaultdict(list)
    for question in questions:
        by_document[question.source.doc_id].append(question)
    alike: dict[tuple[int, ...], list[list[PreparedQuestion]]] = defaultdict(list)
    for doc in stream("documents").shuffled(list(by_document)):
        queue = sorted(stream(doc, "questions").shuffled(by_document[doc]), key=rank)
        for key, same in groupby(queue, key=lambda question: rank(question)[:2]):
            alike[key].append(list(same))
    turns = (turn for key in sorted(alike) for turn in zip_longest(*alike[key]))
    return [question for turn in turns for question in turn if question is not None]
