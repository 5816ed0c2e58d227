"""From inquiries to asks: short answers, choices, one summary."""

from __future__ import annotations

from typing import Any

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import DocumentQuestion, Split

from .model import SORTS, WRONG, Inquiry, Work


def questions(work: Work, doc_id: str, split: Split, s: Stream) -> list[DocumentQuestion]:
    """Return all questions on a document: qa and choices in the order of their evidence, the summary last if there is one.

    An inquiry becomes either a question or a choice, so no question occurs twice.

    Args:
        work: the document.
        doc_id: its id.
        split: its split.
        s: decides the order of choices.
    """
    found: list[DocumentQuestion] = []
    for number, inquiry in enumerate(work.inquiries):
        choices = tuple(s.shuffled([inquiry.answers[0], *inquiry.decoys])) if inquiry.decoys else ()
        found.append(
            DocumentQuestion(
                question_id=f"{doc_id}-{'choice' if choices else 'qa'}-{number:03d}",
                doc_id=doc_id,
                split=split,
                kind="choice" if choices else "qa",
                text=inquiry.text,
                answers=inquiry.answers[:1] if choices else inquiry.answers,
                choices=choices,
                evidence=inquiry.evidence,
                **_typed(inquiry),
            )
        )
    if not work.summary:
        return found
    summary = DocumentQuestion(
        f"{doc_id}-summary", doc_id, split, "summary", "", references=(work.summary,), key_points=work.key_points, sort=work.plot
    )  # fmt: skip
    return [*found, summary]


def _typed(inquiry: Inquiry) -> dict[str, Any]:
    """Return the metadata of a question of one of the SORTS: type, author of the options, and that a program checked them."""
    if inquiry.sort not in SORTS:
        return {}
    return {"sort": inquiry.sort, "origins": ("simulated",) * (WRONG + 1), "verified": "auto"}
