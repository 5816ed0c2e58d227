"""Which questions, which distractors; and the parameters of a set."""

from __future__ import annotations

import numpy as np
import pytest

from corpora.retrieval.mining.miner import draw, in_keyed_order
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Question

LEFT = np.arange(0, 400, 2)


def questions(*names: str) -> list[Question]:
    return [Question(name, "test", "?", "single") for name in names]


def test_the_order_of_questions_depends_on_each_alone() -> None:
    some = in_keyed_order(questions(*"abcdefgh"), 7, "mine", "nq", "test")
    assert some == in_keyed_order(questions(*"hgfedcba"), 7, "mine", "nq", "test")
    fewer = in_keyed_order(questions(*"aceg"), 7, "mine", "nq", "test")
    assert fewer == [each for each in some if each in fewer]
    other = in_keyed_order(questions(*"abcdefgh"), 8, "mine", "nq", "test")
    assert sorted(each.question_id for each in other) == list("abcdefgh")
    assert other != some


def test_the_hardest_are_first_and_a_keyed_draw_is_spread_over_all_in_rank_order() -> None:
    assert draw(LEFT, 50, stream=None)[0].tolist() == list(range(0, 100, 2))
    at, unused = draw(LEFT, 50, stream=Stream("x"))
    again, _ = draw(LEFT, 50, stream=Stream("x"))
    assert at.tolist() == again.tolist() == sorted(set(at.tolist()))
    assert unused == {"surplus": 150} and set(at.tolist()) <= set(LEFT.tolist()) and at.max() > 300
    more, _ = draw(LEFT, 60, stream=Stream("x"))
    assert set(at.tolist()) < set(more.tolist())


@pytest.mark.parametrize("wanted", [200, 500])
def test_fewer_than_wanted_are_not_padded(wanted: int) -> None:
    for stream in (None, Stream("x")):
        at, unused = draw(LEFT, wanted, stream=stream)
        assert (at.tolist(), unused) == (LEFT.tolist(), {})
    at, unused = draw(LEFT[:0], wanted, stream=None)
    assert (at.tolist(), unused) == ([], {})
