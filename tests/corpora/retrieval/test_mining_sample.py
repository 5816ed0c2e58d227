"""Which questions, which distractors; and the parameters of a set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from corpora.retrieval.mining.miner import draw, in_keyed_order
from corpora.retrieval.mining.params import MiningParams
from haymaker.core.errors import ParamsError
from haymaker.core.params import parse
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Question
from tests.errors import refused

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


def params(**changes: Any) -> dict[str, Any]:
    base = {"questions": "qa", "set": "nq", "passages": "wiki", "retriever": "lexical", "count": {"test": 5}}
    return base | {"top_k": 100, "num_negatives": 50} | changes


@pytest.mark.parametrize(
    ("changes", "values", "fix"),
    [
        ({"top_k": 40}, ("top_k", "num_negatives"), ""),
        ({"count": {}}, ("count", "split"), ""),
        ({"count": {"eval": 5}}, ("count.eval",), ""),
        ({"retriever": "bm25"}, ("retriever",), ""),
        ({"filter": {"alias": False}}, ("alias",), "'aliases'"),
        ({"filter": {"first_rank": 10, "last_rank": 10}}, ("last_rank", "first_rank"), ""),
        ({"filter": {"score_floor": 2, "score_ceiling": 1}}, ("score_ceiling", "score_floor"), ""),
        ({"filter": {"near_duplicates": 0.2}}, ("near_duplicates",), ""),
        ({"filter": {"cross_encoder": {"model": "./here"}}}, ("cross_encoder",), ""),
    ],
)
def test_mistakes_in_parameters_are_one_line(changes: dict[str, Any], values: tuple[str, ...], fix: str) -> None:
    with refused(ParamsError, "", *values, fix=fix) as error:
        parse(MiningParams, params(**changes), where="retrieval_sets.nq")
    assert error.value.where.startswith("retrieval_sets.nq")
