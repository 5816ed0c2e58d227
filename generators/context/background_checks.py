"""Checks of rows that hide texts between the sentences of a corpus: the background is the corpus, and depths are right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from corpora.stores.sentences.store import Background
from generators.context.checks import document_ids
from generators.inputs import Inputs, Use
from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR

NOT_BACKGROUND = "the context without the hidden texts does not match its background"


def ranges(row: Row) -> list[tuple[str, int, int]]:
    """Return the background of a row (column `metadata`): (document, first sentence, one past the last), in order."""
    return [(doc, first, last) for doc, first, last in json.loads(row["metadata"]).get("background", [])]


def runs(row: Row, store: Background) -> list[tuple[int, int]]:
    """Return the background of a row as runs of units of the store."""
    return [(store.first_of[doc] + first, store.first_of[doc] + last) for doc, first, last in ranges(row)]


def units_before(
    row: Row, spans: Iterable[Row], store: Background, shown: Sequence[tuple[int, int]]
) -> list[int] | None:
    """Return the units of background before each hidden text; None if the rest of the context is not the background.

    Args:
        row: finished row.
        spans: spans of all hidden texts, in order.
        store: the corpus.
        shown: runs of units of the store, in order.
    """
    prompt, at, kept = row["prompt"], row["context_start"], 0
    pieces, before = list[str](), list[int]()
    for span in spans:  # each hidden text is preceded by a space
        pieces.append(prompt[at : max(at, span["start"] - 1)])
        kept, at = kept + len(pieces[-1]), span["end"]
        before.append(kept)
    rest = "".join([*pieces, prompt[at : row["context_end"]]])
    text = b"".join(store.text[store.byte_at[first] : store.byte_at[last]] for first, last in shown).decode()
    if rest.removeprefix(" ") != text.removeprefix(" "):
        return None
    characters = np.asarray(store.char_at)
    units = np.concatenate([np.zeros(0, np.int64), *(np.arange(first, last) for first, last in shown)])
    ends = np.cumsum(characters[units + 1] - characters[units])
    first_space = 0 if rest.startswith(" ") else 1  # the first space of the background is not in the prompt
    found = np.searchsorted(ends, np.array([each + first_space for each in before]), "right")
    return [int(each) for each in found]


def hidden(row: Row, inputs: Inputs, corpus: str) -> Iterator[str]:
    """Yield problems of a row of `hide`: documents, number of sentences; if the corpus is prepared, background and depth."""
    spans = [span for span in row["spans"] if span["kind"] in ("needle", "distractor")]
    units = sum(last - first for _, first, last in ranges(row))
    yield from document_ids(row, (doc for doc, _, _ in ranges(row)))
    if (row["num_segments"], row["num_unique_segments"]) != (units, units):
        yield f"{units} sentences of background; the row has {row['num_segments']} and {row['num_unique_segments']}"
    if not inputs.is_here(Use("corpora", corpus)):
        return
    store = inputs.background(corpus)
    before = units_before(row, spans, store, runs(row, store))
    if before is None:
        yield NOT_BACKGROUND
        return
    depth = next(n / units for n, span in zip(before, spans, strict=True) if span["kind"] == "needle")
    if abs(row["depth"] - depth) > DEPTH_ERROR:
        yield f"the first needle is at depth {depth}, the row has {row['depth']}"
