"""One row of shots: fitted to its bucket, counted exactly, with a span per shot (as columns)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from corpora.examples import OPENER
from generators import units
from generators.helmet.shots.prompts import ENDING, GAP
from generators.helmet.shots.rounds import ENDLESS
from generators.helmet.shots.stock import Stock
from generators.pieces import Filling, Pieces, Strip, closed
from generators.rows import Frame, RowWriter
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.sample import Sample, Span, Spans

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

AHEAD = 80  # shots beyond the budget that fitting may look at
_FIRST_GUESS = 1.15  # rounds drawn, as a share of what shots of average length would need


@dataclass(frozen=True, slots=True)
class Order:
    """The shots of a group in order, as far as they are drawn.

    Attributes:
        texts: numbers of the texts.
        rounds: of each shot.
        shown: of each shot, number of the label as shown.
    """

    texts: Ints
    rounds: Ints
    shown: Ints


@dataclass(frozen=True, slots=True)
class Shots:
    """The shots of a row.

    Attributes:
        texts, shown: as in Order, those that were chosen.
        strip: the same as text.
        rounds: how many rounds are complete.
    """

    texts: Ints
    shown: Ints
    strip: Strip
    rounds: int


class ShotWriter:
    """Puts shots and the words around them together.

    Args:
        stock: the set.
        writer: counts and writes rows.
        variant: of all rows.
    """

    def __init__(self, stock: Stock, writer: RowWriter, variant: str | None) -> None:
        self.stock, self.writer, self.variant = stock, writer, variant
        self._closing = writer.tokenizers[0].count_part(ENDING)

    def frame(self, instruction: str, tail: str, cue: str) -> Frame:
        """The words around the shots, counted."""
        head = f"{instruction}{GAP}{OPENER}"
        span = Span(0, len(instruction), "instruction", token_start=0)
        return self.writer.frame(head, tail, cue=cue, opener=OPENER, spans=[span])

    def fitted(
        self, table: Table, frame: Frame, labels: Pieces, order: Callable[[int], Order], per_round: int
    ) -> tuple[Shots, Filling, list[int]]:
        """The shots that fill a row, as text, with exact counts of the row.

        Args:
            table: of the row.
            frame: the words around.
            labels: what stands behind a text, by number as shown.
            order: gives the group's shots, so many rounds of them or all there are; the same at every length.
            per_round: shots of a round, about.

        Raises:
            BuildError: the shots end before the bucket is full.
        """
        room = self.writer.room(table)
        drawn, sizes = self._drawn(room, labels, order, per_round)
        sums = np.concatenate(([0], np.cumsum(sizes))).data

        def fill(budget: int) -> tuple[Shots, Filling]:
            chosen = np.asarray(units.fit(sums, budget + self._closing, table.tokens or 0), dtype=np.int64)
            if not len(chosen):
                raise BuildError("no shot fits", where=table.config, fix="drop the bucket")
            gaps = np.flatnonzero(chosen != np.arange(len(chosen)))
            first = int(gaps[0]) if len(gaps) else len(chosen)
            texts, shown = drawn.texts[chosen], drawn.shown[chosen]
            strip = self.stock.pieces.strip(texts).beside(labels.strip(shown))
            done = int(drawn.rounds[first] if first < len(drawn.rounds) else drawn.rounds[-1] + 1)
            return Shots(texts, shown, strip, done), closed(strip, ENDING, self.writer.tokenizers)

        return self.writer.fitted(table, frame, fill)

    def _drawn(self, room: int, labels: Pieces, order: Callable[[int], Order], per_round: int) -> tuple[Order, Ints]:
        """As many shots as can matter, and their tokens: more rounds are drawn until there are enough, or all are there."""
        shots = self.stock.shots
        wanted = room / float(np.mean(shots.tokens[0])) * _FIRST_GUESS + AHEAD
        rounds = int(wanted / per_round) + 2
        while True:
            drawn = order(min(rounds, ENDLESS))
            sizes = shots.tokens[0][drawn.texts] + labels.tokens(drawn.shown)
            enough = int(np.searchsorted(np.cumsum(sizes), room)) + AHEAD
            if enough <= len(sizes) or not len(drawn.rounds) or drawn.rounds[-1] + 1 < rounds or rounds >= ENDLESS:
                return Order(drawn.texts[:enough], drawn.rounds[:enough], drawn.shown[:enough]), sizes[:enough]
            rounds *= 2

    def sample(
        self, table: Table, group: str, frame: Frame, made: tuple[Shots, Filling, list[int]], *,
        extra: dict[str, Any], **columns: Any,
    ) -> Sample:  # fmt: skip
        """The finished row."""
        shots, filling, counts = made
        unique = int(np.count_nonzero(np.bincount(shots.texts)))
        return self.writer.sample(
            table, group, frame, filling, counts,
            spans=[self._spans(frame, shots)],
            stop=["\n"],
            n_units=len(shots.texts),
            n_unique_units=unique,
            haystack=self.stock.name,
            variant=self.variant,
            sources=self.stock.sources,
            extra={"k": len(shots.texts), "rounds": shots.rounds, **extra},
            **columns,
        )  # fmt: skip

    def _spans(self, frame: Frame, shots: Shots) -> Spans:
        """One per shot, from the first character of its text to the last of its label."""
        ends = np.cumsum(shots.strip.characters)
        starts = ends - shots.strip.characters
        tokens = np.cumsum(shots.strip.tokens[0]) - shots.strip.tokens[0]
        ids, labels = self.stock.names
        return Spans(
            "shot",
            _column(starts + (frame.start + 1)),
            _column(ends + (frame.start - len(ENDING))),
            _column(tokens + frame.tokens_before),
            ids[shots.texts].tolist(),
            labels[shots.texts].tolist(),
        )


def _column(numbers: Ints) -> Sequence[int]:
    """Arrow takes an array as it is; its type says so of lists alone."""
    return cast("Sequence[int]", numbers)
