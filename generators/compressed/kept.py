"""What a shortened context has left of evidence and answers, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from corpora.retrieval import packing
from corpora.retrieval.packing import Chunk
from generators.spec import Row
from haymaker.core.rows.schema import Sample
from haymaker.core.text.equivalents import accepted
from haymaker.core.text.strings import filter_aliases, padded


def survived(whole: Sample, text: str, found: Sequence[Chunk]) -> dict[str, Any]:
    """For the column extra.

    Args:
        whole: the row that is shortened.
        text: its context.
        found: chunks of the text, best first.

    Returns:
        `all`: whether nothing was left out. Where evidence is known: `evidence` pieces of it, `evidence_kept` those all there,
        `evidence_characters` the share of their characters that is. Where it is known where the text answers: `answer_kept`,
        whether an accepted answer still stands there as whole words.
    """
    golds = [
        (span.start - whole.context_start, span.end - whole.context_start)
        for span in whole.each_span()
        if span.kind == "gold" and span.end > span.start
    ]
    noted: dict[str, Any] = {"all": are_all(whole, found)}
    if golds:
        noted["evidence"] = len(golds)
        noted["evidence_kept"] = sum(packing.survives(found, *gold) for gold in golds)
        there = sum(_shared(gold, chunk) for gold in golds for chunk in found)
        noted["evidence_characters"] = round(there / sum(end - start for start, end in golds), 4)
    said = [gold for gold in golds or [(0, len(text))] if _answers(text[slice(*gold)], whole.answers, once=not golds)]
    if said:
        noted["answer_kept"] = any(
            _answers(text[slice(*each)], whole.answers) for gold in said for each in _left(gold, found)
        )
    return noted


def _answers(text: str, accepted: Sequence[str], *, once: bool = False) -> bool:
    """Whether a text holds an accepted answer that can be looked for ("yes" stands anywhere); `once`: in one place, which then answers."""
    held = [padded(text).count(answer) for answer in filter_aliases(accepted)]
    return max(held, default=0) == 1 if once else any(held)


def _left(gold: tuple[int, int], found: Sequence[Chunk]) -> list[tuple[int, int]]:
    """What chunks show of a piece of evidence: first character, one past the last of each part."""
    return [(max(gold[0], each.start), min(gold[1], each.end)) for each in found if _shared(gold, each)]


def are_all(whole: Sample, found: Sequence[Chunk]) -> bool:
    """Whether nothing of the context was left out."""
    return sum(chunk.end - chunk.start for chunk in found) == whole.context_end - whole.context_start


def chosen(row: Row) -> list[Chunk]:
    """The chunks of a shortened row, in characters of the whole context."""
    return [Chunk(*each) for each in json.loads(row["extra"])["chunks"]]


def _shared(gold: tuple[int, int], chunk: Chunk) -> int:
    return max(0, min(gold[1], chunk.end) - max(gold[0], chunk.start))


def problems(row: Row, chunks: int) -> Iterator[str]:
    """What the row alone shows: chunks in the order of the text, none twice, a mark in every gap."""
    spans = [span for span in row["spans"] if span["kind"] == "passage"]
    inner = (at for span in spans for at in (span["start"], span["end"]))
    edges = [row["context_start"], *inner, row["context_end"]]
    if edges != sorted(edges):
        yield "the chunks do not follow one another within the context"
    between = (row["prompt"][start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    if any(gap.strip() and packing.OMISSION not in gap.split("\n") for gap in between):
        yield "something stands between two chunks, or was left out there, without a mark"
    if len(spans) > chunks:
        yield f"{len(spans)} chunks, {chunks} are asked for"
    noted = json.loads(row["extra"])["chunks"]
    if any(one[1] > other[0] for one, other in pairwise(noted)):
        yield "a piece of the text stands there twice"


def compared(row: Row, whole: Sample, head: str, headings: Sequence[Chunk], chunk_words: int) -> Iterator[str]:
    """What differs from the row that was shortened, beyond the context; `head` and `headings` are what stands before it and in it."""
    text, found = whole.text, chosen(row)
    context = text[whole.context_start : whole.context_end]
    left, places = packing.joined(context, found, headings)
    if (head, left) != (
        row["prompt"][: row["context_start"]],
        row["prompt"][row["context_start"] : row["context_end"]],
    ):
        yield "the context is not the chunks of the whole one, or stands behind other words"
    start, spans = row["context_start"], [span for span in row["spans"] if span["kind"] == "passage"]
    if [(start + each.start, start + each.end) for each in places] != [(s["start"], s["end"]) for s in spans]:
        yield "the spans are not the chunks"
    if not set(found) <= set(packing.chunks(context, chunk_words, headings)):
        yield f"the chunks are not those of {chunk_words} words"
    if row["prompt"][row["context_end"] :] != text[whole.context_end :]:
        yield "the words behind the context are not those of the whole row"
    if (row["question"], row["answers"]) != (whole.question, accepted(whole.answers, whole.metrics)):
        yield "asks something else than the whole row"


def measures(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Rows of a table by their column extra -> what survived, in percent of the rows that lost something and where it is known.

    `all_kept`: percent of all rows that lost nothing, so that they say nothing of the search.
    """
    whole = list(rows)
    every = [row for row in whole if not row["all"]]
    evidence = [row["evidence_kept"] / row["evidence"] for row in every if "evidence" in row]
    characters = [row["evidence_characters"] for row in every if "evidence" in row]
    answers = [row["answer_kept"] for row in every if "answer_kept" in row]
    found = {
        "evidence_kept": _percent(evidence), "evidence_characters": _percent(characters), "answer_kept": _percent(answers),
        "all_kept": _percent([row["all"] for row in whole]),
    }  # fmt: skip
    return {"compressed": {name: value for name, value in found.items() if value is not None}}


def _percent(shares: Sequence[float]) -> float | None:
    return round(100 * sum(shares) / len(shares), 1) if shares else None
