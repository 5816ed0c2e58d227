"""Rows of shots: how they are filled and written, and how finished ones are checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from generators.context import natural
from generators.context.context import Context
from generators.context.fit import fit_ranked
from generators.context.pieces import Ints, UnitColumns, closed
from generators.context.prompt import Part, framed
from generators.context.writer import Frame
from generators.shots import checks
from generators.shots.layout import ShotLayout
from generators.shots.shot_pool import ShotPool, Shots
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.span_columns import SpanColumns

SEAMS = 16  # tokens that token boundaries may cost a row, and more
TIGHT = 16 * 1024  # tokens; in a length of this size or less, whole shots may be too few, or fail to fill it

S = TypeVar("S", bound=TaskSettings)
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class ShotQuery(Generic[A]):
    """A question, the same at every length."""

    question: str
    answers: list[str]  # accepted answers; empty if they depend on the shots of a row
    pool: ShotPool  # shots that its rows may show
    asked: A  # further data of the question for the task


class ShownShots(NamedTuple):
    """The shots of a row in order, their units, the context and the exact tokens of the row."""

    shots: Shots
    strip: UnitColumns
    context: Context
    counts: list[int]


class ShotTask(Task[S], Generic[S, A]):
    """Makes rows of shots: taken in order, fitted to the length, shown by place, with a span for each shot.

    Attributes:
        noun: word for a shot in reasons.
        material: material that limits the length, for error messages; {!r} is the name of the input.
        more: alternative to a shorter length, for error messages; {} is the name of the input.
        ended: reason if all shots together do not fill a length; empty: the reason of the filler.
    """

    patience: ClassVar[int | None] = 64
    prompts = Path(__file__).with_name("prompts.yaml")
    noun: ClassVar[str] = "shot"
    material: ClassVar[str] = "texts of set {!r}"
    more: ClassVar[str]
    ended: ClassVar[str] = ""

    @property
    @abstractmethod
    def stock(self) -> Any:
        """Prepared input that the shots come from, with its name."""

    @property
    @abstractmethod
    def layout(self) -> ShotLayout:
        """Words that open the parts of a shot."""

    @property
    @abstractmethod
    def instruction(self) -> str:
        """Text before the shots."""

    @property
    def variant(self) -> str | None:
        """Difference from the rows of the plain task."""
        return None

    @property
    def natural_shots(self) -> tuple[int, int] | None:
        """Fewest and most shots of a row of natural length; None if there are no such rows."""
        found: tuple[int, int] | None = getattr(self.settings, "natural_shots", None)
        return found

    @abstractmethod
    def query(self, candidate: Candidate) -> ShotQuery[A]:
        """Return the question of a candidate."""

    @abstractmethod
    def too_few(self, query: ShotQuery[A], shots: Shots) -> str:
        """Return why the question cannot be answered from these shots, or an empty string."""

    @abstractmethod
    def columns(self, query: ShotQuery[A], shots: Shots) -> dict[str, Any]:
        """Return answers, choices and other columns of a row; `metadata` has only what the task adds."""

    @abstractmethod
    def shot_problems(self, read: checks.ReadShots, *, prepared: bool) -> Iterator[str]:
        """Yield problems of question, answer and shots; `prepared` if the inputs are available."""

    def check(self) -> None:
        super().check()
        assert self.layout and self.more  # the layout refuses a set in another language

    def check_feasible(self, table: Table) -> None:
        what = f"the {self.material.format(self.stock.name)} end at {{limit}} tokens"
        self._check_limit(table, what, self.more.format(self.stock.name))

    def is_roomy(self, table: Table, candidate: Candidate) -> bool:
        """Return whether a length is so long that the row can certainly be built."""
        return self.writer.tokens(table) > TIGHT

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        if self.is_roomy(table, candidate):
            return ""
        query = self.query(candidate)
        try:
            found = self.filled(table, candidate, query, self.frame(query.question))
        except BuildError as error:
            return error.what
        full = table.natural or Check.FILL not in self.spec.checks or self.writer.is_full(table, found.counts)
        return self.too_few(query, found.shots) or ("" if full else f"no choice of {self.noun}s fills 99.5 %")

    def frame(self, question: str) -> Frame:
        """Return the counted text around the shots."""
        instruction = Part(self.instruction, "instruction", gap=self.layout.ending, token_start=0)
        tail = self.layout.tail(question)
        return framed(self.writer, [instruction], tail, cue=self.layout.last_cue, opener=self.layout.opener)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        query = self.query(candidate)
        frame = self.frame(query.question)
        shots, strip, context, counts = self.filled(table, candidate, query, frame)
        columns = self.columns(query, shots)
        spans = query.pool.spans(shots, strip, frame, self.layout.ending)
        labels = {"label_map": query.pool.label_map} if query.pool.label_map else {}
        return self.writer.sample(
            table, candidate.key, frame, context, counts,
            question=query.question, metadata={"k": len(shots), **columns.pop("metadata"), **labels}, spans=[spans],
            num_segments=len(shots), num_unique_segments=int(np.count_nonzero(np.bincount(shots.texts))), background_corpus=self.stock.name,
            variant=self.variant, **columns,
        )  # fmt: skip

    def filled(self, table: Table, candidate: Candidate, query: ShotQuery[A], frame: Frame) -> ShownShots:
        """Return the shots of a row.

        Raises:
            BuildError: the shots end before the row is full, or none fits.
        """
        pool, where, fix = query.pool, table.config, "drop the length"
        if table.natural:
            return self.shown(pool, pool.first(self._drawn(table, candidate, query, frame)), frame)
        taken, sums = pool.ranked(self.writer.room(table))
        closing = self.inputs.tokenizers[0].count_part(self.layout.ending)
        if self.ended and sums[-1] <= self.writer.room(table) - frame.tokens + closing:
            raise BuildError(self.ended, where=where, fix=fix)

        def fill(budget: int) -> tuple[tuple[Shots, UnitColumns], Context]:
            if not (chosen := fit_ranked(sums, budget + closing, table.tokens or 0)):
                raise BuildError(f"no {self.noun} fits", where=where, fix=fix)
            return self._joined(pool, taken.chosen(chosen))

        (shots, strip), context, counts = self.writer.fitted(table, frame, fill)
        return ShownShots(shots, strip, context, counts)

    def _drawn(self, table: Table, candidate: Candidate, query: ShotQuery[A], frame: Frame) -> int:
        assert self.natural_shots is not None  # has_natural_length

        def lengths(count: int) -> Ints:
            strip = query.pool.strip(query.pool.first(count))
            return natural.row_words(strip, self.layout.ending, frame, query.question, query.answers)

        stream = self.stream(candidate.key, "natural shots")
        return natural.wanted(table.length, stream, self.natural_shots, lengths)

    def shown(self, pool: ShotPool, shots: Shots, frame: Frame) -> ShownShots:
        """Return a row of the given shots, of any length."""
        (shots, strip), context = self._joined(pool, shots)
        return ShownShots(shots, strip, context, self.writer.count(frame, context.parts()))

    def _joined(self, pool: ShotPool, shots: Shots) -> tuple[tuple[Shots, UnitColumns], Context]:
        placed = shots.in_place()
        strip = pool.strip(placed)
        return (placed, strip), closed(strip, self.layout.ending, self.inputs.tokenizers)

    def problems(self, row: Row) -> Iterator[str]:
        read, repeats = checks.ReadShots(row, self.layout), getattr(self.settings, "repeats", False)
        yield from checks.placed(read)
        yield from checks.numbers(read, self.variant, repeats=repeats)
        yield from checks.question(read)
        if self.natural_shots:
            stream = self.stream(row["group_id"], "natural shots")
            yield from natural.problems(row["length"], stream, self.natural_shots, len(read.spans))
        yield from self.shot_problems(read, prepared=self.inputs.are_here(self.uses()))

    def identity(self, row: Row) -> str:
        return str(row["question"]).casefold()

    def background(self, row: Row) -> BackgroundUnits:
        return SpanColumns.of(row["spans"]).of_kinds("shot").column("ref")
