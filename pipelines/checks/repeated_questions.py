"""Questions that two tasks of a suite both ask: the mean of the suite would count them twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from generators.spec import Row
from generators.suite import ReleaseSuite
from haymaker.core.rng import digest
from haymaker.core.text.strings import padded

LIMIT = 0.1
"""Maximum share of the questions of the smaller task that the other task may ask too."""
_ALLOWED = 1  # questions that may be the same by chance
_EVIDENCE = frozenset({"gold", "fact", "support", "needle"})
_LONG = 20  # words of an answer that identifies its question: a request for a summary may have other words


def mark(row: Row) -> str:
    """Return a hash of the question, the right answer and the text of the evidence; of long answers only of the answer."""
    answer = padded(_answer(row))
    if answer.count(" ") > _LONG:
        return digest(answer, size=8).hex()
    evidence = sorted(row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["kind"] in _EVIDENCE)
    return digest(padded(row["question"]), answer, *evidence, size=8).hex()


def _answer(row: Row) -> str:
    if row["choices"] and row["answer_index"] is not None:
        return str(row["choices"][row["answer_index"]])
    groups = [group[0] for group in row["answer_groups"] or () if group]
    return "; ".join(groups or row["answers"][:1])


def repeated(suite: ReleaseSuite, asked: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Yield each task that shares too many questions with another task, unless one is a variant, and what is wrong.

    Args:
        suite: suite of the tasks.
        asked: task -> marks of its test rows.
    """
    for one, other in combinations(sorted(asked), 2):
        both, fewest = len(asked[one] & asked[other]), min(len(asked[one]), len(asked[other]))
        if both > max(_ALLOWED, LIMIT * fewest) and suite.family(one) != suite.family(other):
            yield (
                one,
                f"{both} of {fewest} questions are also questions of {other}, and neither is a variant of the other",
            )
