"""From inquiries to asks: short answers, choices whose wrong ones are of the same document and sort, one summary."""

from __future__ import annotations

from collections import defaultdict

from corpora.records import Ask, Part
from haymaker.rng import Stream

from .model import Inquiry, Work

WRONG = 3  # wrong choices
_CHOICE_OF = 3  # of the inquiries of a sort, one in so many becomes a choice


def asks(work: Work, doc_id: str, part: Part, s: Stream) -> list[Ask]:
    """Everything that is asked of a document: qa and choices in the order of their evidence, the summary last.

    An inquiry becomes one of both, never both, so that no question is asked twice.

    Args:
        work: the document.
        doc_id: its id.
        part: its part.
        s: decides between qa and choice, and the order of choices.
    """
    values = _values(work.inquiries)
    met: defaultdict[str, int] = defaultdict(int)
    start = {sort: s.below(_CHOICE_OF) for sort in values}
    found: list[Ask] = []
    for number, inquiry in enumerate(work.inquiries):
        turn = met[inquiry.sort] + start[inquiry.sort]
        met[inquiry.sort] += 1
        known = (*inquiry.answers, *inquiry.barred, *inquiry.decoys)
        others = [value for value in values[inquiry.sort] if value not in known]
        wrong = [*inquiry.decoys, *s.shuffled(others)][:WRONG]
        choices: tuple[str, ...] = ()
        if turn % _CHOICE_OF == 0 and len(wrong) == WRONG:
            choices = tuple(s.shuffled([inquiry.answers[0], *wrong]))
        found.append(
            Ask(
                ask_id=f"{doc_id}-{'choice' if choices else 'qa'}-{number:03d}",
                doc_id=doc_id,
                part=part,
                kind="choice" if choices else "qa",
                text=inquiry.text,
                answers=inquiry.answers[:1] if choices else inquiry.answers,
                choices=choices,
                evidence=inquiry.evidence,
            )
        )
    summary = Ask(
        f"{doc_id}-summary", doc_id, part, "summary", "", references=(work.summary,), key_points=work.key_points
    )
    return [*found, summary]


def _values(inquiries: tuple[Inquiry, ...]) -> dict[str, list[str]]:
    """Sort -> the different answers of the document, in its order."""
    values: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for inquiry in inquiries:
        values[inquiry.sort][inquiry.answers[0]] = None
    return {sort: list(found) for sort, found in values.items()}
