"""What only BABILong can say of a finished row: its facts, its background, its supports, read from the prompt itself."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from corpora.stores.sentences.store import Background
from generators.babilong import oracle
from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR

Ranges = Iterable[tuple[str, int, int]]  # (document, first sentence, one past the last), in order
_PICKS_AMONG_PATHS = "qa18"  # the files' choice among several two-step paths is arbitrary (docs/spec/babilong.md 5.18)


def problems(
    row: Row, of: str, store: Background | None, found: oracle.Solution, vocabulary: str = "classic"
) -> Iterator[str]:
    """What is wrong with a row's spans and context; nothing when all is well.

    Args:
        row: as read from the file.
        of: the bAbI task.
        store: the background, to hold the text against; None when it is not here.
        found: what the oracle read in its prompt.
        vocabulary: edition of its question.
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
    yield from _reasoning(row, of, spans, found, vocabulary)
    if "{{" in prompt[: row["context_start"]] or not prompt[row["cue_start"] :]:
        yield "a template is left, or there is no cue at cue_start"
    ranges: Ranges = extra["background"]
    if row["n_units"] != sum(last - first for _, first, last in ranges):
        yield "n_units is not the number of background sentences"
    if row["doc_ids"] != list(dict.fromkeys(doc for doc, _, _ in ranges)):
        yield "doc_ids are not the documents of the background"
    if store is None:
        return
    rest = _without(prompt, row["context_start"], row["context_end"], spans)
    if rest != _text(store, ranges):
        yield "what is left of the context without the facts is not the background it names"
        return
    deciding = spans[max(extra["supporting"])]
    before = _without(
        prompt, row["context_start"], deciding["start"] - 1, [s for s in spans if s["end"] < deciding["end"]]
    )
    depth = _units(store, ranges, len(before)) / row["n_units"] if row["n_units"] else None
    if (row["depth"] is None) != (depth is None) or (depth is not None and abs(row["depth"] - depth) > DEPTH_ERROR):
        yield f"the deciding fact stands at depth {depth}, the row says {row['depth']}"


def _reasoning(
    row: Row, of: str, spans: list[dict[str, Any]], found: oracle.Solution, vocabulary: str
) -> Iterator[str]:
    """What is wrong with the supports and the evidence; `spans` are those of the facts."""
    extra = json.loads(row["extra"])
    starts = tuple(spans[i]["start"] for i in extra["supporting"])
    if found.supporting != starts and of != _PICKS_AMONG_PATHS:
        yield f"the oracle takes its answer from {found.supporting}, the row from {starts}"
    if [spans[i]["start"] for i in extra["evidence"]] != sorted({*starts, *found.also}):
        yield "the evidence is not the supporting facts and what they leave out"
    enough = [extra["facts"][i] for i in extra["evidence"]]
    if oracle.solve_story(of, enough, row["question"], strict=True, vocabulary=vocabulary).answer != found.answer:
        yield "the evidence alone gives another answer"
    if extra["vocabulary"] != vocabulary:
        yield f"the row says vocabulary {extra['vocabulary']}, its questions are {vocabulary}"


def _units(store: Background, ranges: Ranges, characters: int) -> int:
    """Background sentences in the first `characters` of the background (its first space is not in the prompt)."""
    units, left = 0, characters + 1
    for doc, first, last in ranges:
        start, stop = store.first_of[doc] + first, store.first_of[doc] + last
        size = store.char_at[stop] - store.char_at[start]
        if left < size:
            return units + bisect_right(store.char_at, store.char_at[start] + left, start, stop) - 1 - start
        units, left = units + stop - start, left - size
    return units


def _text(store: Background, ranges: Ranges) -> str:
    at, first_of = store.byte_at, store.first_of
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
