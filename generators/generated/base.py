"""Settings and task class of all generated tasks, whose content is drawn by key.

A group is one question: content and relative depths are the same at every length, and a longer context contains the shorter one in
order. The rows of a group differ in depth or variant and follow one another. Every draw uses
`Stream(seed, "synthetic", question_name, split, group, purpose)`; the key never contains length or row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from generators import room
from generators.context.checks import context_of, in_order
from generators.context.writer import RowWriter
from generators.pool import Pool, endless
from generators.spec import Allowed, BackgroundUnits, Row, S, Table, TaskSettings, TaskSpec
from generators.task import Task
from haymaker.core.params import parse
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.source_records import Split
from haymaker.core.text.english_grammar import number_words

_NONE = ("majority", "first_1k", "last_1k", "first_half")  # shortcuts that answer `none` if they find nothing
_STOCK_TOKENS = 1_000_000  # every stock of drawn texts has more
_NOT_OF_QUESTION = frozenset({"base", "lengths", "background", room.KEY})
GENERATED_SKIPS = {
    Check.CLEAN: "no passages: the oracle and the checks of the task say that the answer stands where it should and nowhere else"
}
RULER_METRICS = ("ruler_f1@strict", "ruler_all@strict", "ruler_all@official")  # a list of every value passes ruler_all


class GeneratedSettings(TaskSettings):
    """Settings of all generated tasks."""

    shared_by: ClassVar[str] = "depths or variants of each group"

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        """Constant answer `none` is right in the rows without an answer."""
        if not getattr(self, "unanswerable", False):
            return spec.allows
        why = f"Of {number_words(self.variants)} rows of a question one asks for what is not there: `none` is right in as many."
        return {**spec.allows, **dict.fromkeys(_NONE, Allowed(round(100 / self.variants), why))}


class GeneratedTask(Task[S]):
    """A task of endless groups, each drawn by its number."""

    patience = 1  # a length that one group cannot fill, none can
    paired: ClassVar[frozenset[str]] = frozenset()
    """Settings that do not change a group's question and answer: rows that differ only in them share a group."""

    @cached_property
    def question_name(self) -> str:
        """Name of the question: the name of the task, with a digest of the settings that change the question."""
        here = self.settings.model_dump(mode="json", exclude={*_NOT_OF_QUESTION, *self.paired})
        same = self.settings.model_dump(include=set(_NOT_OF_QUESTION))
        usual = parse(self.settings_type, {**same, **self.spec.defaults}, where=self.spec.name).model_dump(mode="json")
        changed = sorted((key, value) for key, value in here.items() if value != usual.get(key))
        return f"{self.spec.name}.{digest(json.dumps(changed), size=3).hex()}" if changed else self.spec.name

    @property
    def language(self) -> str:
        """Language of the rows: English, unless the task has phrases of another language."""
        return "en"

    @cached_property
    def writer(self) -> RowWriter:
        return self._writer(replace(self.spec, language=self.language))

    def draws(self, split: str, group: int, purpose: str) -> Stream:
        """Return the random stream of a group for a purpose, the same at every length."""
        return self.stream(self.question_name, split, group, purpose)

    def pool(self, split: Split) -> Pool[Any]:
        return endless(split, self.question_name)

    def check_feasible(self, table: Table) -> None:
        """Estimate the limit of drawn texts only for lengths that might exceed it."""
        if self.uses() or (table.tokens or 0) > _STOCK_TOKENS:
            self._check_limit(table)

    def problems(self, row: Row) -> Iterator[str]:
        yield from in_order(row)
        if self.inputs.tokenizers[0].count(row["answers"][0]) > row["max_new_tokens"]:
            yield f"the stored answer takes more than the {row['max_new_tokens']} tokens of the output budget"

    def identity(self, row: Row) -> str:
        return f"{super().identity(row)}\n{row['variant'] or ''}"

    def background(self, row: Row) -> BackgroundUnits:
        """By default all lines of the context."""
        return context_of(row).split("\n")
