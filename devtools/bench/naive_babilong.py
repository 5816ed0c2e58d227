"""A naive BABILong generator, for measuring against: what the published script does, in as few lines.

For every row it draws a place in a book, splits the text that follows, tokenises every sentence until the length is
reached, inserts the facts' tokens and decodes (docs/spec/babilong.md 6.2, 6.3). It is no part of any release.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from corpora.stores.sentences.split import splitter
from haymaker.core.rng import Stream

Encode = Callable[[str], list[int]]
Decode = Callable[[list[int]], str]

_READ_AHEAD = 10  # characters per wanted token (docs/spec/babilong.md 6.1)
_MIN_TOKENS = 10


def naive_row(books: Sequence[str], facts: Sequence[str], tokens: int, encode: Encode, decode: Decode, key: int) -> str:
    """One row as JSON text.

    Args:
        books: texts to draw from.
        facts: fact sentences, each with its leading space.
        tokens: length to reach.
        encode: the tokenizer, text to ids.
        decode: ids to text.
        key: names the row's draws.
    """
    stream = Stream("yardstick", key)
    fact_ids = [encode(fact) for fact in facts]
    wanted = tokens - sum(map(len, fact_ids))
    pieces: list[list[int]] = []
    total = 0
    while total < wanted:
        book = stream.choice(books)
        start = stream.below(len(book))
        chunk = book[start : start + _READ_AHEAD * wanted]
        for first, last in list(splitter("punkt")(chunk))[1:-1]:
            ids = encode(" " + chunk[first:last])
            if len(ids) >= _MIN_TOKENS:
                pieces.append(ids[: wanted - total])
                total += len(pieces[-1])
            if total >= wanted:
                break
    slots = sorted(stream.below(len(pieces) + 1) for _ in fact_ids)
    for offset, (slot, ids) in enumerate(zip(slots, fact_ids, strict=True)):
        pieces.insert(slot + offset, ids)
    return json.dumps({"input": decode([token for ids in pieces for token in ids]), "question": "", "target": ""})
