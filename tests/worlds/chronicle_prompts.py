"""Finished prompts about chronicles, framed by hand as Marathon's rows are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import DocumentQuestion
from worlds.archive.files import write_document
from worlds.archive.model import Work
from worlds.archive.questions import questions

LETTERS = "ABCD"


@cache
def work(seed: int, index: int, words: int = 8_000) -> Work:
    """One document."""
    return write_document(seed, "chronicles", index, words)


@cache
def asked(seed: int, index: int, words: int = 8_000) -> tuple[DocumentQuestion, ...]:
    """What is asked of it."""
    return tuple(questions(work(seed, index, words), "x", "test", Stream(seed, index)))


def prompt(text: str, question: DocumentQuestion, title: str = "") -> str:
    """A prompt with one text, or of several the one whose title is given."""
    head = f'Question about the text "{title}" above: ' if title else "Question about the text above: "
    options = [f"{letter}. {choice}" for letter, choice in zip(LETTERS, question.choices, strict=True)]
    lines = (
        "Read the text.", "", "<text>", text, "</text>", "", head + question.text, *options, "Reply with", "Answer:",
    )  # fmt: skip
    return "\n".join(lines)


def right(question: DocumentQuestion) -> list[str]:
    """The stored answers."""
    letter = LETTERS[question.choices.index(question.answers[0])]
    return [f'{{"option": "{letter}"}}', letter, f"{letter}. {question.answers[0]}"]


def several(works: Sequence[Work]) -> str:
    """Texts one after another, each under its title."""
    return "".join(f"\n\n***\n\n[{each.title}]\n\n{each.text}" for each in works)
