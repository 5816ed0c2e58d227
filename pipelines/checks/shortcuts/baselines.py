"""What a score is to be seen beside: an answer by chance, the question said again, the right answer. They have no limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from haymaker.core.rng import Stream
from pipelines.checks.shortcuts.search import random_order
from pipelines.checks.shortcuts.table_stats import RANKED, BaselineAnswer, RowView, TableStats, names


def by_chance(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Of a closed set any answer: the mean of all. Of orders the mean of eight. Else the answer of another question, drawn by the row's id."""
    row = seen.row
    if RANKED & set(names(row)):
        return random_order(seen, known)
    if seen.closed:
        return BaselineAnswer(seen.closed[0], equal=tuple(seen.closed[1:]))
    others = sorted(known.answers.keys() - {row["group_id"]})
    return BaselineAnswer(", ".join(known.answers[Stream("baseline", row["id"]).choice(others)]) if others else None)


def echo(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The question as it stands; nothing where there is none."""
    return BaselineAnswer(seen.row["question"] or None)


def oracle(seen: RowView, known: TableStats) -> BaselineAnswer:
    """The right answer, as an exact solver reads it from the prompt where the task has one (ORACLE proves that it is the stored one)."""
    return BaselineAnswer(known.right(seen.row) if known.right else None)


BASELINES: Mapping[str, Callable[[RowView, TableStats], BaselineAnswer]] = {
    "random": by_chance,
    "echo": echo,
    "oracle": oracle,
}
