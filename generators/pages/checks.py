"""Checks of finished rows of numbered paragraphs; each reads the row as stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from corpora.stores.passages.store import Passages
from generators.context import checks as kit
from generators.spec import Row
from haymaker.core.rows.span_columns import SpanColumns
from haymaker.core.text.strings import one_line, padded

_RUN = 8  # words; every text has at least as many
_padded = lru_cache(maxsize=1 << 12)(padded)  # rows share paragraphs
_LETTERS = (b"e", b"t", b"a", b"\xe5", b"\x80")  # bytes: of Han characters the last two
_LOOK = 16  # bytes
_ODD = np.uint64(0x9E3779B97F4A7C15)


def paragraphs(row: Row) -> list[str]:
    """Return the texts of the paragraphs, in order."""
    return spans(row).texts(row["prompt"])


def spans(row: Row) -> SpanColumns:
    """Return the spans of the paragraphs, in order."""
    return SpanColumns.of(row["spans"]).of_kinds("passage", "gold", "distractor")


def paragraphs_fit(row: Row, opener: str, *, copies: bool) -> Iterator[str]:
    """The context is the paragraphs, one line each, numbered from 1; equal texts have one id, and different texts two."""
    texts, refs = paragraphs(row), spans(row).column("ref")
    yield from kit.is_context(row, "\n\n".join(f"{opener} {number}: {text}" for number, text in enumerate(texts, 1)))
    if len({*zip(refs, texts, strict=True)}) != len(set(refs)) or len(set(refs)) != len(set(texts)):
        yield "a passage occurs in two forms, or two passages have the same text"
    yield from kit.counts(row, texts, len(set(texts)) if copies else None)
    yield from kit.document_ids(row, refs)


def within(row: Row) -> Iterator[str]:
    """No paragraph has the words of another or lies within another, by a rule that is independent of the builder."""
    forms = [_padded(text).encode() for text in dict.fromkeys(paragraphs(row))]
    alike = defaultdict[tuple[int, ...], list[bytes]](list)
    for form in forms:
        others = alike[len(form), *map(form.count, _LETTERS)]  # the same words have the same letters
        if any(sorted(form.split()) == sorted(other.split()) for other in others):
            yield f"two paragraphs have the same words: {_beginning(form)}"
        others.append(form)
    for number, other in _begun_in(forms):
        if forms[other] in forms[number]:
            yield f"a paragraph is contained in another: {_beginning(forms[other])}"


def _begun_in(forms: list[bytes]) -> Iterator[tuple[int, int]]:
    """Yield pairs of forms if the second may lie within the first, by a hash of its first 16 bytes."""
    raw = b"".join(forms) + bytes(_LOOK)
    eight = np.ndarray(len(raw) - 7, "<u8", raw, strides=(1,))  # the eight bytes that begin at each
    starts = np.cumsum([0, *map(len, forms)])[:-1]
    keys = eight[:-8] * _ODD ^ eight[8:]
    own = keys[starts]
    begins = np.zeros(1 << 16, np.bool_)  # by the first two bytes, which exclude most places
    begins[own >> np.uint64(48)] = True
    found = np.flatnonzero(begins[keys >> np.uint64(48)])
    found = found[np.isin(keys[found], own)]
    of_key: dict[int, list[int]] = {}
    for other, key in enumerate(own.tolist()):
        of_key.setdefault(key, []).append(other)
    numbers = np.searchsorted(starts, found, "right") - 1
    for number, key in zip(numbers.tolist(), keys[found].tolist(), strict=True):
        yield from ((number, other) for other in of_key[key] if other != number)


def _beginning(form: bytes) -> str:
    return " ".join(form.decode().split()[:_RUN])


def as_stored(row: Row, store: Passages) -> Iterator[str]:
    """Every paragraph is the passage of its id, its lines made one."""
    found = store.by_ids(set(refs := spans(row).column("ref")))
    texts = store.take(list(found.values()), ["text"])["text"].to_pylist()
    stored = dict(zip(found, map(one_line, texts), strict=True))
    yield from kit.as_stored(zip(refs, paragraphs(row), strict=True), stored)
