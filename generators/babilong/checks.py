"""Checks of a finished row against the oracle, the background store and the prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from corpora.stores.sentences.store import Background
from generators.babilong import oracle
from generators.context import background_checks as background
from generators.context import checks as kit
from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR

_PICKS_AMONG_PATHS = "qa18"  # the files' choice among several two-step paths is arbitrary (docs/spec/babilong.md 5.18)


def problems(
    row: Row, of: str, store: Background | None, found: oracle.Solution, vocabulary: str = "classic"
) -> Iterator[str]:
    """Yield problems with spans and context of a row.

    Args:
        row: as read from the file.
        of: the bAbI task.
        store: background corpus; None if it is not available.
        found: solution of the prompt.
        vocabulary: edition of the question.
    """
    metadata, prompt = json.loads(row["metadata"]), row["prompt"]
    if kit.texts_at(row, "fact", "support") != metadata["facts"]:
        yield "the facts are not at their spans in order"
        return
    spans = [span for span in row["spans"] if span["kind"] in ("fact", "support")]
    if any(a["end"] >= b["start"] for a, b in pairwise(spans)):
        yield "facts overlap"
    if {i for i, span in enumerate(spans) if span["kind"] == "support"} != set(metadata["supporting"]):
        yield "supporting facts are not marked as supporting"
    yield from _reasoning(metadata, row["question"], of, spans, found, vocabulary)
    yield from kit.asked_after(row, row["question"])
    if "{{" in prompt[: row["context_start"]]:
        yield "a template is left in the prompt"
    ranges = background.ranges(row)
    units = sum(last - first for _, first, last in ranges)
    if (row["num_segments"], row["num_unique_segments"]) != (units, units):
        yield f"{units} sentences of background; the row has {row['num_segments']} and {row['num_unique_segments']}"
    yield from kit.document_ids(row, (doc for doc, _, _ in ranges))
    if store is not None:
        yield from _background(row, spans, max(metadata["supporting"]), store)


def _reasoning(
    metadata: dict[str, Any],
    question: str,
    of: str,
    spans: list[dict[str, Any]],
    found: oracle.Solution,
    vocabulary: str,
) -> Iterator[str]:
    """The supports and the evidence agree with the oracle."""
    starts = tuple(spans[i]["start"] for i in metadata["supporting"])
    if found.supporting != starts and of != _PICKS_AMONG_PATHS:
        yield f"the oracle takes its answer from {found.supporting}, the row from {starts}"
    if [spans[i]["start"] for i in metadata["evidence"]] != sorted({*starts, *found.also}):
        yield "the evidence is not the supporting facts and what they leave out"
    enough = [metadata["facts"][i] for i in metadata["evidence"]]
    if oracle.solve_story(of, enough, question, strict=True, vocabulary=vocabulary).answer != found.answer:
        yield "the evidence by itself gives a different answer"
    if metadata["vocabulary"] != vocabulary:
        yield f"the row has vocabulary {metadata['vocabulary']}, its questions are {vocabulary}"


def _background(row: Row, spans: list[dict[str, Any]], deciding: int, store: Background) -> Iterator[str]:
    """The context without its facts is the background, and the deciding fact has the depth of the row."""
    before = background.units_before(row, spans, store, background.runs(row, store))
    if before is None:
        yield background.NOT_BACKGROUND
        return
    depth = before[deciding] / row["num_segments"] if row["num_segments"] else None
    if (row["depth"] is None) != (depth is None) or (depth is not None and abs(row["depth"] - depth) > DEPTH_ERROR):
        yield f"the deciding fact is at depth {depth}, the row has {row['depth']}"
