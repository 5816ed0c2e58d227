"""What only BABILong can say of a finished row: its facts, its background, its supports, read from the prompt itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from corpora.background import Background
from generators.babilong import oracle

Row = dict[str, Any]
_PICKS_AMONG_PATHS = "qa18"  # the files' choice among several two-step paths is arbitrary (spec/babilong.md 5.18)


def problems(row: Row, of: str, store: Background | None) -> Iterator[str]:
    """What is wrong with a row's spans and context; nothing when all is well.

    Args:
        row: as read from the file.
        of: the bAbI task.
        store: the background, to hold the text against; None when it is not here.
    """
    extra = json.loads(row["extra"])
    prompt, facts = row["prompt"], extra["facts"]
    spans = [span for span in row["spans"] if span["kind"] in ("fact", "support")]
    if [prompt[span["start"] : span["end"]] for span in spans] != facts:
        yield "the facts are not at their spans in order"
        return
    if any(a["end"] >= b["start"] for a, b in pairwise(spans)):
        yield "facts overlap"
    if {i for i, span in enumerate(spans) if span["kind"] == "support"} != set(extra["supporting"]):
        yield "supporting facts are not marked so"
    starts = tuple(spans[i]["start"] for i in extra["supporting"])
    found = oracle.solve(of, prompt, strict=True).support_offsets
    if found != starts and of != _PICKS_AMONG_PATHS:
        yield f"the oracle takes its answer from {found}, the row from {starts}"
    if "{{" in prompt[: row["context_start"]] or not prompt[row["cue_start"] :]:
        yield "a template is left, or there is no cue at cue_start"
    rest = _without(prompt, row["context_start"], row["context_end"], spans)
    if store is not None and rest != _text(store, extra["background"]):
        yield "what is left of the context without the facts is not the background it names"


def identity(row: Row) -> str:
    """Facts and question: what must not come twice, nor in two parts."""
    return "\n".join([*json.loads(row["extra"])["facts"], row["question"]])


def background(row: Row) -> list[tuple[str, int, int]]:
    """(document, first sentence, one past the last), in order."""
    return [(doc, first, last) for doc, first, last in json.loads(row["extra"])["background"]]


def _text(store: Background, ranges: Iterable[tuple[str, int, int]]) -> str:
    first_of = {entry.doc_id: entry.first for entry in store.documents}
    at = store.byte_at
    pieces = (store.text[at[first_of[doc] + first] : at[first_of[doc] + last]] for doc, first, last in ranges)
    return b"".join(pieces).decode().removeprefix(" ")


def _without(prompt: str, start: int, end: int, spans: Iterable[dict[str, Any]]) -> str:
    """The context without its facts and without the space that each brought along."""
    pieces, at = [], start
    for span in spans:
        pieces.append(prompt[at : max(at, span["start"] - 1)])
        at = span["end"]
    pieces.append(prompt[at:end])
    return "".join(pieces).removeprefix(" ")
