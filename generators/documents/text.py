"""The text of one row: woven from the sentences that a layout shows, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from corpora.stores.documents.store import PreparedQuestion
from generators.context.context import Context
from generators.context.sentences import Run, in_documents, weave
from generators.context.writer import Frame
from generators.documents.layout import Layout
from generators.documents.stock import Stock
from haymaker.sample import Span


@dataclass(frozen=True, slots=True)
class Text:
    """What a question is asked of; `embedded` says that it is several documents, each behind the line that opens it."""

    stock: Stock
    question: PreparedQuestion
    found: Layout
    embedded: bool

    @property
    def has_evidence(self) -> bool:
        """Whether all of it is shown, or nobody knows it."""
        evidence, main = self.stock.evidence(self.question), self.found.main
        return main.first <= evidence.first and evidence.last <= main.last

    def woven(self) -> Context:
        """As a context that begins with a space; its named units are the lines that open documents."""
        shown = self.found.shown
        marks = [self.stock.mark(each.doc_id) for each in shown] if self.embedded else []
        slots = [self.found.before(i) for i in range(len(marks))]
        woven = weave(self.stock.store, [each.run for each in shown], marks, slots, self.stock.sums)
        # the empty line inside a mark parts words as a space does
        return replace(woven, words=woven.words + len(marks))

    def evidence_spans(self, frame: Frame, context: Context, tokens: int) -> Iterator[Span]:
        """The sentences of the evidence in prompt coordinates.

        Args:
            frame: the words around.
            context: the text as it stands in the prompt, without its first space.
            tokens: release tokens before it (RowWriter.tokens_before).
        """
        doc_id, char_at = self.question.source.doc_id, self.stock.store.char_at
        at, main = self.found.at, self.found.main
        begins = before = 0  # characters and tokens of the text before the asked document
        if self.embedded:
            begins, before = context.ends[at] + 1, context.token_starts[at] + self.stock.mark(doc_id).tokens[0]
        moved = begins - char_at[main.first]
        for i, (first, last) in enumerate(self.question.units):
            run = self.stock.units(doc_id, first, last)
            inside = before + self.stock.tokens(Run(main.first, run.first))
            start, end = moved + char_at[run.first], moved + char_at[run.last] - 1
            yield frame.span(start, end, "gold", f"evidence:{i}", tokens + inside)

    def columns(self) -> dict[str, Any]:
        """Columns that say what is shown."""
        shown = self.found.shown
        return {
            "variant": "embedded" if self.embedded else None,
            "depth": self._depth(),
            "n_units": self.found.units,
            "n_unique_units": self.stock.different(each.run for each in shown),
            "n_distractors": len(shown) - 1 if self.embedded else None,
            "haystack": self.stock.name,
            "doc_ids": [each.doc_id for each in shown],
        }

    def _depth(self) -> float | None:
        """Of the last sentence of the evidence, by unit index."""
        if not self.question.units:
            return None
        deciding = self.stock.evidence(self.question).last - 1 - self.found.main.first
        return (self.found.before(self.found.at) + deciding) / max(1, self.found.units - 1)

    def facts(self, cut: str) -> dict[str, Any]:
        """Column `extra`; `cut` says how the document is cut where it is not whole: window or beginning."""
        source, main = self.question.source, self.found.main
        document = self.stock.documents[source.doc_id]
        extra: dict[str, Any] = {
            "kind": source.kind,
            "evidence": self.question.evidence,
            "cut": "whole" if main == document else cut,
            "shown": round((main.last - main.first) / (document.last - document.first), 4),
            "background": in_documents(self.stock.store, [each.run for each in self.found.shown]),
        }
        if self.question.units:
            extra["evidence_sentences"] = sum(last - first for first, last in self.question.units)
            extra["evidence_span"] = self.stock.span(self.question)
        if self.embedded:
            extra["title"] = self.stock.titles[source.doc_id]
        if source.key_points:
            extra["key_points"] = list(map(asdict, source.key_points))
        return extra
