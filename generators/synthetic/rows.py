"""What rows of generated tasks share: the words around a context, an answer of several names, what their checks look at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.writer import Frame, RowWriter
from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR, Span

_SENTENCE = re.compile(r"(?<=[.。]) ")
CUE = "Answer:"
ASKED = "Question: {}"
SEAM = 2  # tokens of a row left for what the two ends of a context without its first space may cost


def framed(
    writer: RowWriter, instruction: str, opening: str, closing: str, *, cue: str = CUE, opener: str = "", demo: str = ""
) -> Frame:
    """Count the words around a context.

    Args:
        writer: counts.
        instruction: what the context is and how to answer.
        opening: what stands right before the context; ends with `opener`.
        closing: everything behind it; ends with `cue`.
        cue: what a base model continues.
        opener: beginning of the context that is always the same.
        demo: worked example; empty for none.
    """
    spans = [Span(0, len(instruction), "instruction", token_start=0)]
    if demo:
        start = len(instruction) + 2
        spans.append(Span(start, start + len(demo), "demo", "demo:0"))
    head = "\n\n".join(filter(None, (instruction, demo, opening)))
    return writer.frame(head, closing, cue=cue, opener=opener, spans=spans)


def tagged(
    writer: RowWriter, instruction: str, tag: str, question: str, demo: str = "", *, cue: str = CUE, asked: str = ASKED
) -> Frame:
    """The same around a context that stands in a tag, with the question behind it."""
    closing = f"\n</{tag}>\n\n{asked.format(question)}\n{cue}"
    return framed(writer, instruction, f"<{tag}>\n", closing, cue=cue, demo=demo)


def example(text: str, question: str, answer: str, *, cue: str = CUE, asked: str = ASKED) -> str:
    """A worked example."""
    space = "" if cue.endswith("：") else " "
    return f"<example>\n{text}\n\n{asked.format(question)}\n{cue}{space}{answer}\n</example>"


def most_often(count: int, what: str, place: str) -> str:
    """The question for what occurs most often, e.g. 3 words of a list."""
    which = f"{count} {what}s occur" if count > 1 else f"{what} occurs"
    return f"Which {which} most often in the {place}?"


def naming(question: str, names: Sequence[str], tokenizer: Tokenizer, least: int) -> dict[str, Any]:
    """Columns of a row whose answer is some names, each of which counts; its room is twice what they take, or `least` tokens."""
    answer = ", ".join(names)
    room = max(least, 2 * tokenizer.count_part(answer))
    answers = {"answers": [answer], "answer_groups": [[name] for name in names]}
    return {"question": question, **answers, "max_new_tokens": room}


def context_of(row: Row) -> str:
    """The context of a finished row."""
    context: str = row["prompt"][row["context_start"] : row["context_end"]]
    return context


def sentences(text: str) -> list[str]:
    """A text cut at each space behind a full stop."""
    if "。" in text:
        return _SENTENCE.split(text)
    *found, last = text.split(". ")  # ten times as quick
    return [*(f"{each}." for each in found), last]


def marked(row: Row, *kinds: str) -> list[str]:
    """What stands at a finished row's spans of some kinds."""
    return [row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] in kinds]


def is_at_depth(row: Row, place: int, units: int) -> bool:
    """Whether a finished row's depth is that of a place among so many units."""
    return bool(abs(place / (units - 1) - row["depth"]) <= DEPTH_ERROR)
