"""A document of the archive: text, questions, and the content of a good summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from haymaker.core.rows.source_records import KeyPoint

WRONG = 3  # wrong options of a choice
CHOICE_OF = 3  # of the inquiries of a sort, one in so many becomes a choice
Form = Literal["stories", "chronicles"]
FORMS: tuple[Form, ...] = ("stories", "chronicles")
SORTS = (
    "timeline_reorder",
    "computation",
    "multiple_information_retrieval",
    "comprehension_and_reasoning",
    "shortdep_qa",
)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question whose answer occurs in the document once.

    Attributes:
        text: the question.
        answers: accepted answers, the canonical one first.
        evidence: sentences of the document that give the answer together.
        sort: what kind of thing the answer is; of chronicles the type of question, one of SORTS.
        decoys: three other values of that sort near the evidence, so that a prompt with the evidence also contains
            them: the wrong options of a choice. Empty: the inquiry is a short answer.
    """

    text: str
    answers: tuple[str, ...]
    evidence: tuple[str, ...]
    sort: str
    decoys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """A finished document.

    Attributes:
        title: unique among the documents of its form and seed.
        text: paragraphs separated by blank lines, each on one line.
        inquiries: in the order of their evidence.
        summary: summary of the whole document, as a reader would write it; empty if none is requested.
        key_points: claims of the summary.
        plot: of a story, which of the main plots it has: summaries of one plot are alike in their words; empty of other forms.
    """

    title: str
    text: str
    inquiries: tuple[Inquiry, ...]
    summary: str
    key_points: tuple[KeyPoint, ...]
    plot: str = ""


@dataclass(slots=True)
class Outline:
    """Content of a document in addition to its ordinary scenes, while it is built.

    Attributes:
        summary: its sentences.
        points: its key points.
        inquiries, plot: as in Work.
    """

    summary: list[str] = field(default_factory=list)
    points: list[KeyPoint] = field(default_factory=list)
    inquiries: list[Inquiry] = field(default_factory=list)
    plot: str = ""
