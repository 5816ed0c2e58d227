"""The words around the passages (texts in prompts.yaml) and how a prompt is put together (spec/helmet.md 5-7).

asked after:   instruction, worked examples (passages, question, answer), passages, question, cue
asked before:  worked examples (instruction, question, passages, answer), instruction, question, passages, cue
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from corpora.passages import OPENER, SEPARATOR

FAR = "\n\n\n"  # between worked examples


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one task.

    Attributes:
        instruction: what to do and in which form to answer.
        asked: whether the question stands before or after the passages.
        label: stands before the question.
        cue: what a base model continues.
    """

    instruction: str
    asked: Literal["before", "after"]
    label: str
    cue: str


@dataclass(frozen=True, slots=True)
class Head:
    """Everything before the first passage but its opener, and where its parts are.

    Attributes:
        text: ends with an empty line.
        instruction: (first character, one past the last).
        demos: the same, per worked example.
    """

    text: str
    instruction: tuple[int, int]
    demos: tuple[tuple[int, int], ...]


@cache
def wordings() -> Mapping[str, Wording]:
    """All texts by key."""
    import yaml

    raw = yaml.safe_load(files(__package__).joinpath("prompts.yaml").read_text(encoding="utf-8"))
    return MappingProxyType({key: _wording(**fields) for key, fields in raw.items()})


def _wording(instruction: str, asked: Literal["before", "after"], label: str, cue: str, form: str = "") -> Wording:
    return Wording(f"{instruction}\n{form}" if form else instruction, asked, label, cue)


def demo(wording: Wording, question: str, passages: str, answer: str) -> str:
    """A worked example."""
    asked = f"{wording.label} {question}"
    if wording.asked == "before":
        return f"{wording.instruction}{SEPARATOR}{asked}{SEPARATOR}{passages}{SEPARATOR}{wording.cue} {answer}"
    return f"{passages}{SEPARATOR}{asked}\n{wording.cue} {answer}"


def head(wording: Wording, question: str, demos: Sequence[str]) -> Head:
    """Everything before the first passage's opener."""
    before = wording.asked == "before"
    text = "" if before else f"{wording.instruction}{SEPARATOR}"
    bounds = []
    for shown in demos:
        bounds.append((len(text), len(text) + len(shown)))
        text += shown + FAR
    start = len(text) if before else 0
    if before:
        text += f"{wording.instruction}{SEPARATOR}{wording.label} {question}{SEPARATOR}"
    return Head(text, (start, start + len(wording.instruction)), tuple(bounds))


def tail(wording: Wording, question: str) -> str:
    """Everything behind the last passage, the cue at the end."""
    asked = "" if wording.asked == "before" else f"{wording.label} {question}\n"
    return f"{SEPARATOR}{asked}{wording.cue}"


def passages_text(units: Sequence[str]) -> str:
    """Units (corpora/passages.py), labels included, as the text that a reader sees."""
    return (OPENER + "".join(units)).removesuffix(SEPARATOR + OPENER)
