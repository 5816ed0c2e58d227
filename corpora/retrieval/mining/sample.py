"""The sample step: which questions of a set, and which of the distractors that are left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from haymaker.core.rng import Key, Stream, digest
from haymaker.core.rows.interleave import round_robin_relations
from haymaker.core.rows.source_records import Question

if TYPE_CHECKING:
    from corpora.retrieval.search import Ints


def in_keyed_order(questions: Iterable[Question], *key: Key) -> list[Question]:
    """Order questions by key, with relations and their answers interleaved: every prefix is a sample.

    More questions keep the earlier ones; questions added to a set move only questions of the same relation.
    """
    return round_robin_relations(
        sorted(questions, key=lambda each: (digest(*key, each.question_id), each.question_id)),
        lambda each: each.relation,
        lambda each: each.answers,
    )


def draw(left: Ints, wanted: int, stream: Stream | None) -> tuple[Ints, dict[str, int]]:
    """Choose distractors, the first or drawn: positions, best first, and reason -> number of others."""
    import numpy as np

    order = left if stream is None else np.array(stream.shuffled(left.tolist()), np.int64)
    return np.sort(order[:wanted]), {"surplus": len(order) - wanted} if len(order) > wanted else {}
