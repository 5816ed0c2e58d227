"""How one kind of task makes rows: the one class that a person writes to add a benchmark (docs/architecture.md)."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import count as count_from
from pathlib import Path
from typing import Any, ClassVar, Generic

from generators import room
from generators.context.writer import RowWriter
from generators.inputs import Inputs, Use, uses_of
from generators.spec import Allowed, BackgroundUnits, Candidate, Entry, Row, S, Table, TaskSettings, listing
from haymaker.core.buckets import longest_bucket
from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import nearest
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

MEASURED = ("group_id", "question", "choices", "answer_index", "extra")
"""Columns of finished rows that measures are made from."""
_TRIES = 1000  # candidates tried for one training row before giving up
_yaml = cache(read_yaml)


class Task(ABC, Generic[S]):
    """Makes the rows of one entry. Setting it up reads no data; what it reads is opened when a row needs it.

    Args:
        entry: what the release asks for.
        inputs: prepared inputs.

    Attributes:
        settings_type: its keys in the parameters. A key of type Corpus, MinedSet ... (generators/inputs.py) names what it reads.
        shared_by: what a candidate's rows at one length differ in, e.g. "depths"; for error lines.
        no_background: whether a bucket "0k" makes sense.
        natural: whether it has rows as long as their material is by itself (buckets natural, 0-4k, 4-8k, 8k+).
        of_output: whether its buckets are lengths of the output that is asked for, not of the window.
        redraws: whether every training row draws something anew, so that a candidate that did not fit may fit when its turn comes again.
        prompts: YAML file of its texts, by spec.wording.
        patience: candidates in a row that may fail a bucket before it is refused; None: all are tried, of endless ones 64.
    """

    settings_type: ClassVar[type[TaskSettings]] = TaskSettings
    shared_by: ClassVar[str] = "rows of each question"
    no_background: ClassVar[bool] = False
    natural: ClassVar[bool] = False
    patience: ClassVar[int | None] = None
    redraws: ClassVar[bool] = False
    of_output: ClassVar[bool] = False
    prompts: ClassVar[Path | None] = None

    def __init__(self, entry: Entry[S], inputs: Inputs) -> None:
        self.entry, self.settings, self.spec, self.inputs = entry, entry.settings, entry.spec, inputs
        self.release = inputs.params.release
        self._round_order = lru_cache(maxsize=2)(self._round)

    @cached_property
    def writer(self) -> RowWriter:
        """Counts and writes its rows."""
        return RowWriter(self.entry.suite, self.spec, self.release, self.inputs.tokenizers, self.answer_room)

    @cached_property
    def answer_room(self) -> int:
        """Tokens that the release wants kept for the answer in every row; 0: no more than it takes."""
        return room.asked(self.entry, self.release)

    @property
    def room_beyond(self) -> int:
        """Those of them that the answer does not take."""
        return room.beyond(self.answer_room, self.spec)

    def stream(self, *key: Key) -> Stream:
        """Draws of this suite and release; the key says what they decide, and never the bucket."""
        return Stream(self.release.stream_key, self.entry.suite, *key)

    @cached_property
    def texts(self) -> dict[str, Any]:
        """The file of its texts."""
        file = self.spec.prompts or self.prompts
        return {} if file is None else _yaml(file)

    @cached_property
    def words(self) -> dict[str, Any]:
        """Those of its own wording.

        Raises:
            BuildError: the file has none of that name.
        """
        if self.spec.wording not in self.texts:
            raise BuildError(
                f"no texts {self.spec.wording!r}", where=self.entry.where, fix=nearest(self.spec.wording, self.texts)
            )
        found: dict[str, Any] = self.texts[self.spec.wording]
        return found

    # ---------------------------------------------------------------------------------------- what is asked for

    @classmethod
    def variants_of(cls, settings: S) -> int:
        """Rows of a candidate at one length: depths, orders, an absent twin."""
        return 1

    @cached_property
    def variants(self) -> int:
        """The same of this entry."""
        return self.variants_of(self.settings)

    @classmethod
    def title_words(cls, settings: S) -> Mapping[str, object]:
        """What stands for {words} in the title, so that an entry says what its own settings ask for: each setting by its name."""
        return dict(iter(settings))  # a setting may be called "keys"

    @property
    def allows(self) -> Mapping[str, Allowed]:
        """What shortcuts may get at this entry; more than its TaskSpec says where its settings ask for it."""
        return self.spec.allows

    @property
    def metrics(self) -> Sequence[str]:
        """Of all its rows, the primary one first; in another order than its TaskSpec has them where its settings ask for it."""
        return self.spec.metrics

    def check(self) -> None:
        """Refuse early what only the whole parameter file shows, or texts that are not there; reads no data.

        Raises:
            HaymakerError: a mistake that would fail after hours of work.
        """
        if self.texts:
            assert self.words

    def uses(self) -> tuple[Use, ...]:
        """What its rows are made of; nothing else is read."""
        return uses_of(self.settings)

    def decides(self) -> Any:
        """What decides the bytes beside settings, inputs, texts and versions, as JSON."""
        return None

    def told(self) -> Any:
        """The texts that its rows are written with, as JSON: where a word of them changes, rows are built anew."""
        return self.words if self.texts else None

    def word_files(self) -> Mapping[str, str]:
        """Files of phrases that its rows are written with, where the entry chooses them: name -> digest. The manifest names them."""
        return {}

    def has_inputs(self) -> bool:
        """Whether all that it reads was prepared."""
        return all(map(self.inputs.is_here, self.uses()))

    def lacks(self) -> str:
        """What is not installed here and no row can be made without, and how to get it; such an entry is left out, and the run says so."""
        return ""

    @cached_property
    def sources(self) -> list[str]:
        """Names of the sources of all that it reads, as the column `sources` has them."""
        return sorted({name for use in self.uses() for name in self.inputs.open(use).provenance})

    def limit(self, part: Split = "test") -> int | None:
        """Tokens of the longest honest row of a part, with no more room than its answer takes; None where nothing ends it.

        Asked only when all inputs are here.
        """
        return None

    def check_feasible(self, table: Table) -> None:
        """Refuse a table of which no row can be built, before any candidate is looked at.

        Raises:
            BuildError: the material ends before the bucket.
        """

    def check_length(self, table: Table, limit: int | None, what: str, fix: str) -> None:
        """Refuse a table whose bucket is longer than the material.

        Args:
            table: of a task.
            limit: tokens; None: endless.
            what: says what ends, {limit} for where.
            fix: besides a shorter bucket.

        Raises:
            BuildError: the bucket is longer.
        """
        if limit is not None and (table.tokens or 0) > limit + self.room_beyond:
            limit += self.room_beyond
            raise BuildError(
                what.format(limit=f"{limit:,}"), where=f"{table.config} {table.part}", fix=f"use {longest_bucket(limit)} or shorter, or {fix}"
            )  # fmt: skip

    # --------------------------------------------------------------------------------------------- candidates

    def count(self, part: Split) -> int | None:
        """How many candidates a part has; None without end, as for tasks that draw what they ask."""
        return None

    def turns(self, table: Table) -> Iterable[int]:
        """Candidates by index, in the order in which rows of a table take them."""
        count = self.count(table.part)
        return count_from() if count is None else range(count)

    def candidate(self, part: Split, index: int) -> Candidate:
        """Candidate `index` of a part, in the order of the release; light."""
        return Candidate(part, index, f"{self.spec.name}-{part}-{index:05d}")

    def left_out(self, part: Split) -> Counter[str]:
        """What was left out of a part before it could become a candidate, by reason."""
        return Counter()

    def unfit(self, candidate: Candidate) -> str:
        """Why it is asked at no length; empty when it can be."""
        return ""

    def short_of(self, table: Table, candidate: Candidate) -> str:
        """Why it makes no row of this bucket, in any of its variants; empty when it does."""
        return ""

    # --------------------------------------------------------------------------------------------------- rows

    @abstractmethod
    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a candidate in a bucket.

        Args:
            table: of the row.
            candidate: what is asked.
            variant: from 0 to `variants` - 1; those of a candidate are asked for side by side.

        Raises:
            BuildError: the candidate does not reach the bucket.
        """

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """What opens each of several documents in a context, in order: first character in the prompt, one past the last."""
        return []

    def draw(self, table: Table, seed: int, number: int, turn: int) -> Sample:
        """Row `number` of the training stream `seed`: every training candidate once before any comes again, then with its next variant.

        One that does not fit the length gives way to the next of its round.

        Args:
            table: of part train, any length.
            seed: of the stream.
            number: of the row, from 0.
            turn: rows of this entry that the stream gave before.

        Raises:
            BuildError: no training text or question that fits.
        """
        count, reasons = self.count(table.part), Counter[str]()
        for attempt in range(_TRIES if count is None or (count and self.redraws) else min(_TRIES, count)):
            candidate, variant = self._in_turn(table.part, count, seed, turn, attempt)
            row = self.training_row(table, candidate, variant, f"s{seed}-{number}" + (f"-{attempt}" if attempt else ""))
            if not isinstance(row, str):
                return row
            reasons[row] += 1
        raise BuildError(f"no question fits ({listing(reasons) or 'there are none'})", where=f"{table.config} {table.part}",
                         fix="use another length, or prepare more of part train")  # fmt: skip

    def training_row(self, table: Table, candidate: Candidate, variant: int, name: str) -> Sample | str:
        """The row of a candidate in a training stream; or why it gives way to the next one.

        Args:
            table: of the row.
            candidate: whose turn it is.
            variant: that is due.
            name: of the row in its stream; for tasks that draw something anew for every row.
        """
        return self.unfit(candidate) or self.short_of(table, candidate) or self.row(table, candidate, variant)

    def _in_turn(self, part: Split, count: int | None, seed: int, turn: int, skipped: int) -> tuple[Candidate, int]:
        """Endless candidates: the next ones of the stream's own, all variants of each. Others: in rounds, each in an order of its own."""
        if count is None:
            group, variant = divmod(turn, self.variants)
            group += (seed << 32) + (skipped << 96)  # beyond the groups of any seed for those that were skipped
            return self.candidate(part, group), variant
        passed, place = divmod(turn, count)
        index = self._round_order(part, count, seed, passed)[(place + skipped) % count]
        first = self.stream(self.entry.name, "variant", seed, index).below(self.variants)
        return self.candidate(part, index), (first + passed) % self.variants

    def _round(self, part: Split, count: int, seed: int, passed: int) -> list[int]:
        return self.stream(self.entry.name, "round", seed, passed).shuffled(range(count))

    # ------------------------------------------------------------------------------------------------ checks

    def problems(self, row: Row) -> Iterator[str]:
        """What is wrong with a finished row's spans and context, as only the task can say; nothing when all is well (VERBATIM)."""
        return iter(())

    def answer_leaks(self, row: Row) -> Iterator[str]:
        """Distractors of a finished row that hold an answer, found by a matcher that mining does not know (CLEAN)."""
        return iter(())

    def identity(self, row: Row) -> str:
        """What must not come twice in a table, nor in two parts (UNIQUE, APART)."""
        return f"{row['group_id']}\n{row['question']}"

    def background(self, row: Row) -> BackgroundUnits:
        """Background of the context in order, without what is placed by depth (NESTED)."""
        return [(doc, first, last) for doc, first, last in json.loads(row["extra"])["background"]]

    def solve(self, prompt: str) -> list[str] | None:
        """The oracle's answers from the finished prompt alone; None where a task has no oracle (ORACLE)."""
        return None

    def right_output(self, row: Row) -> str:
        """An output that every strict metric gives 100: the first stored answer, where that is one (STRICT)."""
        return str(row["answers"][0])

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Figures of a table's finished rows for reports and card, by name; most tasks have none.

        Args:
            rows: with the columns MEASURED alone.
        """
        return {}
