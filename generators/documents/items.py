"""Documents asked about as published items: whole wherever nobody knows where the answer stands, the same ones at every length.

Differs from the tasks that cut one document to every bucket: a longer bucket shows more documents around the same one, so what
is asked first has to have room in the short buckets; and an item is never shown in part by guess (docs/spec/longbench.md 4, 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from corpora.stores.documents.store import PreparedQuestion
from generators.documents.kinds import Questions, Summaries
from generators.documents.layout import Shown
from generators.documents.prepared import Prepared
from generators.documents.task import DocumentTask
from generators.spec import Candidate
from haymaker.core.rows.source_records import Split


class Item(DocumentTask):
    """What all kinds share.

    Attributes:
        trusts_evidence: whether a source names evidence word for word, so that what does not stand in the document was dropped from it.
    """

    trusts_evidence: ClassVar[bool] = True

    def order(self, part: Split) -> list[PreparedQuestion]:
        """Small documents first: the first rows of every bucket ask the same."""
        return self.stock.order(part, self.kind, True)

    def rejection_reason(self, candidate: Candidate) -> str:
        """What the source names as evidence must stand in the document: a table that was dropped leaves no answer
        (docs/defects/longbench.md D10).
        """
        question = self.question_of(candidate)
        if self.trusts_evidence and question.source.evidence and question.evidence != "verified":
            return "evidence that its source names does not stand in the document"
        return super().rejection_reason(candidate)

    def _others(self, prepared: Prepared, part: Split) -> Iterator[Shown]:
        """Documents of the same set first: a source may have others besides, for its other sets."""
        taken = {prepared.question.text, *(demo.text for demo in prepared.demos)}
        return self.stock.others(prepared.question, part, taken, alike_first=True)


class ItemQuestions(Item, Questions):
    """A short answer from one document."""

    def rejection_reason(self, candidate: Candidate) -> str:
        """An answer is one line, as metrics read it."""
        lines = len(self.question_of(candidate).source.answers[0].split("\n"))
        return "the answer takes several lines" if lines > 1 else super().rejection_reason(candidate)


class ItemSummaries(Item, Summaries):
    """A summary of one document, or of what it says to a query."""

    def rejection_reason(self, candidate: Candidate) -> str:
        """The reference must fit its room: an output as long is cut off, and scored against the rest."""
        tokens = self.inputs.tokenizers[0].count_part(f" {self.question_of(candidate).source.references[0]}")
        return (
            "the summary is longer than the room for it"
            if tokens > self.spec.max_new_tokens
            else super().rejection_reason(candidate)
        )
