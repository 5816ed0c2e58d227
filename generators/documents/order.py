"""The order of the questions of a collection: by rank, with alternating documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import groupby, zip_longest

from corpora.stores.documents.store import PreparedQuestion
from haymaker.core.rng import Stream

_DOUBLINGS = 5  # from 4k to 128k; longer documents have the same rank
_SHORTEST = 4096
_NARROW = 1024  # tokens; narrower evidence fits a window at every length
_UNKNOWN = 99  # more doublings than any evidence has
_STATUS = ("verified", "aligned", "unknown")
_AROUND = 1024  # most tokens of instruction, question and answer

Rank = tuple[int, int, int]
"""Two numbers that order all questions, and a third that orders the questions of one document."""


def by_reach(question: PreparedQuestion, size: int, span: int) -> Rank:
    """Rank documents that reach longer lengths (up to 128k) first, and in them questions whose evidence fits a short window.

    So all lengths begin with the same questions, and questions that fit only longer lengths come later. (The reference uses no
    documents below 131,072 tokens in narrativeqa, below 65,536 in the other tasks, docs/spec/helmet.md 8.) `size` is the tokens of
    the document, `span` the tokens from the first to the last sentence of the evidence.
    """
    # Unknown evidence comes last because a cut may lose it.
    width = (span // _NARROW).bit_length() if question.units else _UNKNOWN
    return -min((size // _SHORTEST).bit_length() - 1, _DOUBLINGS), width, _STATUS.index(question.evidence)


def by_size(question: PreparedQuestion, size: int, span: int) -> Rank:
    """Rank by the shortest length that can contain the whole document among others: longer lengths begin with its questions."""
    return ((size * 3 // 2 + _AROUND) // _SHORTEST).bit_length(), 0, 0


def interleaved(
    questions: Iterable[PreparedQuestion], rank: Callable[[PreparedQuestion], Rank], stream: Callable[..., Stream]
) -> list[PreparedQuestion]:
    """Return questions by rank, lowest first; documents alternate among questions with the same first two numbers."""
    by_document: dict[str, list[PreparedQuestion]] = defaultdict(list)
    for question in questions:
        by_document[question.source.doc_id].append(question)
    alike: dict[tuple[int, ...], list[list[PreparedQuestion]]] = defaultdict(list)
    for doc in stream("documents").shuffled(list(by_document)):
        queue = sorted(stream(doc, "questions").shuffled(by_document[doc]), key=rank)
        for key, same in groupby(queue, key=lambda question: rank(question)[:2]):
            alike[key].append(list(same))
    rounds = (each for key in sorted(alike) for each in zip_longest(*alike[key]))
    return [question for each in rounds for question in each if question is not None]
