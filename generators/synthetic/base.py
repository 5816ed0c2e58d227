"""What all generated tasks have in common: their content comes from a key.

A group is one question: content and relative depths are the same at every length; a longer context holds the shorter one
in order. A group's rows stand side by side: its variants (depths, an absent twin). Everything is drawn from
`Stream(seed, "synthetic", question_name, part, group, purpose)`, never by bucket, never by row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from generators import room
from generators.context.writer import RowWriter
from generators.pool import Pool, endless
from generators.spec import Allowed, BackgroundUnits, Row, S, Table, TaskSettings, TaskSpec
from generators.synthetic.rows import context_of
from generators.task import Task
from haymaker.core.params import parse
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

_NONE = ("majority", "first_1k", "last_1k", "first_half")  # shortcuts that say `none` where they find nothing
_STOCK_TOKENS = 1_000_000  # every stock of drawn texts holds more
_NOT_OF_QUESTION = frozenset({"of", "buckets", "background", room.KEY})
GENERATED_SKIPS = {
    Check.CLEAN: "no passages: the oracle and the checks of the task say that the answer stands where it should and nowhere else"
}
"""Rules that no generated task is held to."""


class GeneratedSettings(TaskSettings):
    """Keys of all generated tasks."""

    shared_by: ClassVar[str] = "depths or variants of each group"

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        """Whoever always answers `none` is right in the rows without what is asked for."""
        if not getattr(self, "absent", False):
            return spec.allows
        why = f"Of {number_words(self.variants)} rows of a question one asks for what is not there: `none` is right in as many."
        return {**spec.allows, **dict.fromkeys(_NONE, Allowed(round(100 / self.variants), why))}


class GeneratedTask(Task[S]):
    """A task of endless groups, each drawn by its number."""

    patience = 1  # what one group cannot fill, none can
    paired: ClassVar[frozenset[str]] = frozenset()
    """Settings that leave a group's question and answer as they are: rows that differ in them alone share a group."""

    @cached_property
    def question_name(self) -> str:
        """Name of what is asked: the task's, with a mark of the settings that make it another question."""
        here = self.settings.model_dump(mode="json", exclude={*_NOT_OF_QUESTION, *self.paired})
        same = self.settings.model_dump(include=set(_NOT_OF_QUESTION))
        usual = parse(self.settings_type, {**same, **self.spec.defaults}, where=self.spec.name).model_dump(mode="json")
        changed = sorted((key, value) for key, value in here.items() if value != usual.get(key))
        return f"{self.spec.name}.{digest(json.dumps(changed), size=3).hex()}" if changed else self.spec.name

    @property
    def language(self) -> str:
        """Of its rows, whatever the rest of the release is in: English, unless it has phrases of another."""
        return "en"

    @cached_property
    def writer(self) -> RowWriter:
        """See Task."""
        return self._writer(replace(self.spec, language=self.language))

    def draws(self, part: str, group: int, purpose: str) -> Stream:
        """Draws of a group for a purpose, the same at every length."""
        return self.stream(self.question_name, part, group, purpose)

    def pool(self, part: Split) -> Pool[Any]:
        """Groups."""
        return endless(part, self.question_name)

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket beyond the material; stocks of our own are asked only where they could end."""
        if self.uses() or (table.tokens or 0) > _STOCK_TOKENS:
            self._check_limit(table)

    def problems(self, row: Row) -> Iterator[str]:
        """Spans outside the prompt, an answer longer than its room; tasks add what they know."""
        yield from self.span_problems(row)
        if self.inputs.tokenizers[0].count(row["answers"][0]) > row["max_new_tokens"]:
            yield f"the stored answer takes more than the {row['max_new_tokens']} tokens that a model may write"

    def span_problems(self, row: Row) -> Iterator[str]:
        """Spans outside the prompt."""
        for span in row["spans"]:
            if not 0 <= span["start"] < span["end"] <= len(row["prompt"]):
                yield f"span {span['ref']} lies outside the prompt"

    def identity(self, row: Row) -> str:
        """The group, what it asks and in which variant."""
        return f"{super().identity(row)}\n{row['variant'] or ''}"

    def background(self, row: Row) -> BackgroundUnits:
        """The lines of the context, unless a task says otherwise."""
        return context_of(row).split("\n")
