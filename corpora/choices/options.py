"""Questions that need wrong options, and candidates for these options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from corpora.choices.form import normal
from corpora.stores.documents.store import PreparedQuestion
from corpora.stores.sentences.store import Background


class Candidate(NamedTuple):
    """A wrong option and its origin: "source", "llm:<segment>", "llm" (published) or "human"."""

    text: str
    origin: str


class Asked(NamedTuple):
    """A question that needs wrong options. `right` is in the normal form, `sentences` are the document.

    `evidence` has the sentences that give the answer and the quotations of the source; it is empty if unknown.
    """

    question_id: str
    question: str
    right: str
    sentences: Sequence[str] = ()
    evidence: Sequence[str] = ()


def with_documents(store: Background, questions: Sequence[PreparedQuestion]) -> Iterator[Asked]:
    """Yield the questions with the sentences of their documents."""
    entries = {entry.doc_id: entry for entry in store.documents}

    @lru_cache(maxsize=1)  # questions are ordered by document
    def sentences(doc_id: str) -> list[str]:
        places = range(entries[doc_id].first, entries[doc_id].last)
        texts = (bytes(store.text[store.byte_at[i] : store.byte_at[i + 1]]).decode() for i in places)
        return [" ".join(text.split()) for text in texts]

    for question in questions:
        source = question.source
        lines = sentences(source.doc_id)
        evidence = [lines[i] for first, last in question.units for i in range(first, last)] + [*source.evidence]
        yield Asked(source.question_id, source.text, normal((*source.answers, "")[0]), lines, evidence)
