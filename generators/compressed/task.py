"""Rows of another task with the best chunks for the question instead of the whole context (docs/spec/longbench.md 7).

Text around the context, question, answers and metrics are copied from the other row. There are two exceptions: a note on the chunks
after the instruction, and no request to say that a text has no answer, which chunks cannot show. The surviving evidence is counted
exactly, by the characters of the chunks in the whole context.
"""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NoReturn

from pydantic import Field

from corpora.retrieval import packing
from corpora.retrieval.models import DenseParams
from corpora.retrieval.packing import Chunk
from corpora.stores.documents.evidence import says_nothing
from generators.compressed import kept
from generators.context.context import Context
from generators.documents.task import DocumentTask
from generators.fingerprint import spec_fingerprint
from generators.inputs import Inputs, Use
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row, Table, TaskSettings
from generators.task import Task, prompt_texts
from haymaker.core import extras
from haymaker.core.errors import ParamsError
from haymaker.core.params import Length, Name, nearest
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.source_records import Split

_COPIED = ("answers", "answer_groups", "references", "metrics", "max_new_tokens", "doc_ids", "fewshot_ids", "sources")
_LIBRARIES = ("torch", "sentence_transformers")


class CompressedSettings(TaskSettings):
    """Settings of a compressed variant.

    Attributes:
        rows_of: entry of the same suite whose rows are compressed.
        whole: length of these rows; the release need not contain it.
        chunk_words: most words of a chunk; a longer sentence is a chunk of its own.
        chunks: number of chunks that are kept.
        retriever: bm25 (words, pairs of Chinese characters) or dense (the model of `dense`).
        dense: model and its settings, as in `indexes.<corpus>.dense`.
    """

    rows_of: Name
    whole: Length = "natural"
    chunk_words: Annotated[int, Field(ge=1, le=100_000)] = 200
    chunks: Annotated[int, Field(ge=1, le=10_000)] = 7
    retriever: Literal["bm25", "dense"] = "bm25"
    dense: DenseParams | None = None

    @property
    def how(self) -> str:
        """Name of the variant: retriever-WORDSxCHUNKS."""
        return f"{self.retriever}-{self.chunk_words}x{self.chunks}"

    def title_words(self) -> Mapping[str, object]:
        return {"how": self.how}

    def missing_requirements(self) -> str:
        gone = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None] if self.dense else []
        return f"dense retrieval needs {' and '.join(gone)}: {extras.install_command('.[embed-cpu]')}" if gone else ""


