"""What a score is to be seen beside: an answer by chance, the question said again, the right answer. They have no limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from haymaker.core.rng import Stream
from pipelines.checks.shortcuts.search import random_order
from pipelines.checks.shortcuts.table_stats import RANKED, Guess, Known, Seen, names


def by_chance(seen: Seen, known: Known) -> Guess:
    """Of a closed set any answer: the mean of all. Of orders the mean of eight. Else the answer of another question, drawn by the row's id."""
    row = seen.row
    if RANKED & set(names(row)):
        return random_order(seen, known)
    if seen.closed:
        return Guess(seen.closed[0], equal=tuple(seen.closed[1:]))
    others = sorted(known.answers.keys() - {row["group_id"]})
    return Guess(", ".join(known.answers[Stream("baseline", row["id"]).choice(others)]) if others else None)


def echo(seen: Seen, known: Known) -> Guess:
    """The question as it stands; nothing where there is none."""
    return Guess(seen.row["question"] or None)


def oracle(seen: Seen, known: Known) -> Guess:
    """The right answer, as an exact solver reads it from the prompt where the task has one (ORACLE proves that it is the stored one)."""
    return Guess(known.right(seen.row) if known.right else None)


BASELINES: Mapping[str, Callable[[Seen, Known], Guess]] = {"random": by_chance, "echo": echo, "oracle": oracle}
