"""Cut a text into chunks of whole sentences and choose the best for a query: LongBench's compressed contexts.

The rules are in docs/spec/longbench.md 7: pieces end after the punctuation of a sentence, chunks are packed greedily up
to a number of words, the best N are kept. Differs from section 7, which joins them in the order of their scores: they
keep the order of the text, each under the heading of its document, with a mark at each omission. BM25 gets words, and
in scripts without spaces characters and pairs of them (the reference passed plain strings, so it ranked by single
characters).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora.retrieval.bm25_index import rank_pool
from corpora.retrieval.lexical import ranking
from corpora.stores.sentences.split import ABBREVIATIONS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.encoder import Encoder

    Floats = npt.NDArray[np.floating]

# A full stop within a number or a file's name ("4765.14", "main.py") ends no sentence.
_BODY = r"(?>[^.?!;。？！；\n]*(?:\.(?=[0-9a-z])[^.?!;。？！；\n]*)*)"
_CLOSE = r"(?:[”’」』）)\]】]|[\"'](?=[\s)\]]|\Z))*"  # quotations and notes that end with the sentence
_PIECE = re.compile(rf"{_BODY}(?:(?P<mark>[.?!;。？！；]){_CLOSE}|\n)|(?!\Z){_BODY}")
_JOINED = tuple(",，、:：》〉")  # before these marks no sentence ends
# Nor does one after an initial ("J. Smith", "U.S."), an abbreviation ("p. 5"), or the number of a list's item.
_GOES_ON = re.compile(
    rf"(?:(?<![^\W_])(?:[A-Zcpv]|(?i:{'|'.join(re.escape(each) for each in sorted(ABBREVIATIONS))}))|(?:^|\n)[^\S\n]*\d{{1,3}})\.\Z"
)
_LONGEST = 24  # characters that tell, at most
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # each character counts as a word
_WORD = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+")

OMISSION = "[...]"
"""The line that stands where text was left out."""

Rank = Callable[[str, Sequence[str]], "Floats"]  # a query and texts -> a score of each text


@dataclass(frozen=True, slots=True)
class Chunk:
    """text[start:end], in characters."""

    start: int
    end: int


def count_words(text: str) -> int:
    """Runs of letters, digits and underscores; each Chinese character is a word."""
    return sum(1 for _ in _WORD.finditer(text))


def chunks(text: str, chunk_words: int, headings: Sequence[Chunk] = ()) -> list[Chunk]:
    """Return the whole text, in order, as chunks of at most `chunk_words` words; a longer sentence is one chunk.

    A heading (of a document among several) opens a piece and stays with the sentence after it.
    """
    found: list[Chunk] = []
    start = end = held = 0
    for at in _ends(text, headings):
        count = count_words(text[end:at])
        if count and end > start and held + count > chunk_words:
            found.append(Chunk(start, end))
            start, held = end, 0
        end, held = at, held + count
    return [*found, Chunk(start, end)] if end > start else found


def _ends(text: str, headings: Sequence[Chunk]) -> list[int]:
    """Where pieces end."""
    starts = [each.start for each in headings]
    ends = {*starts, len(text)} - {0}
    for piece in _PIECE.finditer(text):
        last = bisect_left(starts, piece.end()) - 1
        mark = piece.end("mark")
        if piece["mark"] == "." and _GOES_ON.search(text, max(0, mark - _LONGEST), mark):
            continue
        if piece["mark"] and text.startswith(_JOINED, piece.end()):
            continue
        if last < 0 or text[headings[last].end : piece.end()].strip():  # not within a heading, nor right after it
            ends.add(piece.end())
    return sorted(ends)


def lexical(query: str, texts: Sequence[str]) -> Floats:
    """BM25 scores (bm25_index.rank_pool) by haymaker.core.text.strings.terms."""
    return rank_pool(query, texts)


def dense(encoder: Encoder) -> Rank:
    """Return a ranking by the inner product of normalized vectors (exact.exact_scores)."""

    def scores(query: str, texts: Sequence[str]) -> Floats:
        from corpora.retrieval.exact import exact_scores

        return exact_scores(encoder.query(query), encoder.passages(texts).astype("<f2"))

    return scores


def best(
    text: str, query: str, chunk_words: int, number: int, rank: Rank = lexical, headings: Sequence[Chunk] = ()
) -> list[Chunk]:
    """The `number` best chunks (fewer where the text has fewer), best first; equal ones in the text's order."""
    every = chunks(text, chunk_words, headings)
    if not every:
        return []
    scores = rank(query, [text[chunk.start : chunk.end] for chunk in every])
    order = ranking(scores.astype("f8"))
    return [every[int(i)] for i in order[:number]]


def joined(text: str, found: Sequence[Chunk], headings: Sequence[Chunk] = ()) -> tuple[str, list[Chunk]]:
    """Return the compressed context, and the place of each chunk in it without the white space around it.

    Chunks are in the order of the text, each under the heading of its document, with OMISSION in every gap.
    """
    left, at, places = "", 0, []
    for each in _kept(found, headings):
        gap, piece = text[at : each.start], text[each.start : each.end]
        if gap.strip():
            left, piece = f"{left.rstrip()}\n{OMISSION}\n".lstrip(), piece.lstrip()
        start = len(left) + len(piece) - len(piece.lstrip())
        if each not in headings:
            places.append(Chunk(start, start + len(piece.strip())))
        left, at = left + (gap if gap.isspace() else "") + piece, each.end
    return f"{left.rstrip()}\n{OMISSION}" if text[at:].strip() else left, places


def _kept(found: Sequence[Chunk], headings: Sequence[Chunk]) -> list[Chunk]:
    """Return chunks, and the headings of chunks without one, in text order."""
    starts, kept = [each.start for each in headings], sorted(found, key=lambda each: each.start)
    over = {bisect_right(starts, chunk.start) - 1 for chunk in kept} - {-1}
    lone = (headings[i] for i in over if not any(one.start <= starts[i] < one.end for one in kept))
    return sorted([*kept, *lone], key=lambda each: each.start)


def survives(found: Sequence[Chunk], start: int, end: int) -> bool:
    """Check whether all of text[start:end] is in the chunks; an empty span is."""
    at = start
    for chunk in sorted(found, key=lambda each: each.start):
        if chunk.start > at:
            break
        at = max(at, chunk.end)
    return at >= end
