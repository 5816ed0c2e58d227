"""The text of one row: woven from the sentences that a layout shows, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from corpora.stores.documents.store import PreparedQuestion
from generators.context.context import Context
from generators.context.sentences import Run, in_documents
from generators.context.writer import Frame
from generators.documents.layout import Layout, Shown
from generators.documents.stock import Stock
from haymaker.core.rows.schema import Span
from haymaker.core.rows.source_records import KeyPoint
from haymaker.core.text.strings import padded


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

    @property
    def is_cut(self) -> bool:
        """Whether the asked document is shown in part."""
        return self.found.main != self.stock.documents[self.question.source.doc_id]

    def woven(self, shown: Sequence[Shown] | None = None) -> Context:
        """What is shown, or some of it, as a context that begins with white space: in a row it stands without (Context.flush)."""
        pieces: list[Context] = []
        for doc_id, run in self.found.shown if shown is None else shown:
            pieces += self.stock.opened(doc_id, run) if self.embedded else [self.stock.shown(doc_id, run)]
        return Context.joined(pieces, self.stock.tokenizers)

    def evidence_spans(self, frame: Frame, tokens: int) -> Iterator[Span]:
        """The sentences of the evidence in prompt coordinates.

        Args:
            frame: the words around.
            tokens: release tokens before the text (RowWriter.tokens_before).
        """
        for i, (first, last) in enumerate(self.question.units):
            start, end, before = self._place(first, last)
            yield frame.span(start, end, "gold", f"evidence:{i}", tokens + before)

    def _place(self, first: int, last: int) -> tuple[int, int, int]:
        """Some sentences of the document: first character, one past the last, release tokens before; of the text."""
        doc_id, found, stock = self.question.source.doc_id, self.found, self.stock
        run = stock.units(doc_id, first, last)
        before = self.woven([*found.shown[: found.at], Shown(doc_id, Run(found.main.first, run.first))])
        told = stock.shown(doc_id, run)
        # In a row a context stands without the white space it begins with, and so do units behind a line that opens them.
        at, lead = before.characters - _lead(before.text), _lead(told.text)
        start = at + lead if before.text[-1:].strip() else at
        return start, start + told.characters - lead, before.tokens[0]

    @property
    def said(self) -> str:
        """The words that are shown of the asked document, with one space around each."""
        at, main = self.stock.store.byte_at, self.found.main
        return padded(bytes(self.stock.store.text[at[main.first] : at[main.last]]).decode())

    @property
    def points(self) -> list[KeyPoint]:
        """The key points that the shown part tells; all of them where nobody knows where they are told."""
        points, shown = self.question.source.key_points, self._shown()
        return [point for point, there in zip(points, shown, strict=True) if there] if shown else list(points)

    def _shown(self) -> list[bool]:
        """Of each key point whose place is known, whether all of it is shown."""
        runs = [self.stock.units(self.question.source.doc_id, *each) for each in self.question.told]
        return [self.found.main.first <= run.first and run.last <= self.found.main.last for run in runs]

    def _key_points(self, frame: Frame) -> list[dict[str, Any]]:
        """Column `extra`: text, terms and origin of each, and where the prompt tells it: `start` and `end`, null where it does not.

        Without the two where nobody knows.
        """
        source, told = self.question.source, self.question.told
        points: list[dict[str, Any]] = [
            {"text": p.text, "terms": p.terms, "origin": p.origin} for p in source.key_points
        ]
        for point, there, units in zip(points, self._shown(), told, strict=False):
            start, end = (frame.start + at for at in self._place(*units)[:2]) if there else (None, None)
            point |= {"start": start, "end": end}
        return points

    def columns(self) -> dict[str, Any]:
        """Columns that say what is shown."""
        shown = self.found.shown
        return {
            "variant": "embedded" if self.embedded else None,
            "depth": self._depth(),
            "n_units": self.found.units,
            "n_unique_units": self._different(),
            "n_distractors": len(shown) - 1 if self.embedded else None,
            "haystack": self.stock.name,
            "doc_ids": [each.doc_id for each in shown],
        }

    def _different(self) -> int:
        """Different sentences."""
        store, found = self.stock.store, set[bytes]()
        for _, run in self.found.shown:
            at = store.byte_at[run.first : run.last + 1].tolist()
            raw = bytes(store.text[at[0] : at[-1]])
            found.update(raw[first - at[0] : last - at[0]].lstrip() for first, last in pairwise(at))
        return len(found)

    def _depth(self) -> float | None:
        """Of the last sentence of the evidence, by unit index."""
        if not self.question.units:
            return None
        deciding = self.stock.evidence(self.question).last - 1 - self.found.main.first
        return (self.found.before(self.found.at) + deciding) / max(1, self.found.units - 1)

    def facts(self, cut: str, frame: Frame) -> dict[str, Any]:
        """Column `extra`; `cut` says how the document is cut where it is not whole: window or beginning; `frame` the words around."""
        source, main = self.question.source, self.found.main
        document = self.stock.documents[source.doc_id]
        extra: dict[str, Any] = {
            "kind": source.kind,
            "evidence": self.question.evidence,
            "cut": cut if self.is_cut else "whole",
            "shown": round((main.last - main.first) / (document.last - document.first), 4),
            "background": in_documents(self.stock.store, [each.run for each in self.found.shown]),
        }
        if self.question.units:
            extra["evidence_sentences"] = sum(last - first for first, last in self.question.units)
            extra["evidence_span"] = self.stock.span(self.question)
        if self.embedded:
            extra["title"] = self.stock.titles[source.doc_id]
        if points := self._key_points(frame):
            extra["key_points"] = points
        return extra


def _lead(text: bytes) -> int:
    """Characters of white space that a text begins with."""
    return len(text) - len(text.lstrip())
