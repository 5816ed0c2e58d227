"""Rows for training: any bAbI task at any length, as many as wanted, no two alike (spec/babilong.md 6.7).

Differs from the reference, which draws stories and books with replacement: every question of a task comes once before any
comes again (but for those that take the place of one too long for its row), each time with new depths and another walk
through the training books.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from corpora.records import StoryQuestion
from generators.babilong.rows import RowBuilder
from generators.task import Table
from haymaker.buckets import MIN_FILL
from haymaker.errors import BuildError
from haymaker.rng import Stream
from haymaker.sample import Sample

_TRIES = 1000  # questions tried for one row before giving up


class Draws:
    """Training rows of one task.

    Args:
        builder: of the task.
        questions: its training questions.
        key: release seed, suite and task: names the draws.
    """

    def __init__(self, builder: RowBuilder, questions: Sequence[StoryQuestion], key: tuple[int, str, str]) -> None:
        self._builder, self._questions, self._key = builder, questions, key
        self._order = lru_cache(maxsize=2)(self._shuffled)

    def row(self, table: Table, seed: int, number: int, turn: int) -> Sample:
        """See Suite.draw. A question that does not fit the bucket, or that no choice of sentences fills, gives way to the
        next one of its round.

        Raises:
            BuildError: the corpus is too small, or none of many questions can be used.
        """
        for attempt in range(_TRIES):
            name = f"s{seed}-{number}" + (f"-{attempt}" if attempt else "")
            stream = Stream(*self._key, "draw", name)
            question = self._in_turn(seed, turn, attempt)
            if self._builder.leaves_room(table, question):
                groups = list(self._builder.groups(table.part, question, name))
                row = self._builder.row(table, stream.choice(groups))
                if row.slack_tokens is None or row.slack_tokens <= (1 - MIN_FILL) * (table.tokens or 0):
                    return row
        raise BuildError(
            f"no question fits, {_TRIES:,} were tried", where=f"{table.config} {table.part}", fix="use a longer bucket"
        )

    def _in_turn(self, seed: int, turn: int, skipped: int) -> StoryQuestion:
        """Questions in rounds: each once a round, in an order of the round's own."""
        count = len(self._questions)
        passed, place = divmod(turn, count)
        return self._questions[self._order(seed, passed)[(place + skipped) % count]]

    def _shuffled(self, seed: int, passed: int) -> list[int]:
        return Stream(*self._key, "round", seed, passed).shuffled(range(len(self._questions)))
