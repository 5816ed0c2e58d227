"""How one kind of task makes rows: the only class you write to add a benchmark (docs/tutorial/new-task.md)."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from itertools import count as count_from
from pathlib import Path
from typing import Any, ClassVar, Generic

from generators import room
from generators.context.writer import RowWriter
from generators.inputs import Inputs, Use, uses_of
from generators.pool import Pool, endless
from generators.spec import BackgroundUnits, Candidate, Entry, Row, S, Table, TaskSettings, TaskSpec
from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.lengths import longest_length
from haymaker.core.params import nearest
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

MEASURED = ("group_id", "question", "choices", "answer_index", "metadata")
"""Columns of finished rows that `Task.measures` reads."""
_yaml = cache(read_yaml)


class Task(ABC, Generic[S]):
    """Makes the rows of one entry. Creating it reads no data; inputs are opened when a row needs them.

    Args:
        entry: task entry of the release.
        inputs: prepared inputs.

    Attributes:
        settings_type: keys in the parameters. A key of type Corpus, MinedSet ... (generators/inputs.py) names an input.
        no_background: whether length "0k" (no context) is possible.
        natural: whether rows of natural length are possible (lengths natural, 0-4k, 4-8k, 8k+).
        of_output: whether lengths are lengths of the requested output, not of the context window.
        redraws: whether every training row draws something again (Candidate.draw), so that a candidate that did not fit may fit later.
        prompts: YAML file of prompt texts, by TaskSpec.wording.
        patience: consecutive candidates that may be unusable before a length is refused; None: all, or 64 if there is no end.
    """

    settings_type: ClassVar[type[TaskSettings]] = TaskSettings
    no_background: ClassVar[bool] = False
    natural: ClassVar[bool] = False
    patience: ClassVar[int | None] = None
    redraws: ClassVar[bool] = False
    of_output: ClassVar[bool] = False
    prompts: ClassVar[Path | None] = None

    def __init__(self, entry: Entry[S], inputs: Inputs) -> None:
        self.entry, self.settings, self.spec, self.inputs = entry, entry.settings, entry.spec, inputs
        self.release, self.variants = inputs.params.release, entry.settings.variants

    @cached_property
    def writer(self) -> RowWriter:
        """Counts and writes the rows."""
        return self._writer(self.spec)

    def _writer(self, spec: TaskSpec) -> RowWriter:
        budget, tokenizers = room.asked(self.entry, self.release), self.inputs.tokenizers
        names = cache(lambda: self.inputs.source_names(self.uses()))
        spec = replace(spec, metrics=tuple(self.settings.metrics(spec)))
        return RowWriter(self.entry.suite, spec, self.release, tokenizers, budget, names)

    def stream(self, *key: Key) -> Stream:
        """Return the random stream of a purpose; the key must never contain the length."""
        return Stream(self.release.stream_key, self.entry.suite, *key)

    @cached_property
    def words(self) -> dict[str, Any]:
        """Prompt texts of the wording; empty without a file of texts.

        Raises:
            BuildError: the file has no such wording.
        """
        texts = prompt_texts(self.spec)
        if texts and self.spec.wording not in texts:
            fix = nearest(self.spec.wording, texts)
            raise BuildError(f"has no prompt texts {self.spec.wording!r}", where=self.entry.where, fix=fix)
        found: dict[str, Any] = texts.get(self.spec.wording, {})
        return found

    # --------------------------------------------------------------------------------------------- what it needs

    def check(self) -> None:
        """Refuse mistakes that only the whole parameter file shows, and missing texts; reads no data.

        Raises:
            HaymakerError: a mistake that would otherwise fail after hours of work.
        """
        _ = self.words  # read now, so that a missing wording is refused before anything is built

    def uses(self) -> tuple[Use, ...]:
        """Inputs of the rows; nothing else is read."""
        return uses_of(self.settings)

    def fingerprint(self) -> dict[str, Any]:
        """Everything that decides the bytes, besides settings, inputs and versions, as JSON.

        By default the prompt texts. The key `phrases` (file -> digest) is copied to the manifest.
        """
        return {"texts": self.words}

    def limit(self, split: Split = "test") -> int | None:
        """Tokens of the longest possible row of a split, without reserved output tokens beyond the answer; None: no limit.

        Called only if all inputs are prepared.
        """
        return None

    def check_feasible(self, table: Table) -> None:
        """Refuse a table if none of its rows can be built, before any candidate is tried.

        Raises:
            BuildError: the material ends before the length.
        """

    def _check_limit(self, table: Table, what: str = "", fix: str = "give it more material") -> None:
        """Refuse a length beyond `limit`; `what` contains {limit}, `fix` is an alternative to a shorter length."""
        what = what or f"the material ends at about {{limit}} tokens: {self.spec.ends}"
        limit = self.limit(table.split)
        if limit is not None and (table.tokens or 0) > (
            longest := limit + room.beyond_answer(self.entry, self.release)
        ):
            raise BuildError(
                what.format(limit=f"{longest:,}"), where=f"{table.config} {table.split}",
                fix=f"use {longest_length(longest)} or shorter, or {fix}",
            )  # fmt: skip

    # ------------------------------------------------------------------------------------------------ candidates

    def pool(self, split: Split) -> Pool[Any]:
        """Candidates of a split, in the order of the release; by default drawn without end."""
        return endless(split, self.spec.name)

    def candidate_order(self, table: Table) -> Iterable[int]:
        """Candidates by index, in the order in which the rows of a table use them."""
        count = self.pool(table.split).count
        return count_from() if count is None else range(count)

    def rejection_reason(self, candidate: Candidate) -> str:
        """Return why the candidate is unusable at every length, or an empty string."""
        return ""

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Return why the candidate makes no row of this table, in any variant, or an empty string."""
        return ""

    # ------------------------------------------------------------------------------------------------------ rows

    @abstractmethod
    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """Return the row of a candidate.

        Args:
            table: table of the row.
            candidate: the question.
            variant: 0 to `variants` - 1; the variants of a candidate are requested one after another.

        Raises:
            BuildError: the candidate does not reach the length.
        """

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """Start and end (characters in the prompt) of the headings of the documents in a context, in order; for compressed contexts."""
        return []

    # ---------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """Yield problems with spans and context of a finished row that only the task can check (VERBATIM)."""
        return iter(())

    def answer_leaks(self, row: Row) -> Iterator[str]:
        """Yield distractors that contain an answer, found by a matcher that is independent of mining (CLEAN)."""
        return iter(())

    def identity(self, row: Row) -> str:
        """Return what must be unique in a table and across splits (UNIQUE, APART)."""
        return f"{row['group_id']}\n{row['question']}"

    def background(self, row: Row) -> BackgroundUnits:
        """Return the background of the context in order, without what is placed by depth (NESTED)."""
        return [(doc, first, last) for doc, first, last in json.loads(row["metadata"])["background"]]

    def solve(self, prompt: str) -> list[str] | None:
        """Return the answers of the exact solver, which reads only the finished prompt; None without a solver (ORACLE)."""
        return None if self.spec.solver is None else self.spec.solver(prompt)

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Return figures of the finished rows of a table for reports and the card, by name.

        Args:
            rows: rows with the columns MEASURED.
        """
        return {}


def prompt_texts(spec: TaskSpec) -> dict[str, Any]:
    """Return all prompt texts of a task, by wording; empty if it has none."""
    file = spec.prompts or spec.task.prompts
    return {} if file is None else _yaml(file)
