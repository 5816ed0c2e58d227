"""The text of one row: the sentences of a layout, the places of evidence and key points, and columns about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from corpora.stores.documents.store import PreparedQuestion
from generators.context.context import Context
from generators.context.sentences import Run, in_documents
from generators.context.writer import Frame
from generators.documents.layout import Layout, Shown, Subject
from generators.documents.prompts import PromptQuestion
from generators.documents.stock import Stock
from haymaker.core.rows.schema import Span
from haymaker.core.rows.source_records import KeyPoint


@dataclass(frozen=True, slots=True)
class Text:
    """Context of a question; `embedded`: there may be several documents, each after its title line."""

    stock: Stock
    question: PreparedQuestion
    found: Layout
    embedded: bool

    @property
    def has_evidence(self) -> bool:
        """Whether all of the evidence is shown, or its place is unknown."""
        evidence, main = self.stock.evidence(self.question), self.found.main
        return main.first <= evidence.first and evidence.last <= main.last

    @property
    def is_cut(self) -> bool:
        """Whether the main document is shown in part."""
        return self.found.main != self.stock.documents[self.question.source.doc_id]

    def joined(self, shown: Sequence[Shown] | None = None) -> Context:
        """Return the text, or some of its documents, with the leading white space that a row removes (Context.flush)."""
        pieces: list[Context] = []
        for doc_id, run in self.found.shown if shown is None else shown:
            pieces += self.stock.opened(doc_id, run) if self.embedded else [self.stock.shown(doc_id, run)]
        return Context.joined(pieces, self.stock.tokenizers)

    def evidence_spans(self, frame: Frame, tokens: int) -> Iterator[Span]:
        """Yield the spans of the evidence; `tokens` are the tokens before the text (RowWriter.tokens_before)."""
        for i, (first, last) in enumerate(self.question.units):
            start, end, before = self._place(first, last)
            yield frame.span(start, end, "gold", f"evidence:{i}", tokens + before)

    def _place(self, first: int, last: int) -> tuple[int, int, int]:
        """Start and end of some sentences of the main document in the text, and the release tokens before them."""
        doc_id, found, stock = self.question.source.doc_id, self.found, self.stock
        run = stock.units(doc_id, first, last)
        before = self.joined([*found.shown[: found.at], Shown(doc_id, Run(found.main.first, run.first))])
        piece = stock.shown(doc_id, run)
        # A row has no white space at the start of a context, or of a document after its title line.
        at, lead = before.characters - _lead(before.text), _lead(piece.text)
        start = at + lead if before.text[-1:].strip() else at
        return start, start + piece.characters - lead, before.tokens[0]

    @property
    def points(self) -> list[KeyPoint]:
        """Key points in the part that is shown; all of them if their places are unknown."""
        points, shown = self.question.source.key_points, self._points_shown()
        return [point for point, there in zip(points, shown, strict=True) if there] if shown else list(points)

    def _points_shown(self) -> list[bool]:
        """Whether all of each key point is shown; empty if their places are unknown."""
        runs = [self.stock.units(self.question.source.doc_id, *each) for each in self.question.told]
        return [self.found.main.first <= run.first and run.last <= self.found.main.last for run in runs]

    def columns(self) -> dict[str, Any]:
        """Return the columns about the text."""
        shown, place, store, units = self.found.shown, self.place, self.stock.store, set[bytes]()
        for _, run in shown:
            at = store.byte_at[run.first : run.last + 1].tolist()
            raw = bytes(store.text[at[0] : at[-1]])  # slices of bytes are much faster than slices of the store
            units.update(raw[first - at[0] : last - at[0]].lstrip() for first, last in pairwise(at))
        return {
            "variant": "distractor_documents" if self.embedded else None, "num_distractors": len(shown) - 1 if self.embedded else None,
            "depth": None if place is None else place / max(1, self.found.units - 1),
            "num_segments": self.found.units, "num_unique_segments": len(units),
            "background_corpus": self.stock.name, "doc_ids": [each.doc_id for each in shown],
        }  # fmt: skip

    @property
    def place(self) -> int | None:
        """Number of sentences before the last one of the evidence; None if it is unknown."""
        if not self.question.units:
            return None
        return self.found.before(self.found.at) + self.stock.evidence(self.question).last - 1 - self.found.main.first

    def facts(self, cut: str, frame: Frame) -> dict[str, Any]:
        """Return the column `metadata`; `cut` is the kind of cut (window or beginning), if the document is not whole."""
        source, main = self.question.source, self.found.main
        document = self.stock.documents[source.doc_id]
        metadata: dict[str, Any] = {
            "kind": source.kind, "evidence": self.question.evidence, "cut": cut if self.is_cut else "whole",
            "shown": round((main.last - main.first) / (document.last - document.first), 4),
            "background": in_documents(self.stock.store, [each.run for each in self.found.shown]),
        }  # fmt: skip
        if self.question.units:
            metadata["evidence_sentences"] = sum(last - first for first, last in self.question.units)
            metadata["evidence_span"] = self.stock.span(self.question)
        if self.embedded:
            metadata["title"] = self.stock.titles[source.doc_id]
        if source.key_points:
            metadata["key_points"] = self._key_points(frame)
        return metadata

    def _key_points(self, frame: Frame) -> list[dict[str, Any]]:
        """Text, terms and origin of each key point; `start` and `end` in the prompt (null if not shown) if places are known."""
        every = self.question.source.key_points
        points: list[dict[str, Any]] = [{"text": p.text, "terms": p.terms, "origin": p.origin} for p in every]
        for point, there, units in zip(points, self._points_shown(), self.question.told, strict=False):
            start, end = (frame.start + at for at in self._place(*units)[:2]) if there else (None, None)
            point |= {"start": start, "end": end}
        return points


class Prepared(NamedTuple):
    """Parts of a question that all lengths share; one query and one frame per row (Kind.orders)."""

    question: PreparedQuestion
    subject: Subject
    examples: list[PreparedQuestion]
    queries: tuple[PromptQuestion, ...]
    frames: tuple[Frame, ...]

    @property
    def around(self) -> int:
        """Largest number of tokens around the context."""
        return max(frame.tokens for frame in self.frames)


class Filled(NamedTuple):
    """A question with its context at one length."""

    prepared: Prepared
    text: Text
    tokens: int  # release tokens of the text, as the sum of its units
    context: Context
    counts: list[list[int]]  # tokens of the prompt of each row, per tokenizer


def _lead(text: bytes) -> int:
    """Number of leading white space characters."""
    return len(text) - len(text.lstrip())
