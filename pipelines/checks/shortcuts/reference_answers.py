"""Reference baselines for scores: a random answer, the repeated question, the correct answer. They have no limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from haymaker.core.rng import Stream
from pipelines.checks.shortcuts.bm25_baselines import random_order
from pipelines.checks.shortcuts.table_stats import RANKED, BaselineAnswer, RowView, TableStats, names


def by_chance(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Random answer: mean of a closed answer set, mean of eight orders, or another answer of the table (by row id)."""
    row = seen.row
    if RANKED & set(names(row)):
        return random_order(seen, known)
    if seen.closed:
        return BaselineAnswer(seen.closed[0], equal=tuple(seen.closed[1:]))
    others = sorted(known.answers.keys() - {row["group_id"]})
    return BaselineAnswer(", ".join(known.answers[Stream("baseline", row["id"]).choice(others)]) if others else None)


def echo(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Repeat the question; no output without a question."""
    return BaselineAnswer(seen.row["question"] or None)


def oracle(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Return the correct output of the row, if known. The check ORACLE compares stored answers with the solver."""
    return BaselineAnswer(known.right(seen.row) if known.right else None)


BASELINES: Mapping[str, Callable[[RowView, TableStats], BaselineAnswer]] = {
    "random": by_chance,
    "echo": echo,
    "oracle": oracle,
}
