"""What a shortened context has left of evidence and answers, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from corpora.retrieval import packing
from corpora.retrieval.packing import Chunk
from generators.spec import Row
from haymaker.sample import Sample, Span, Spans
from haymaker.text import holds, padded


def survived(whole: Sample, text: str, left: str, found: Sequence[Chunk]) -> dict[str, Any]:
    """For the column extra.

    Args:
        whole: the row that is shortened.
        text: its context.
        left: the shortened one.
        found: chunks of the text, best first.

    Returns:
        `all`: whether nothing was left out. Where evidence is known: `evidence` pieces of it, `evidence_kept` those all there,
        `evidence_characters` the share of their characters that is. Where an answer stands in the text as whole words:
        `answer_kept`, whether one still does.
    """
    golds = [(span.start - whole.context_start, span.end - whole.context_start) for span in _golds(whole.spans)]
    noted: dict[str, Any] = {"all": sum(chunk.end - chunk.start for chunk in found) == len(text)}
    if golds:
        noted["evidence"] = len(golds)
        noted["evidence_kept"] = sum(packing.survives(found, *gold) for gold in golds)
        there = sum(_shared(gold, chunk) for gold in golds for chunk in found)
        noted["evidence_characters"] = round(there / sum(end - start for start, end in golds), 4)
    answers = [padded(answer) for answer in whole.answers if padded(answer).strip()]
    if answers and holds(padded(text), answers):
        noted["answer_kept"] = holds(padded(left), answers)
    return noted


def _golds(spans: Iterable[Span | Spans]) -> Iterator[Span]:
    every = (each for given in spans for each in (given.each() if isinstance(given, Spans) else [given]))
    return (span for span in every if span.kind == "gold" and span.end > span.start)


def _shared(gold: tuple[int, int], chunk: Chunk) -> int:
    return max(0, min(gold[1], chunk.end) - max(gold[0], chunk.start))


def problems(row: Row, chunk_words: int, chunks: int) -> Iterator[str]:
    """What the row alone shows: chunks fill the context, one behind another, none too long, none twice."""
    spans = [span for span in row["spans"] if span["kind"] == "passage"]
    at = row["context_start"]
    for span in spans:
        if span["start"] != at:
            yield f"{span['ref']} does not begin where the chunk before it ends"
        at = span["end"]
        if not _fits(row["prompt"][span["start"] : at], chunk_words):
            yield f"{span['ref']} has more than {chunk_words} words"
    if at != row["context_end"]:
        yield "the chunks do not end with the context"
    if len(spans) > chunks:
        yield f"{len(spans)} chunks, {chunks} are asked for"
    noted = sorted(json.loads(row["extra"])["chunks"])
    if any(one[1] > other[0] for one, other in pairwise(noted)):
        yield "a piece of the text stands there twice"


def _fits(text: str, chunk_words: int) -> bool:
    """Whether a chunk has so few words, or is one sentence (which may bring marks and line breaks of its own)."""
    return packing.count_words(text) <= chunk_words or _sentences(text) == 1


def _sentences(text: str) -> int:
    return sum(packing.count_words(text[each.start : each.end]) > 0 for each in packing.chunks(text, 0))


def compared(row: Row, whole: Sample) -> Iterator[str]:
    """What differs from the row that was shortened, beyond the context."""
    prompt, text, told = row["prompt"], whole.text, json.loads(row["extra"])
    context = text[whole.context_start : whole.context_end]
    if (
        packing.joined(context, [Chunk(*each) for each in told["chunks"]])
        != prompt[row["context_start"] : row["context_end"]]
    ):
        yield "the context is not the chunks of the whole one"
    if (
        prompt[: row["context_start"]] != text[: whole.context_start]
        or prompt[row["context_end"] :] != text[whole.context_end :]
    ):
        yield "the words around the context are not those of the whole row"
    if (row["question"], row["answers"]) != (whole.question, whole.answers):
        yield "asks something else than the whole row"


def measures(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Rows of a table by their column extra -> what survived, in percent of the rows where it is known."""
    every = list(rows)
    evidence = [row["evidence_kept"] / row["evidence"] for row in every if "evidence" in row]
    characters = [row["evidence_characters"] for row in every if "evidence" in row]
    answers = [row["answer_kept"] for row in every if "answer_kept" in row]
    found = {
        "evidence_kept": _percent(evidence), "evidence_characters": _percent(characters), "answer_kept": _percent(answers),
        "all_kept": _percent([row["all"] for row in every]),
    }  # fmt: skip
    return {"compressed": {name: value for name, value in found.items() if value is not None}}


def _percent(shares: Sequence[float]) -> float | None:
    return round(100 * sum(shares) / len(shares), 1) if shares else None
