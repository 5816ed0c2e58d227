"""Proof of `extra.retrieval`: worked out again from the finished prompt alone, with strings and the library bm25s."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from corpora.stores.sentences.store import Background
from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row

Span = tuple[int, int]
_ALL_UP_TO = 16 * 1024  # tokens of a prompt that is searched again; of longer ones ranks and pieces must agree
_KEPT = 20
_CHUNK_TOKENS = 512


def problems(row: Row, retriever: str, store: Background | None, tokenizer: Tokenizer) -> Iterator[str]:
    """What is wrong with a row's ranks and best pieces; nothing when all is well.

    Args:
        row: as read from the file; its spans and background are proved already.
        retriever: what the parameters ask for, or "none".
        store: the background, which knows where sentences end; None when it is not here.
        tokenizer: of the release.
    """
    extra = json.loads(row["extra"])
    found = extra.get("retrieval", {"retriever": "none"})
    if found["retriever"] != retriever:
        yield f"retrieval by {found['retriever']}, asked for {retriever}"
        return
    if retriever == "none":
        return
    places = {span["ref"]: (span["start"], span["end"]) for span in row["spans"] if span["ref"]}
    supports = [places[f"fact:{i}"] for i in extra["supporting"]]
    for unit in ("sentence", "chunk"):
        if not _agrees(found[unit], supports):
            yield f"{unit}: the ranks are not those of the supporting facts among the best pieces"
    if row["prompt_tokens"] > _ALL_UP_TO:
        return
    cuts = {"chunk": _chunks(row, tokenizer)}
    if store is not None:
        cuts["sentence"] = _sentences(row, store, extra["background"])
    for unit, pieces in cuts.items():
        fresh = _searched(row, pieces, supports)
        for key in ("ranks", "top"):
            if fresh[key] != found[unit][key]:
                yield f"{unit}: {key} are {fresh[key]}, the row says {found[unit][key]}"


def _agrees(found: dict[str, Any], supports: list[Span]) -> bool:
    """Every rank up to 20 names the piece that holds the fact, and no other piece does."""
    for (start, end), rank in zip(supports, found["ranks"], strict=True):
        holders = [i for i, (first, last) in enumerate(found["top"], 1) if first <= start and end <= last]
        if holders != ([rank] if rank is not None and rank <= _KEPT else []):
            return False
    return True


def _sentences(row: Row, store: Background, background: list[tuple[str, int, int]]) -> list[Span]:
    """The sentences of the context in order: facts where their spans say, between them those of the background."""
    facts = {span["start"]: span["end"] for span in row["spans"] if span["kind"] in ("fact", "support")}
    at_byte, first_of = store.byte_at, store.first_of
    numbers = (first_of[doc] + i for doc, first, last in background for i in range(first, last))
    lengths = (len(str(store.text[at_byte[i] + 1 : at_byte[i + 1]], "utf-8")) for i in numbers)
    pieces, at = [], row["context_start"]
    while at < row["context_end"]:
        end = facts[at] if at in facts else at + next(lengths)
        pieces.append((at, end))
        at = end + 1
    return pieces


def _chunks(row: Row, tokenizer: Tokenizer) -> list[Span]:
    """The context cut between words, as many words a chunk as 512 tokens hold."""
    at = row["context_start"] - 1
    pieces, used = [[at, at]], 0
    for word in re.split(r"(?<=\S)(?= )", " " + row["prompt"][at + 1 : row["context_end"]]):
        count = _tokens(tokenizer, word)
        if used and used + count > _CHUNK_TOKENS:
            pieces.append([at, at])
            used = 0
        at, used = at + len(word), used + count
        pieces[-1][1] = at
    return [(start + 1, end) for start, end in pieces]


@lru_cache(maxsize=1 << 16)
def _tokens(tokenizer: Tokenizer, word: str) -> int:
    return tokenizer.count_part(word)


def _searched(row: Row, pieces: list[Span], supports: list[Span]) -> dict[str, Any]:
    """Ranks and best pieces, by the library."""
    import bm25s  # type: ignore[import-untyped]

    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    index.index([_words(row["prompt"][start:end]) for start, end in pieces], show_progress=False)
    scores = index.get_scores(_words(row["question"]))
    order = sorted(range(len(pieces)), key=lambda i: (-round(float(scores[i]), 9), i))
    best = [pieces[i] for i in order]
    ranks = [
        next((rank for rank, piece in enumerate(best, 1) if piece[0] <= start and end <= piece[1]), None)
        for start, end in supports
    ]
    return {"ranks": ranks, "top": [list(piece) for piece in best[:_KEPT]]}


def _words(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"\w+", text)]
