"""Rows that request a long output: numbered entries, some with required events (docs/spec/longgenbench.md 2, 5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from generators.context.context import Context
from generators.context.prompt import Part, framed
from generators.longgenbench import checks
from generators.longgenbench.content import KINDS, Content, drawn, placed, pools
from generators.longgenbench.headings import Headings, squarest
from generators.longgenbench.prompts import END, SEPARATOR, START, Document, Prompt, rendered, wording
from generators.pool import Pool, endless
from generators.spec import Candidate, Row, Table, TaskSettings
from generators.task import Task, prompt_texts
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.schema import Demand, Sample
from haymaker.core.rows.source_records import Split

HEADER_TOKENS = 20  # of a header line, dates included
_LEEWAY = 1.1  # outputs exceed the requested words a little
_GRID = "city"


class LongOutputSettings(TaskSettings):
    """Settings of the tasks.

    Attributes:
        entries: number of entries; None: as many as fit the length.
        min_words: minimum number of words of each entry.
        year: year of the first date.
        singles: number of requirements about one entry.
        ranges: number of requirements about a range of entries.
        periodics: number of requirements that repeat at an interval.
    """

    entries: Annotated[int, Field(strict=True, ge=10, le=50_000)] | None = None
    min_words: Annotated[int, Field(strict=True, ge=20, le=2000)] = 150
    year: Annotated[int, Field(strict=True, ge=1900, le=2999)] = 2031
    singles: Annotated[int, Field(strict=True, ge=0, le=25)] = 5
    ranges: Annotated[int, Field(strict=True, ge=0, le=5)] = 1
    periodics: Annotated[int, Field(strict=True, ge=0, le=3)] = 1
    shared_by: ClassVar[str] = "rows of each group"

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if not any(self.counts.values()):
            raise ValueError("singles, ranges and periodics are all 0: at least one must be above 0")
        return self

    @property
    def counts(self) -> dict[str, int]:
        return dict(zip(KINDS, (self.singles, self.ranges, self.periodics), strict=True))

    @property
    def mark(self) -> str:
        """Suffix of group names if settings make other questions than the defaults; else empty."""
        fields, names = type(self).model_fields, ("periodics", "ranges", "singles", "year")
        changed = [(key, value) for key in names if (value := getattr(self, key)) != fields[key].default]
        return f".{digest(json.dumps(changed), size=3).hex()}" if changed else ""


class LongOutput(Task[LongOutputSettings]):
    """One document per group, as long as the length."""

    settings_type = LongOutputSettings
    patience = 1  # if one group has no place for its demands, hardly any group has
    of_output = True
    prompts = Path(__file__).with_name("prompts.yaml")

    @cached_property
    def words(self) -> dict[str, Any]:
        return wording(prompt_texts(self.spec), self.spec.wording)

    @property
    def scenario(self) -> str:
        return str(self.words["scenario"])

    def fingerprint(self) -> dict[str, Any]:
        return {"texts": [self.words, prompt_texts(self.spec)["common"], pools()[self.scenario]]}

    def room(self, table: Table, leeway: float = 1) -> int:
        """Return the number of entries that fit a length: words and a header line each."""
        return int((table.tokens or 0) / (self.settings.min_words * leeway * checks.TOKENS_PER_WORD + HEADER_TOKENS))

    def shape(self, table: Table) -> tuple[int, int]:
        """Return the entries of a row, and the columns of its grid (0: no grid)."""
        entries = self.settings.entries or self.room(table, _LEEWAY)
        if self.scenario != _GRID or not entries:
            return entries, 0
        rows, columns = squarest(entries)
        return rows * columns, columns

    def most_words(self, table: Table, entries: int) -> int:
        """Return the most words of an entry, in tens: as many as fit the length, up to twice the minimum."""
        fewest = self.settings.min_words
        most = ((table.tokens or 0) / entries - HEADER_TOKENS) / checks.TOKENS_PER_WORD
        return max(fewest, min(2 * fewest, int(most) // 10 * 10))

    def check_feasible(self, table: Table) -> None:
        """Refuse entries that do not fit the length or a grid, or are too few for the demands."""
        wanted, room, where = self.settings.entries, self.room(table), f"{table.config} {table.split}"
        if wanted and wanted > room:
            raise BuildError(f"{wanted} entries of {self.settings.min_words} words are requested, but the length has room for {room}",
                             where=where, fix="request fewer entries or words, or use a longer length")  # fmt: skip
        if wanted and self.shape(table)[0] != wanted:
            what, fix = f"{wanted} blocks do not make a nearly square grid", f"request {self.shape(table)[0]}"
            raise BuildError(what, where=where, fix=fix)
        self._places(table, self.content(self.pool(table.split).candidate(0)), where)

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        try:
            self._places(table, self.content(candidate))
        except BuildError as error:
            return error.what
        return ""

    def _places(self, table: Table, content: Content, where: str = "") -> list[range]:
        entries, columns = self.shape(table)
        places = placed(content.wishes, entries, columns) if entries else None
        if places is None:
            fix = "use a longer length, or request fewer words or demands"
            raise BuildError(f"{entries} entries cannot hold all demands", where=where, fix=fix)
        return places

    def pool(self, split: Split) -> Pool[Any]:
        return endless(split, f"{self.spec.name}{self.settings.mark}")

    def content(self, candidate: Candidate) -> Content:
        """Return the content of a group, the same for all tasks of a scenario."""

        def draws(purpose: str) -> Stream:
            return self.stream(self.scenario, candidate.split, candidate.number, purpose)

        return drawn(self.scenario, candidate.number, self.settings.counts, draws)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        content = self.content(candidate)
        places = self._places(table, content, f"{table.config} {candidate.key}")
        entries, columns = self.shape(table)
        each = zip(content.wishes, content.texts, places, strict=True)
        demands = [Demand(wish.kind, text, list(at)) for wish, text, at in each]
        headings = Headings(self.words["unit"], self.settings.year, columns)
        words = self.settings.min_words, self.most_words(table, entries)
        document = Document(headings, entries, *words, demands, content.about)
        return self._sample(table, candidate, document, rendered(prompt_texts(self.spec), self.spec.wording, document))

    def _sample(self, table: Table, candidate: Candidate, document: Document, prompt: Prompt) -> Sample:
        instruction = Part(prompt.head.removesuffix("\n\n"), "instruction", token_start=0)
        frame = framed(self.writer, [instruction], prompt.tail, cue=document.header)
        tokens = tuple(tokenizer.count_part(prompt.lines) for tokenizer in self.inputs.tokenizers)
        context = Context(prompt.lines.encode(), tokens, len(prompt.lines), len(prompt.lines.split()))
        unit = document.headings.unit
        return self.writer.sample(
            table, candidate.key, frame, context, self.writer.count(frame, context.parts()),
            question=prompt.question, spans=prompt.spans, output_constraints=list(document.demands), max_new_tokens=table.tokens,
            answers=[f"{unit} {i}: {each.text}" for each in document.demands for i in each.indices],
            metadata=self._extra(candidate, document),
        )  # fmt: skip

    def _extra(self, candidate: Candidate, document: Document) -> dict[str, Any]:
        headings = document.headings
        grid = {"rows": document.entries // headings.columns, "columns": headings.columns} if headings.columns else {}
        sizes = ((each.kind, each.indices) for each in document.demands)
        plan = [{"kind": kind, "first": at[0], "last": at[-1], "step": at[1] - at[0] if len(at) > 1 else 0, "entries": len(at)}
                for kind, at in sizes]  # fmt: skip
        return {
            "scenario": self.scenario, "pair": f"{self.scenario}{self.settings.mark}-{candidate.split}-{candidate.number:05d}",
            "unit": headings.unit, "entries": document.entries, "min_words": document.min_words,
            "max_words": document.max_words, "separator": SEPARATOR, "start": START, "end": END, "header": document.header,
            "year": headings.year, **grid, "instructions": plan, "answer_depends_on_length": True,
        }  # fmt: skip

    def problems(self, row: Row) -> Iterator[str]:
        return checks.problems(row, self.settings.counts)

    def identity(self, row: Row) -> str:
        """Return the request without its number of entries, and its events."""
        question = row["question"].replace(str(json.loads(row["metadata"])["entries"]), "N")
        return "\n".join([question, *sorted(demand["text"] for demand in row["output_constraints"])])
