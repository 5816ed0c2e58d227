"""What is wrong with finished rows of numbered paragraphs: each check reads the row as a stranger would."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from corpora.stores.passages.store import Passages
from generators.spec import Row
from haymaker.text import padded

_RUN = 8  # words; every text has as many
_said = lru_cache(maxsize=1 << 12)(padded)  # rows share paragraphs
_LETTERS = " etaoin"
_LOOK = 16  # bytes
_ODD = np.uint64(0x9E3779B97F4A7C15)


def paragraphs(row: Row) -> list[str]:
    """The texts at the spans, in order."""
    return [row["prompt"][span["start"] : span["end"]] for span in spans(row)]


def spans(row: Row) -> list[Row]:
    """Those of paragraphs, in order."""
    return [span for span in row["spans"] if span["kind"] in ("passage", "gold", "distractor")]


def tiles(row: Row, opener: str) -> Iterator[str]:
    """The context is the paragraphs, one line each, numbered from 1, and nothing else."""
    lines = (f"{opener} {number}: {text}" for number, text in enumerate(paragraphs(row), 1))
    if row["prompt"][row["context_start"] : row["context_end"]] != "\n\n".join(lines):
        yield "the context is not its paragraphs, numbered 1, 2, 3 ..."


def counts(row: Row) -> Iterator[str]:
    """Paragraphs, different ones, and ids are as many as the row says; equal texts have one id, and different texts two."""
    texts, refs = paragraphs(row), [span["ref"] for span in spans(row)]
    if len({*zip(refs, texts, strict=True)}) != len(set(refs)) or len(set(refs)) != len(set(texts)):
        yield "a passage stands there in two forms, or two passages are the same text"
    if (row["n_units"], row["n_unique_units"]) != (len(texts), len(set(texts))):
        yield "n_units or n_unique_units is not the number of paragraphs"
    if row["doc_ids"] != list(dict.fromkeys(refs)):
        yield "doc_ids are not the passages in order"


def within(row: Row) -> Iterator[str]:
    """No paragraph has the words of another, or stands within another: found by a rule that the builder does not know."""
    texts = [_said(text) for text in dict.fromkeys(paragraphs(row))]
    alike = defaultdict[tuple[int, ...], list[str]](list)
    for text in texts:
        others = alike[len(text), *map(text.count, _LETTERS)]  # the same words have the same letters
        if any(sorted(text.split()) == sorted(other.split()) for other in others):
            yield f"two paragraphs have the same words: {_beginning(text)}"
        others.append(text)
    for number, other in _begun_in(texts):
        if texts[other] in texts[number]:
            yield f"a paragraph stands within another: {_beginning(texts[other])}"


def _begun_in(texts: list[str]) -> Iterator[tuple[int, int]]:
    """Of words between spaces: where a word of a text begins as another text does, by a hash of the first 16 bytes: both numbers."""
    utf8 = [text.encode() for text in texts]
    raw = b"".join(utf8) + bytes(_LOOK)
    eight = np.ndarray(len(raw) - 7, "<u8", raw, strides=(1,))  # the eight bytes that begin at each
    starts = np.cumsum([0, *map(len, utf8)])[:-1]
    at = np.flatnonzero(np.frombuffer(raw, np.uint8) == ord(" "))
    keys, own = (eight[places] * _ODD ^ eight[places + 8] for places in (at, starts))
    begins = np.zeros(1 << 16, np.bool_)  # by the first two bytes: most others are none
    begins[own >> np.uint64(48)] = True
    found = np.flatnonzero(begins[keys >> np.uint64(48)])
    found = found[np.isin(keys[found], own)]
    of_key: dict[int, list[int]] = {}
    for other, key in enumerate(own.tolist()):
        of_key.setdefault(key, []).append(other)
    numbers = np.searchsorted(starts, at[found], "right") - 1
    for number, key in zip(numbers.tolist(), keys[found].tolist(), strict=True):
        yield from ((number, other) for other in of_key[key] if other != number)


def _beginning(said: str) -> str:
    return " ".join(said.split()[:_RUN])


def as_stored(row: Row, store: Passages) -> Iterator[str]:
    """Every paragraph is the passage of its id, its lines made one."""
    shown = list(dict.fromkeys(zip((span["ref"] for span in spans(row)), paragraphs(row), strict=True)))
    found = store.by_ids({ref for ref, _ in shown})
    stored = dict(zip(found, store.take(list(found.values()), ["text"])["text"].to_pylist(), strict=True))
    for ref, text in shown:
        if ref not in stored:
            yield f"passage {ref!r} is not in the corpus"
        elif text != " ".join(stored[ref].split()):
            yield f"paragraph {ref!r} is not as the corpus has it"
