"""Rows of an endless training stream: every candidate of split train once before any comes again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any

from generators.pool import Pool
from generators.spec import Candidate, Table, listing
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample

_TRIES = 1000  # candidates tried for one row


class TrainingRows:
    """Draws training rows of one task.

    Args:
        task: task of the rows.
    """

    def __init__(self, task: Task[Any]) -> None:
        self._task = task
        self._round = lru_cache(maxsize=2)(self._shuffled)

    def draw(self, table: Table, seed: int, number: int, turn: int) -> Sample:
        """Return row `number` of stream `seed`. A candidate that does not fit is skipped for the next one of its round.

        Args:
            table: table of split train, any length.
            seed: seed of the stream.
            number: number of the row, from 0.
            turn: number of rows of this task that the stream returned before.

        Raises:
            BuildError: no candidate fits.
        """
        task, pool, reasons = self._task, self._task.pool(table.split), Counter[str]()
        count = pool.count
        for attempt in range(_TRIES if count is None or (count and task.redraws) else min(_TRIES, count)):
            candidate, variant = self._candidate(pool, seed, turn, attempt)
            if task.redraws:
                candidate = replace(candidate, draw=f"s{seed}-{number}" + (f"-{attempt}" if attempt else ""))
            reason = task.rejection_reason(candidate) or task.rejection_reason_at(table, candidate)
            if not reason:
                return task.row(table, candidate, variant)
            reasons[reason] += 1
        raise BuildError(f"no question fits ({listing(reasons) or 'there are none'})", where=f"{table.config} {table.split}",
                         fix="use another length, or prepare more of split train")  # fmt: skip

    def _candidate(self, pool: Pool[Any], seed: int, turn: int, skipped: int) -> tuple[Candidate, int]:
        """Return the candidate and variant of a turn.

        Without end: new candidates of the stream, with all their variants. Otherwise: rounds over all candidates, each in another
        order, with the next variant in each round.
        """
        task, count = self._task, pool.count
        if count is None:
            group, variant = divmod(turn, task.variants)
            return pool.candidate(
                group + (seed << 32) + (skipped << 96)
            ), variant  # beyond the groups of any other seed
        passed, place = divmod(turn, count)
        index = self._round(pool.split, count, seed, passed)[(place + skipped) % count]
        first = task.stream(task.entry.name, "variant", seed, index).below(task.variants)
        return pool.candidate(index), (first + passed) % task.variants

    def _shuffled(self, split: str, count: int, seed: int, passed: int) -> list[int]:
        return self._task.stream(self._task.entry.name, "round", seed, passed).shuffled(range(count))
