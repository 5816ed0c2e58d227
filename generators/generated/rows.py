"""Parts of rows that generated tasks share: the text around a context, worked examples, answers of several names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context import prompt
from generators.context.writer import Frame, RowWriter

_SENTENCE = re.compile(r"(?<=[.。]) ")
CUE = "Answer:"
ASKED = "Question: {}"
SEAM = 2  # tokens left free, because the two ends of a context without its first space may cost so many


def framed(
    writer: RowWriter,
    instruction: str,
    opening: str,
    closing: str,
    *,
    cue: str = CUE,
    opener: str = "",
    worked: str = "",
) -> Frame:
    """Count the text around a context: instruction, worked example (`worked`), `opening`; and `closing`, which ends with `cue`.

    `opener` is the end of `opening` that belongs to the context.
    """
    parts = [prompt.Part(instruction, "instruction", token_start=0), prompt.Part(opening, gap="")]
    if worked:
        parts.insert(1, prompt.Part(worked, "fewshot", "fewshot:0"))
    return prompt.framed(writer, parts, closing, cue=cue, opener=opener)


def tagged(
    writer: RowWriter,
    instruction: str,
    tag: str,
    question: str,
    worked: str = "",
    *,
    cue: str = CUE,
    asked: str = ASKED,
) -> Frame:
    """Count the text around a context in a tag, followed by the question."""
    closing = f"\n</{tag}>\n\n{asked.format(question)}\n{cue}"
    return framed(writer, instruction, f"<{tag}>\n", closing, cue=cue, worked=worked)


def example(text: str, question: str, answer: str, *, cue: str = CUE, asked: str = ASKED) -> str:
    """Return a worked example."""
    space = "" if cue.endswith("：") else " "
    return f"<example>\n{text}\n\n{asked.format(question)}\n{cue}{space}{answer}\n</example>"


def most_often(count: int, what: str, place: str) -> str:
    """Return the question for the most frequent units, e.g. the 3 most frequent words of a list."""
    which = f"{count} {what}s occur" if count > 1 else f"{what} occurs"
    return f"Which {which} most often in the {place}?"


def naming(question: str, names: Sequence[str], tokenizer: Tokenizer, least: int) -> dict[str, Any]:
    """Return the columns of a row whose answer is some names; the answer may take twice their tokens, or `least` tokens."""
    answer = ", ".join(names)
    room = max(least, 2 * tokenizer.count_part(answer))
    return {
        "question": question,
        "answers": [answer],
        "answer_groups": [[name] for name in names],
        "max_new_tokens": room,
    }


def sentences(text: str) -> list[str]:
    """Split a text at each space after a full stop."""
    if "。" in text:
        return _SENTENCE.split(text)
    *found, last = text.split(". ")  # ten times as quick
    return [*(f"{each}." for each in found), last]
