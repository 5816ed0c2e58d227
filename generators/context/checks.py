"""Checks of finished rows that all tasks share. Each reads the row as stored and yields its problems.

Checks know nothing of how rows are built; they may share code with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR
from haymaker.core.rows.span_columns import SpanColumns


def context_of(row: Row) -> str:
    """Return the context of a row."""
    context: str = row["prompt"][row["context_start"] : row["context_end"]]
    return context


def after_context(row: Row) -> str:
    """Return the text between the context and the cue."""
    text: str = row["prompt"][row["context_end"] : row["answer_prefix_start"]]
    return text


def texts_at(row: Row, *kinds: str) -> list[str]:
    """Return the texts at the spans of some kinds, in order."""
    return SpanColumns.of(row["spans"]).of_kinds(*kinds).texts(row["prompt"])


def is_context(row: Row, expected: str) -> Iterator[str]:
    """The context is exactly `expected`."""
    if context_of(row) != expected:
        yield "the context is not its units in order, each in its form"


def in_order(row: Row) -> Iterator[str]:
    """Spans are not empty, lie in the prompt, and are sorted by start."""
    columns = SpanColumns.of(row["spans"])
    starts, ends = columns.column("start"), columns.column("end")
    if starts != sorted(starts):
        yield "spans are not in order"
    if not all(0 <= start < end <= len(row["prompt"]) for start, end in zip(starts, ends, strict=True)):
        yield "a span is empty or lies outside the prompt"


def counts(row: Row, units: Sequence[str], different: int | None = None) -> Iterator[str]:
    """`num_segments` and `num_unique_segments` are the number of units and of different units.

    Args:
        row: finished row.
        units: units of the context, by name or text.
        different: number of different units; None: all units must differ.
    """
    unique = len(set(units))
    if different is None and unique != len(units):
        yield f"{len(units) - unique} units occur twice"
    if (row["num_segments"], row["num_unique_segments"]) != (len(units), unique if different is None else different):
        yield f"{len(units)} units, {unique} different ones; the row has {row['num_segments']} and {row['num_unique_segments']}"


def document_ids(row: Row, refs: Iterable[str]) -> Iterator[str]:
    """`doc_ids` are the documents of the context, each once, in order."""
    if row["doc_ids"] != list(dict.fromkeys(refs)):
        yield "doc_ids are not the documents of the context in order"


def at_depth(row: Row, places: Iterable[int], units: int) -> Iterator[str]:
    """The depth of the row is the depth of one of `places` among `units` units."""
    depths = [place / max(1, units - 1) for place in places]
    if row["depth"] is None or not any(abs(row["depth"] - depth) <= DEPTH_ERROR for depth in depths):
        yield f"depths {depths}, the row has {row['depth']}"


def asked_after(row: Row, *texts: str) -> Iterator[str]:
    """The texts (question, instruction, options) follow the context, and a cue ends the prompt."""
    text = after_context(row)
    if missing := [each for each in texts if each not in text]:
        yield f"not found after the context: {missing[0]!r:.80}"
    if not row["prompt"][row["answer_prefix_start"] :]:
        yield "the prompt has no cue at answer_prefix_start"


def as_stored(shown: Iterable[tuple[str, str]], stored: Mapping[str, str]) -> Iterator[str]:
    """Every unit (ref, text) is the one that the prepared input has under its ref."""
    wrong = dict.fromkeys(ref for ref, text in shown if stored.get(ref) != text)
    for ref in wrong:
        yield f"{ref!r} differs from the prepared input" if ref in stored else f"{ref!r} is not in the prepared input"
