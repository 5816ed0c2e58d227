"""Rows that ask for a long output: many numbered entries, some of which must hold given events (docs/spec/longgenbench.md 2, 5)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from generators.context.context import Context
from generators.longgenbench import checks
from generators.longgenbench.content import Content, drawn, pools
from generators.longgenbench.headings import Headings, squarest
from generators.longgenbench.places import KINDS, placed
from generators.longgenbench.prompts import END, SEPARATOR, START, Document, Prompt, rendered, wording
from generators.pool import Pool, endless
from generators.spec import Candidate, Row, Table, TaskSettings
from generators.task import Task, prompt_texts
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.schema import Demand, Sample, Span
from haymaker.core.rows.source_records import Split

HEADER_TOKENS = 20  # of a header line, dates included
_LEEWAY = 1.1  # nobody writes exactly as many words as were asked for
_GRID = "city"


class LongOutputSettings(TaskSettings):
    """Knobs of the tasks.

    Attributes:
        entries: how many are asked for; None: as many as the bucket has room for.
        min_words: of each entry.
        year: of the first date.
        singles, ranges, periodics: demands of each kind.
    """

    entries: Annotated[int, Field(strict=True, ge=10, le=50_000)] | None = None
    min_words: Annotated[int, Field(strict=True, ge=20, le=2000)] = 150
    year: Annotated[int, Field(strict=True, ge=1900, le=2999)] = 2031
    singles: Annotated[int, Field(strict=True, ge=0, le=25)] = 5
    ranges: Annotated[int, Field(strict=True, ge=0, le=5)] = 1
    periodics: Annotated[int, Field(strict=True, ge=0, le=3)] = 1

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if not self.singles + self.ranges + self.periodics:
            raise ValueError("singles, ranges and periodics are all 0: nothing would be asked for")
        return self

    shared_by: ClassVar[str] = "rows of each group"


class LongOutput(Task[LongOutputSettings]):
    """One document per group; its length is that of the bucket."""

    settings_type = LongOutputSettings
    patience = 1  # what one group cannot place, hardly any can
    of_output = True
    prompts = Path(__file__).with_name("prompts.yaml")

    # ------------------------------------------------------------------------------------------------- length

    @cached_property
    def words(self) -> dict[str, Any]:
        """Those of its own wording, with what that takes from another one."""
        return wording(prompt_texts(self.spec), self.spec.wording)

    @cached_property
    def scenario(self) -> str:
        """Pool of what it asks."""
        return str(self.words["scenario"])

    def fingerprint(self) -> dict[str, Any]:
        """Its words, those of all wordings, and the pool that it draws from."""
        return {"texts": [self.words, prompt_texts(self.spec)["common"], pools()[self.scenario]]}

    def room(self, table: Table, leeway: float = 1) -> int:
        """Entries for which a bucket has room: words and a header line each."""
        return int((table.tokens or 0) / (self.settings.min_words * leeway * checks.TOKENS_PER_WORD + HEADER_TOKENS))

    def shape(self, table: Table) -> tuple[int, int]:
        """Entries of a row, and columns of its grid (0: no grid)."""
        entries = self.settings.entries or self.room(table, _LEEWAY)
        if self.scenario != _GRID or not entries:
            return entries, 0
        rows, columns = squarest(entries)
        return rows * columns, columns

    def most_words(self, table: Table, entries: int) -> int:
        """Words that each of so many entries may have, in tens: as many as the bucket has room for, up to twice the fewest."""
        fewest = self.settings.min_words
        most = ((table.tokens or 0) / entries - HEADER_TOKENS) / checks.TOKENS_PER_WORD
        return max(fewest, min(2 * fewest, int(most) // 10 * 10))

    def check_feasible(self, table: Table) -> None:
        """Refuse entries that the bucket has no room for, that make no grid, or that are too few for what they must hold."""
        wanted, room, where = self.settings.entries, self.room(table), f"{table.config} {table.part}"
        if wanted and wanted > room:
            raise BuildError(f"{wanted} entries of {self.settings.min_words} words are asked for, the bucket has room for {room}",
                             where=where, fix="ask for fewer entries or words, or use a longer bucket")  # fmt: skip
        if wanted and self.shape(table)[0] != wanted:
            raise BuildError(
                f"{wanted} blocks make no grid near to a square", where=where, fix=f"ask for {self.shape(table)[0]}"
            )
        if reason := self.rejection_reason_at(table, self.pool(table.part).candidate(0)):
            raise BuildError(reason, where=where, fix="use a longer bucket, or ask for fewer words or demands")

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        return (
            ""
            if self._places(table, self.content(candidate))
            else f"{self.shape(table)[0]} entries cannot hold all demands"
        )

    def _places(self, table: Table, content: Content) -> list[range] | None:
        entries, columns = self.shape(table)
        return placed(content.wishes, entries, columns) if entries else None

    # ------------------------------------------------------------------------------------------------ content

    @cached_property
    def counts(self) -> dict[str, int]:
        """Demands of each kind."""
        settings = self.settings
        return dict(zip(KINDS, (settings.singles, settings.ranges, settings.periodics), strict=True))

    @cached_property
    def _mark(self) -> str:
        """Of settings that make it another question; nothing where all are as usual."""
        usual = LongOutputSettings()
        changed = sorted((key, value) for key in ("singles", "ranges", "periodics", "year")
                         if (value := getattr(self.settings, key)) != getattr(usual, key))  # fmt: skip
        return f".{digest(json.dumps(changed), size=3).hex()}" if changed else ""

    def pool(self, part: Split) -> Pool[Any]:
        """Groups."""
        return endless(part, f"{self.spec.name}{self._mark}")

    def content(self, candidate: Candidate) -> Content:
        """What a group asks: the same for all tasks of a scenario."""

        def draws(purpose: str) -> Stream:
            return self.stream(self.scenario, candidate.part, candidate.number, purpose)

        return drawn(self.scenario, candidate.number, self.counts, draws)

    # --------------------------------------------------------------------------------------------------- rows

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a group in a bucket."""
        content = self.content(candidate)
        places = self._places(table, content)
        if places is None:
            raise BuildError(f"{self.shape(table)[0]} entries cannot hold all demands", where=f"{table.config} {candidate.key}",
                             fix="use a longer bucket, or ask for fewer words or demands")  # fmt: skip
        entries, columns = self.shape(table)
        demands = [
            Demand(wish.kind, text, list(at))
            for wish, text, at in zip(content.wishes, content.texts, places, strict=True)
        ]
        headings = Headings(self.words["unit"], self.settings.year, columns)
        words = self.settings.min_words, self.most_words(table, entries)
        document = Document(headings, entries, *words, demands, content.about)
        return self._sample(table, candidate, document, rendered(prompt_texts(self.spec), self.spec.wording, document))

    def _sample(self, table: Table, candidate: Candidate, document: Document, prompt: Prompt) -> Sample:
        head, lines, tail = prompt.head, prompt.lines, prompt.tail
        instruction = Span(0, len(head.rstrip()), "instruction", token_start=0)
        frame = self.writer.frame(head, tail, cue=document.header, spans=[instruction])
        tokens = tuple(tokenizer.count_part(lines) for tokenizer in self.inputs.tokenizers)
        context = Context(lines.encode(), tokens, len(lines), len(lines.split()))
        phrases, example = prompt.spans
        spans = [*_moved(phrases, len(head)), *_moved([example], len(head) + len(lines))]
        unit = document.headings.unit
        return self.writer.sample(
            table, candidate.key, frame, context, self.writer.count(frame, context.parts()),
            question=prompt.question, spans=spans, checks=list(document.demands), max_new_tokens=table.tokens,
            answers=[f"{unit} {i}: {each.text}" for each in document.demands for i in each.indices],
            extra=self._extra(candidate, document),
        )  # fmt: skip

    def _extra(self, candidate: Candidate, document: Document) -> dict[str, Any]:
        headings, sizes = document.headings, [(each.kind, each.indices) for each in document.demands]
        grid = {"rows": document.entries // headings.columns, "columns": headings.columns} if headings.columns else {}
        plan = [{"kind": kind, "first": at[0], "last": at[-1], "step": at[1] - at[0] if len(at) > 1 else 0, "entries": len(at)}
                for kind, at in sizes]  # fmt: skip
        return {
            "scenario": self.scenario, "pair": f"{self.scenario}{self._mark}-{candidate.part}-{candidate.number:05d}",
            "unit": headings.unit, "entries": document.entries, "min_words": document.min_words,
            "max_words": document.max_words,
            "separator": SEPARATOR, "start": START, "end": END, "header": document.header, "year": headings.year, **grid,
            "instructions": plan, "answer_depends_on_length": True,
        }  # fmt: skip

    # ------------------------------------------------------------------------------------------------- proofs

    def problems(self, row: Row) -> Iterator[str]:
        """What the prompt does not say, or says otherwise than the checks."""
        return checks.problems(row, self.counts)

    def identity(self, row: Row) -> str:
        """The request and its events, wherever they stand."""
        return "\n".join(
            [row["question"].replace(str(json.loads(row["extra"])["entries"]), "N"), *_texts(row["checks"])]
        )


def _moved(spans: Iterable[Span], by: int) -> list[Span]:
    return [Span(span.start + by, span.end + by, span.kind, span.ref) for span in spans]


def _texts(demands: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(demand["text"] for demand in demands)
