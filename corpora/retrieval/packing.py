r"""Cutting a text into chunks of whole sentences by words, and the best of them for a query: LongBench's compressed contexts.

The rules are docs/spec/longbench.md 7: pieces end behind a sentence's mark, chunks are packed greedily up to a number of words,
the best N stand one behind another in the order of their scores, with nothing between. BM25 gets words, and of text that is
written without spaces characters and pairs of them (the reference gave it bare strings, so it ranked by single characters). What is
counted and searched goes by the characters themselves: no flag of a language that might be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora.retrieval.bm25_index import rank_pool
from corpora.retrieval.scorers import ranking

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.encoder import Encoder

    Floats = npt.NDArray[np.floating]

# A full stop within a number or a file's name ("4765.14", "main.py") ends no sentence.
_BODY = r"(?>[^.?!;。？！；\n]*(?:\.(?=[0-9a-z])[^.?!;。？！；\n]*)*)"
_PIECE = re.compile(rf"{_BODY}[.?!;。？！；\n]|(?!\Z){_BODY}")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # each character counts as a word
_WORD = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+")

Rank = Callable[[str, Sequence[str]], "Floats"]  # a query and texts -> a score of each text


@dataclass(frozen=True, slots=True)
class Chunk:
    """text[start:end], in characters."""

    start: int
    end: int


def count_words(text: str) -> int:
    """Runs of letters, digits and underscores; each Chinese character is a word."""
    return sum(1 for _ in _WORD.finditer(text))


def chunks(text: str, chunk_words: int) -> list[Chunk]:
    """All of the text, in order, in chunks of at most `chunk_words` words; a longer sentence is a chunk of its own."""
    found: list[Chunk] = []
    start = end = held = 0
    for piece in _PIECE.finditer(text):
        count = count_words(piece.group())
        if end > start and held + count > chunk_words:
            found.append(Chunk(start, end))
            start, held = end, 0
        end, held = piece.end(), held + count
    return [*found, Chunk(start, end)] if end > start else found


def lexical(query: str, texts: Sequence[str]) -> Floats:
    """BM25 scores (bm25_index.rank_pool) by haymaker.text.terms."""
    return rank_pool(query, texts)


def dense(encoder: Encoder) -> Rank:
    """Scores by the inner product of a model's normalised vectors (exact.exact_scores), whatever chunks stand beside."""

    def scores(query: str, texts: Sequence[str]) -> Floats:
        from corpora.retrieval.exact import exact_scores

        return exact_scores(encoder.query(query), encoder.passages(texts).astype("<f2"))

    return scores


def best(text: str, query: str, chunk_words: int, number: int, rank: Rank = lexical) -> list[Chunk]:
    """The `number` best chunks (fewer where the text has fewer), best first; equal ones in the text's order."""
    every = chunks(text, chunk_words)
    if not every:
        return []
    scores = rank(query, [text[chunk.start : chunk.end] for chunk in every])
    order = ranking(scores.astype("f8"))
    return [every[int(i)] for i in order[:number]]


def joined(text: str, found: Sequence[Chunk]) -> str:
    """The compressed context: chunks one behind another."""
    return "".join(text[chunk.start : chunk.end] for chunk in found)


def survives(found: Sequence[Chunk], start: int, end: int) -> bool:
    """Whether text[start:end] (an evidence, say) is all in the chunks, wherever they stand; an empty span is."""
    at = start
    for chunk in sorted(found, key=lambda each: each.start):
        if chunk.start > at:
            break
        at = max(at, chunk.end)
    return at >= end
