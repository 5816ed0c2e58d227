"""Record types that real and simulated sources share.

A generator sees these and nothing else, so it cannot tell (or care) whether a book was downloaded or written here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a background corpus: a book, an article, a judgement.

    Attributes:
        doc_id: unique within its source.
        title: for people; may be empty.
        part: which split it belongs to; never changes, so that training text stays out of tests.
        text: raw text, Unicode, before any cleaning.
    """

    doc_id: str
    title: str
    part: Part
    text: str


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """One bAbI question with all facts that stand before it in its story (spec/babilong.md 2.3).

    Attributes:
        task: "qa1" .. "qa20".
        part: train, dev (en-valid's "valid") or test.
        story: position of the story in its file, from 0.
        position: position of the question in its file, from 0; the record's key together with task and part.
        facts: fact sentences in story order, without line numbers.
        question: without the trailing space of the file.
        answer: as in the file: one word, or words joined by commas (qa8, qa19).
        supporting: indices into `facts`, in the file's order (spec/babilong.md section 5).
    """

    task: str
    part: Part
    story: int
    position: int
    facts: tuple[str, ...]
    question: str
    answer: str
    supporting: tuple[int, ...]
