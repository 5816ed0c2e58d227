"""A question on a small document, made for tests."""

from __future__ import annotations

from corpora.choices.form import bare, normal
from corpora.choices.options import Answer, Asked
from corpora.choices.reading import Reading


def asked(
    right: str,
    question: str = "What was it?",
    sentences: tuple[str, ...] = ("Nothing is said here.",),
    *,
    question_id: str = "q",
    evidence: frozenset[int] = frozenset(),
    quoted: tuple[str, ...] = (),
    others: tuple[tuple[str, str], ...] = (),
    sort: str = "",
) -> Asked:
    answers = tuple(Answer(normal(text), other) for text, other in others)
    return Asked(question_id, question, bare(normal(right)), sort, Reading(sentences), evidence, quoted, answers)
