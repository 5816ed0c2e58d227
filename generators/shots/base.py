"""What shots to learn from and shots to count have in common: how a row is filled and written, how a finished one is proved."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from corpora.stores.labelled import Markers, markers
from generators.context.context import Context
from generators.context.fit import fit_ranked
from generators.context.pieces import Pieces, Strip, closed
from generators.context.writer import Frame
from generators.inputs import LabelledSet, Use
from generators.shots import checks
from generators.shots.deck import Deck, Shots, Stock
from generators.shots.prompts import GAP
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rng import Key
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.span_columns import SpanColumns

SEAMS = 16  # tokens that seams may cost a row, and more
_TIGHT = 16 * 1024  # tokens of a bucket up to which whole shots may fail to fill it, or be too few to ask about
_LONG_SHOT = 64  # tokens; in a bucket of so many for each label, a round is certain to be whole


class ShotSettings(TaskSettings):
    """Keys of every task over labelled texts."""

    labelled: LabelledSet


@dataclass(frozen=True, slots=True)
class ShotQuery:
    """A question, the same at every length, and what its shots are drawn from."""

    question: str
    deck: Deck


S = TypeVar("S", bound=ShotSettings)
A = TypeVar("A", bound=ShotQuery)


class ShotTask(Task[S], Generic[S, A]):
    """Makes rows of shots: taken in order, fitted to the bucket, shown by place, counted exactly, with a span per shot.

    Attributes:
        more: what helps, besides a shorter bucket, where the texts end.
    """

    patience = 64
    prompts = Path(__file__).with_name("prompts.yaml")
    more: ClassVar[str]

    # ---------------------------------------------------------------------------------------------- what differs

    @property
    def variant(self) -> str | None:
        """How its rows differ from the plain task's, so that no mean of that task takes them in; None where they do not."""
        return None

    @property
    def repeats(self) -> bool:
        """Whether a label's texts start over when all were shown."""
        return False

    @property
    def opener(self) -> str:
        """What stands before the question, behind the shots."""
        return self.markers.opener

    @property
    def cue(self) -> str:
        """What a base model continues."""
        return self.markers.answer

    @property
    @abstractmethod
    def wording(self) -> str:
        """Which of its texts is the instruction."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """Labels as shown, by number as shown."""

    @abstractmethod
    def query(self, candidate: Candidate) -> A:
        """The question of a candidate."""

    @abstractmethod
    def too_few(self, query: A, shots: Shots) -> str:
        """Why the question cannot be asked about these shots; empty when it can be."""

    @abstractmethod
    def columns(self, query: A, shots: Shots) -> dict[str, Any]:
        """Answers and choices of a row; `extra` with what the task alone has."""

    @abstractmethod
    def query_problems(self, row: checks.Read, known: checks.Known | None) -> Iterator[str]:
        """What is wrong with question, answer and places of a finished row."""

    # ------------------------------------------------------------------------------------------------- material

    def check(self) -> None:
        """Refuse a set in another language than the task's words.

        Raises:
            ParamsError: its shots would stand between words of that language.
        """
        super().check()
        name, own = self.settings.labelled, self.spec.language or "en"
        block = self.inputs.params.labelled.get(name)
        given = str(block.get("language", "en")) if isinstance(block, dict) else own
        if markers(given) != markers(own):
            what = f"task {self.spec.name!r} tells the reader in {own}, the set is in {given}"
            raise ParamsError(
                what, where=f"labelled.{name}.language", fix=f"write language: {own}, or use another task"
            )

    @property
    def markers(self) -> Markers:
        """What stands around its texts, in the language of the task's words."""
        return markers(self.spec.language or "en")

    @cached_property
    def stock(self) -> Stock:
        """The set."""
        name, inputs = self.settings.labelled, self.inputs
        return inputs.shared(("shots", name), lambda: Stock(inputs.labelled(name), name, inputs.tokenizers))

    @cached_property
    def key(self) -> tuple[Key, ...]:
        """First parts of every stream's name: the release's draws, suite and set."""
        return self.release.stream_key, self.entry.suite, self.settings.labelled

    @cached_property
    def endings(self) -> Pieces:
        """What stands behind a text, by number as shown: the label, and what opens the next shot."""
        return Pieces([f" {name}{self.stock.ending}" for name in self.names], self.inputs.tokenizers)

    def frame(self, question: str) -> Frame:
        """The words around the shots, counted."""
        instruction = str(self.words[self.wording]).format(first=self.names[0], last=self.names[-1])
        tail = f"{GAP}{self.opener} {question}\n{self.cue}"
        span = Span(0, len(instruction), "instruction", token_start=0)
        head, opener = instruction + self.stock.ending, self.markers.opener
        return self.writer.frame(head, tail, cue=self.cue, opener=opener, spans=[span])

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket that the texts end before."""
        what = f"the texts of set {self.settings.labelled!r} end at {{limit}} tokens"
        self._check_limit(table, what, self.more)

    # ----------------------------------------------------------------------------------------------------- rows

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Short buckets may hold too few shots for the question, or not be filled by whole shots."""
        if self.writer.tokens(table) > max(_TIGHT, _LONG_SHOT * len(self.names)):
            return ""
        query = self.query(candidate)
        try:
            (shots, _), _, counts = self.filled(table, candidate, query, self.frame(query.question))
        except BuildError as error:
            return error.what
        full = table.natural or self.writer.is_full(table, counts)
        return self.too_few(query, shots) or ("" if full else "no choice of shots fills 99.5 %")

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The one row of a candidate."""
        query = self.query(candidate)
        deck, frame = query.deck, self.frame(query.question)
        (shots, strip), context, counts = self.filled(table, candidate, query, frame)
        columns = self.columns(query, shots)
        label_map = {label: self.names[n] for label, n in zip(self.stock.labels, deck.shown.tolist(), strict=True)}
        extra = {"k": len(shots), **columns.pop("extra"), "label_map": label_map}
        return self.writer.sample(
            table, candidate.key, frame, context, counts,
            question=query.question,
            extra=extra,
            spans=[deck.spans(shots, strip, frame)],
            n_units=len(shots),
            n_unique_units=int(np.count_nonzero(np.bincount(shots.texts))),
            haystack=self.stock.name,
            variant=self.variant,
            **columns,
        )  # fmt: skip

    def filled(
        self, table: Table, candidate: Candidate, query: A, frame: Frame
    ) -> tuple[tuple[Shots, Strip], Context, list[int]]:
        """The shots that fill a row, as text, with exact counts of the row.

        Raises:
            BuildError: the shots end before the bucket is full.
        """
        deck = query.deck
        pool, sums = deck.pool(self.writer.room(table))
        closing = self.inputs.tokenizers[0].count_part(self.stock.ending)

        def fill(budget: int) -> tuple[tuple[Shots, Strip], Context]:
            if not (chosen := fit_ranked(sums, budget + closing, table.tokens or 0)):
                raise BuildError("no shot fits", where=table.config, fix="drop the bucket")
            shots = pool.chosen(chosen).in_place()
            strip = deck.strip(shots)
            return (shots, strip), closed(strip, self.stock.ending, self.inputs.tokenizers)

        return self.writer.fitted(table, frame, fill)

    # -------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """Shots, labels and rounds, held against the prompt and, where it is here, the prepared set."""
        name, read, known = self.settings.labelled, checks.Read(row, self.markers), None
        if self.inputs.is_here(Use("labelled", name)):
            known = self.inputs.shared(("known shots", name), lambda: checks.Known(self.inputs.labelled(name)))
        yield from checks.tiles(read)
        yield from checks.numbers(read, self.variant, repeats=self.repeats)
        yield from checks.question(row, self.opener, self.cue)
        yield from self.query_problems(read, known)
        if known is not None:
            yield from checks.as_prepared(read, known)

    def background(self, row: Row) -> BackgroundUnits:
        """Shots in order."""
        return SpanColumns.of(row["spans"]).of_kinds("shot").column("ref")
