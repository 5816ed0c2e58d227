"""The sample step: which questions of a set, and which of the distractors that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from haymaker.core.rng import Key, Stream, digest
from haymaker.core.rows.interleave import round_robin_relations
from haymaker.core.rows.source_records import Question

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.search import Ints

    Flags = npt.NDArray[np.bool_]

_JUDGED_AT_ONCE = 64  # distractors that a model judges at a time


def in_keyed_order(questions: Iterable[Question], *key: Key) -> list[Question]:
    """Questions in an order of which each place depends on the question's id alone, relations and their answers in turn: the first n are
    a sample.

    Taking more keeps those that were taken; questions that are added to a set move no others without a relation apart.
    """
    return round_robin_relations(
        sorted(questions, key=lambda each: (digest(*key, each.question_id), each.question_id)),
        lambda each: each.relation,
        lambda each: each.answers,
    )


def draw(
    left: Ints, wanted: int, *, stream: Stream | None, accepts: Callable[[Ints], Flags] | None
) -> tuple[Ints, dict[str, int]]:
    """Choose distractors.

    Args:
        left: positions in the search result, best first.
        wanted: how many.
        stream: draws from all that are left; None takes the first.
        accepts: the cross-encoder's verdict on some positions; asked for no more than are needed.

    Returns:
        The chosen positions, best first; reason -> how many were not chosen.
    """
    import numpy as np

    order = left if stream is None else np.array(stream.shuffled(left.tolist()), np.int64)
    if accepts is None:
        return np.sort(order[:wanted]), _counted(surplus=len(order) - wanted)
    chosen: list[int] = []
    judged = 0
    while len(chosen) < wanted and judged < len(order):
        some = order[judged : judged + min(_JUDGED_AT_ONCE, wanted - len(chosen))]
        chosen += some[accepts(some)].tolist()
        judged += len(some)
    return np.array(sorted(chosen), np.int64), _counted(cross_encoder=judged - len(chosen), surplus=len(order) - judged)


def _counted(**counts: int) -> dict[str, int]:
    return {reason: count for reason, count in counts.items() if count > 0}
