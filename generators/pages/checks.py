"""What is wrong with finished rows of numbered paragraphs: each check reads the row as a stranger would."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from corpora.stores.passages.store import Passages
from generators.spec import Row
from haymaker.core.rows.span_columns import SpanColumns
from haymaker.core.text.strings import bare, one_line, padded

_RUN = 8  # words; every text has as many
_said = lru_cache(maxsize=1 << 12)(padded)  # rows share paragraphs
_LETTERS = (b"e", b"t", b"a", b"\xe5", b"\x80")  # bytes: of Han characters the last two
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())
_LOOK = 16  # bytes
_HAN, _KEPT = re.compile("[\u4e00-\u9fff]"), re.compile("[\0-\x7f\u4e00-\u9fff]+")
_ODD = np.uint64(0x9E3779B97F4A7C15)


def paragraphs(row: Row) -> list[str]:
    """The texts at the spans, in order."""
    return spans(row).texts(row["prompt"])


def spans(row: Row) -> SpanColumns:
    """Those of paragraphs, in order."""
    return SpanColumns.of(row["spans"]).of_kinds("passage", "gold", "distractor")


def tiles(row: Row, opener: str) -> Iterator[str]:
    """The context is the paragraphs, one line each, numbered from 1, and nothing else."""
    lines = (f"{opener} {number}: {text}" for number, text in enumerate(paragraphs(row), 1))
    if row["prompt"][row["context_start"] : row["context_end"]] != "\n\n".join(lines):
        yield "the context is not its paragraphs, numbered 1, 2, 3 ..."


def counts(row: Row) -> Iterator[str]:
    """Paragraphs, different ones, and ids are as many as the row says; equal texts have one id, and different texts two."""
    texts, refs = paragraphs(row), spans(row).column("ref")
    if len({*zip(refs, texts, strict=True)}) != len(set(refs)) or len(set(refs)) != len(set(texts)):
        yield "a passage stands there in two forms, or two passages are the same text"
    if (row["n_units"], row["n_unique_units"]) != (len(texts), len(set(texts))):
        yield "n_units or n_unique_units is not the number of paragraphs"
    if row["doc_ids"] != list(dict.fromkeys(refs)):
        yield "doc_ids are not the passages in order"


def within(row: Row) -> Iterator[str]:
    """No paragraph has the words of another, or stands within another: found by a rule that the builder does not know."""
    texts = list(dict.fromkeys(paragraphs(row)))
    forms = _forms(texts)
    alike = defaultdict[tuple[int, ...], list[str]](list)
    for text, form in zip(texts, forms, strict=True):
        others = alike[len(form), *map(form.count, _LETTERS)]  # the same words have the same letters
        if any(sorted(_said(text).split()) == sorted(_said(other).split()) for other in others):
            yield f"two paragraphs have the same words: {_beginning(text)}"
        others.append(text)
    for number, other in _begun_in(forms):
        if forms[other] in forms[number] and _said(texts[other]) in _said(texts[number]):
            yield f"a paragraph stands within another: {_beginning(texts[other])}"


def _forms(texts: list[str]) -> list[bytes]:
    """What tells quickly which texts may have the same words, or stand within each other: the letters and digits of their words that
    are ASCII or Han, or, where some text has few of these, its words between spaces.
    """
    forms = list[bytes]()
    for text in texts:
        forms.append(_letters(text))
        if len(forms[-1]) < max(_LOOK, len(text) // 2):
            return [_said(each).encode() for each in texts]
    return forms


def _letters(text: str) -> bytes:
    if not text.isascii():
        said = bare(text)
        text = "".join(_KEPT.findall(said)) if _HAN.search(said) else said.encode("ascii", "ignore").decode()
    return text.encode().lower().translate(None, _NO_LETTERS)


def _begun_in(forms: list[bytes]) -> Iterator[tuple[int, int]]:
    """Where a form stands within another one, by a hash of its first 16 bytes: both numbers."""
    raw = b"".join(forms) + bytes(_LOOK)
    eight = np.ndarray(len(raw) - 7, "<u8", raw, strides=(1,))  # the eight bytes that begin at each
    starts = np.cumsum([0, *map(len, forms)])[:-1]
    keys = eight[:-8] * _ODD ^ eight[8:]
    own = keys[starts]
    begins = np.zeros(1 << 16, np.bool_)  # by the first two bytes: most others are none
    begins[own >> np.uint64(48)] = True
    found = np.flatnonzero(begins[keys >> np.uint64(48)])
    found = found[np.isin(keys[found], own)]
    of_key: dict[int, list[int]] = {}
    for other, key in enumerate(own.tolist()):
        of_key.setdefault(key, []).append(other)
    numbers = np.searchsorted(starts, found, "right") - 1
    for number, key in zip(numbers.tolist(), keys[found].tolist(), strict=True):
        yield from ((number, other) for other in of_key[key] if other != number)


def _beginning(text: str) -> str:
    return " ".join(_said(text).split()[:_RUN])


def as_stored(row: Row, store: Passages) -> Iterator[str]:
    """Every paragraph is the passage of its id, its lines made one."""
    shown = list(dict.fromkeys(zip(spans(row).column("ref"), paragraphs(row), strict=True)))
    found = store.by_ids({ref for ref, _ in shown})
    stored = dict(zip(found, store.take(list(found.values()), ["text"])["text"].to_pylist(), strict=True))
    for ref, text in shown:
        if ref not in stored:
            yield f"passage {ref!r} is not in the corpus"
        elif text != one_line(stored[ref]):
            yield f"paragraph {ref!r} is not as the corpus has it"
