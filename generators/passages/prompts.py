"""The words around the passages (texts in prompts.yaml) and how a prompt is put together (docs/spec/helmet.md 5, 6, 7).

asked after:   instruction, worked examples (passages, question, answer), passages, question, cue
asked before:  worked examples (instruction, question, passages, answer), instruction, question, passages, cue
again:         the instruction a second time, behind the passages
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from corpora.stores.passages.store import OPENER, SEPARATOR
from haymaker.core.rows.schema import Span

FAR = "\n\n\n"  # between worked examples


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one task, as in prompts.yaml."""

    instruction: str
    asked: Literal["before", "after"]
    label: str
    cue: str
    again: bool = False


class Demo(NamedTuple):
    """A worked example: its text in the prompt, and ids of the passages it shows; the row goes without them."""

    question_id: str
    text: str
    passages: frozenset[str]


def demo_text(wording: Wording, question: str, passages: str, answer: str) -> str:
    """A worked example."""
    line = f"{wording.label} {question}"
    if wording.asked == "before":
        return f"{wording.instruction}{SEPARATOR}{line}{SEPARATOR}{passages}{SEPARATOR}{wording.cue} {answer}"
    return f"{passages}{SEPARATOR}{line}\n{wording.cue} {answer}"


def head(wording: Wording, question: str, demos: Sequence[Demo]) -> tuple[str, list[Span]]:
    """Everything before the first passage's opener, and where the instruction and the worked examples stand in it."""
    before = wording.asked == "before"
    shown = [(demo.text, FAR, "demo", f"demo:{demo.question_id}") for demo in demos]
    instruction = (wording.instruction, SEPARATOR, "instruction", None)
    text, spans = "", []
    for part, behind, kind, ref in (*shown, instruction) if before else (instruction, *shown):
        spans.append(Span(len(text), len(text) + len(part), kind, ref))
        text += part + behind
    return f"{text}{wording.label} {question}{SEPARATOR}" if before else text, spans


def tail(wording: Wording, question: str) -> str:
    """Everything behind the last passage, the cue at the end."""
    again = f"{wording.instruction}{SEPARATOR}" if wording.again else ""
    line = "" if wording.asked == "before" else f"{wording.label} {question}\n"
    return f"{SEPARATOR}{again}{line}{wording.cue}"


def passages_text(units: Sequence[str]) -> str:
    """Units (corpora/stores/passages/store.py), labels included, as the text that a reader sees."""
    return (OPENER + "".join(units)).removesuffix(SEPARATOR + OPENER)
