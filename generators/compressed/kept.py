"""Evidence and answers that a compressed context keeps, and checks of compressed rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from corpora.retrieval import packing
from corpora.retrieval.packing import Chunk
from generators.context.checks import context_of
from generators.spec import Row
from haymaker.core.rows.schema import Sample
from haymaker.core.text.equivalents import accepted
from haymaker.core.text.strings import filter_aliases, padded


def survived(whole: Sample, text: str, found: Sequence[Chunk]) -> dict[str, Any]:
    """Return which parts of a context the chunks keep, for the column `metadata` of the compressed row.

    Args:
        whole: row that is compressed.
        text: context of that row.
        found: chunks of the text, best first.

    Returns:
        `all`: whether the chunks are the whole context. If evidence is known: number of its pieces (`evidence`), of complete pieces
        (`evidence_kept`), share of characters kept (`evidence_characters`). If the place of the answer is known: `answer_kept`, whether
        an accepted answer is still there as whole words.
    """
    start, spans = whole.context_start, (span for span in whole.each_span() if span.kind == "gold")
    golds = [(span.start - start, span.end - start) for span in spans if span.end > span.start]
    metadata: dict[str, Any] = {"all": are_all(whole, found)}
    if golds:
        kept = sum(end - start for gold in golds for start, end in _left(gold, found))
        metadata["evidence"] = len(golds)
        metadata["evidence_kept"] = sum(packing.survives(found, *gold) for gold in golds)
        metadata["evidence_characters"] = round(kept / sum(end - start for start, end in golds), 4)
    places = golds or [(0, len(text))]
    answering = [each for each in places if _answers(text[slice(*each)], whole.answers, once=not golds)]
    if answering:
        left = (text[slice(*part)] for each in answering for part in _left(each, found))
        metadata["answer_kept"] = any(_answers(part, whole.answers) for part in left)
    return metadata


def _answers(text: str, answers: Sequence[str], *, once: bool = False) -> bool:
    """Whether a text contains an accepted answer, except answers like "yes"; `once`: in exactly one place."""
    counts = [padded(text).count(answer) for answer in filter_aliases(answers)]
    return max(counts, default=0) == 1 if once else any(counts)


def _left(place: tuple[int, int], found: Sequence[Chunk]) -> list[tuple[int, int]]:
    """Parts (start, end) of a place in the text that are in chunks."""
    parts = ((max(place[0], each.start), min(place[1], each.end)) for each in found)
    return [(start, end) for start, end in parts if start < end]


def are_all(whole: Sample, found: Sequence[Chunk]) -> bool:
    """Whether the chunks are the whole context."""
    return sum(chunk.end - chunk.start for chunk in found) == whole.context_end - whole.context_start


def chosen(row: Row) -> list[Chunk]:
    """Return the chunks of a compressed row, in characters of the whole context."""
    return [Chunk(*each) for each in json.loads(row["metadata"])["chunks"]]


def _places(row: Row) -> list[tuple[int, int]]:
    return [(span["start"], span["end"]) for span in row["spans"] if span["kind"] == "passage"]


def problems(row: Row, chunks: int) -> Iterator[str]:
    """Yield problems of a row: chunks are in the order of the text, none twice, with a mark in every gap."""
    spans = _places(row)
    edges = [row["context_start"], *(at for span in spans for at in span), row["context_end"]]
    if edges != sorted(edges):
        yield "the chunks do not follow one another within the context"
    between = (row["prompt"][start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    if any(gap.strip() and packing.OMISSION not in gap.split("\n") for gap in between):
        yield "text between two chunks was added or left out without a mark"
    if len(spans) > chunks:
        yield f"{len(spans)} chunks instead of {chunks}"
    if any(one.end > other.start for one, other in pairwise(chosen(row))):
        yield "a piece of the text appears twice"


def compared(row: Row, whole: Sample, head: str, headings: Sequence[Chunk], chunk_words: int) -> Iterator[str]:
    """Yield differences from the whole row, given the expected text before the context and the headings in the whole context."""
    text, start, found = whole.text, row["context_start"], chosen(row)
    context = text[whole.context_start : whole.context_end]
    left, places = packing.joined(context, found, headings)
    if (head, left) != (row["prompt"][:start], context_of(row)):
        yield "the context is not made of chunks of the whole row, or follows other words"
    if [(start + each.start, start + each.end) for each in places] != _places(row):
        yield "the spans are not the chunks"
    if not set(found) <= set(packing.chunks(context, chunk_words, headings)):
        yield f"the chunks are not those of {chunk_words} words"
    if row["prompt"][row["context_end"] :] != text[whole.context_end :]:
        yield "the words after the context differ from the whole row"
    if (row["question"], row["answers"]) != (whole.question, accepted(whole.answers, whole.metrics)):
        yield "the question differs from the whole row"


def measures(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return percentages for a table from the column `metadata` of its rows.

    `all_kept`: share of rows that lost nothing. The other figures are means over the rows that lost something.
    """
    every = list(rows)
    lost = [row for row in every if not row["all"]]
    known = [row for row in lost if "evidence" in row]
    figures = {
        "evidence_kept": [row["evidence_kept"] / row["evidence"] for row in known],
        "evidence_characters": [row["evidence_characters"] for row in known],
        "answer_kept": [row["answer_kept"] for row in lost if "answer_kept" in row],
        "all_kept": [row["all"] for row in every],
    }
    return {"compressed": {name: round(100 * sum(each) / len(each), 1) for name, each in figures.items() if each}}