class Compressed(Task[CompressedSettings]):
    """Rows of the other entry with compressed contexts, in the same order."""

    settings_type: ClassVar[type[CompressedSettings]] = CompressedSettings
    natural = True
    prompts = Path(__file__).with_name("notes.yaml")

    def __init__(self, entry: Entry[CompressedSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._by_key = cache(self._keyed)

    @cached_property
    def base(self) -> Task[Any]:
        """Task of the rows that are compressed."""
        return self._task(self.entry.siblings[self.settings.rows_of])

    @cached_property
    def of_parts(self) -> Task[Any]:
        """The same task in a wording for parts of a text ("paper_parts"), if there is one."""
        entry = self.base.entry
        spec = replace(entry.spec, wording=f"{entry.spec.wording}_parts")
        return self._task(replace(entry, spec=spec)) if spec.wording in prompt_texts(spec) else self.base

    def _task(self, entry: Entry[Any]) -> Task[Any]:
        task: Task[Any] = entry.spec.task(entry, self.inputs)
        return task

    def check(self) -> None:
        """Refuse an entry of another task or with several rows per question, a length that is not natural, dense without a model."""
        settings, rows_of, wanted = self.settings, self.settings.rows_of, self.spec.name.removesuffix("_compressed")
        same = [name for name, entry in self.entry.siblings.items() if entry.spec.name == wanted]
        if rows_of not in same:
            self._refuse(f"{rows_of!r} is not an entry of task {wanted}", "rows_of", nearest(rows_of, same))
        if self.base.variants > 1:
            what = f"{rows_of} has {self.base.variants} {self.base.settings.shared_by}"
            self._refuse(what, "rows_of", "name an entry with one row of each question")
        if odd := next((length for length, _, _ in self.entry.rows if length != "natural"), None):
            what = "compressed rows are as long as their chunks"
            self._refuse(what, f"lengths.{odd}", f"use natural, and set whole: {odd}")
        if (settings.retriever == "dense") != (settings.dense is not None):
            what = "needs a model" if settings.dense is None else "has a model that retriever: bm25 does not use"
            self._refuse(what, "dense", "give both retriever: dense and dense: {model: ...}, or neither")

    def _refuse(self, what: str, key: str, fix: str) -> NoReturn:
        raise ParamsError(what, where=f"{self.entry.where}.{key}", fix=fix)

    def uses(self) -> tuple[Use, ...]:
        return self.base.uses()

    def fingerprint(self) -> dict[str, Any]:
        settings = self.base.settings.model_dump(mode="json", exclude={"base", "lengths"})
        own = {"texts": self.words, "of": spec_fingerprint(self.base.spec), "settings": settings}
        return {**own, "base": self.base.fingerprint(), "of_parts": self.of_parts.fingerprint()}

    def pool(self, split: Split) -> Pool[Any]:
        return replace(self.base.pool(split), left_out=Counter())

    def candidate_order(self, table: Table) -> Iterable[int]:
        return self.base.candidate_order(self._whole(table))

    def rejection_reason(self, candidate: Candidate) -> str:
        base, has_parts = self.base, self.of_parts is not self.base
        if has_parts and isinstance(base, DocumentTask) and says_nothing(base.question_of(candidate).source.answers):
            return "that a text does not answer cannot be told from its parts"
        return base.rejection_reason(candidate)

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        return self.base.rejection_reason_at(self._whole(table), candidate)

    def _whole(self, table: Table) -> Table:
        return replace(table, task=self.base.entry.name, length=self.settings.whole)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        whole, found = self._chosen(self._whole(table), candidate)
        prompt, settings = whole.text, self.settings
        text = prompt[whole.context_start : whole.context_end]
        left, places = packing.joined(text, found, self._headings(whole))
        frame = self.writer.frame(
            self._head(whole, found), prompt[whole.context_end :], cue=prompt[whole.answer_prefix_start :]
        )
        counts = tuple(t.count_part(left) for t in self.inputs.tokenizers)
        context = Context(left.encode(), counts, len(left), len(left.split()))
        in_order = sorted(found, key=lambda each: each.start)
        spans = [
            Span(frame.start + at.start, frame.start + at.end, "passage", f"chunk:{i}", rank=found.index(each))
            for i, (each, at) in enumerate(zip(in_order, places, strict=True))
        ]
        metadata = {
            "compressed": settings.how,
            "whole": whole.id,
            "chunks": [[each.start, each.end] for each in in_order],
        }
        return self.writer.sample(
            table, candidate.key, frame, context, self.writer.count(frame, context.parts()),
            question=whole.question, metadata=metadata | kept.survived(whole, text, found), spans=spans, variant=settings.how,
            num_segments=len(found), **{name: getattr(whole, name) for name in _COPIED},
        )  # fmt: skip

    def _chosen(self, table: Table, candidate: Candidate) -> tuple[Sample, list[Chunk]]:
        """Return the row of the other task and its best chunks, in the wording for parts unless they are the whole context.

        Another wording leaves another number of tokens for the context, so its chunks are chosen anew.
        """
        whole = self.base.row(table, candidate, 0)
        found = self._best(whole)
        if not kept.are_all(whole, found) and self.of_parts is not self.base:
            whole = self.of_parts.row(table, candidate, 0)
            found = self._best(whole)
        return whole, found

    def _best(self, whole: Sample) -> list[Chunk]:
        text, settings = whole.text[whole.context_start : whole.context_end], self.settings
        headings = self._headings(whole)
        return packing.best(text, whole.question, settings.chunk_words, settings.chunks, self._rank, headings)

    def _worded(self, table: Table, candidate: Candidate, found: Sequence[Chunk]) -> Sample:
        """Return the row that these chunks were taken from."""
        whole = self.base.row(table, candidate, 0)
        same = kept.are_all(whole, found) or self.of_parts is self.base
        return whole if same else self.of_parts.row(table, candidate, 0)

    def _head(self, whole: Sample, found: Sequence[Chunk]) -> str:
        """Text before the context of the whole row, with a note after the instruction if something was left out."""
        if kept.are_all(whole, found):
            return whole.text[: whole.context_start]
        end = next(span.end for span in whole.each_span() if span.kind == "instruction")
        space = "" if whole.language == "zh" else " "
        return f"{whole.text[:end]}{space}{self.words['note']}{whole.text[end : whole.context_start]}"

    def _headings(self, whole: Sample) -> list[Chunk]:
        """The title lines of several documents, in characters of the context."""
        return [Chunk(*(at - whole.context_start for at in each)) for each in self.base.headings(whole)]

    @cached_property
    def _rank(self) -> packing.Rank:
        if self.settings.dense is None:
            return packing.lexical
        from corpora.retrieval.encoder import Encoder  # slow import of an optional package

        dense = self.settings.dense
        return packing.dense(self.inputs.shared(("encoder", dense.model_dump_json()), lambda: Encoder(dense, "cpu")))

    def problems(self, row: Row) -> Iterator[str]:
        """If the inputs are available, the whole row is built and compared."""
        yield from kept.problems(row, self.settings.chunks)
        if not self.inputs.are_here(self.uses()):
            return
        candidate = self._by_key(row["split"]).get(row["group_id"])
        if candidate is None:
            yield "the question differs from the other task"
            return
        table, left = Table(row["suite"], row["task"], row["length"], row["split"], 0), kept.chosen(row)
        whole = self._worded(self._whole(table), candidate, left)
        head, headings = self._head(whole, left), self._headings(whole)
        yield from kept.compared(row, whole, head, headings, self.settings.chunk_words)

    def _keyed(self, split: Split) -> dict[str, Candidate]:
        pool = self.pool(split)
        return {each.key: each for each in map(pool.candidate, range(pool.count or 0))}

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        return kept.measures(json.loads(row["metadata"]) for row in rows)
