"""A question on its way from search to row, without the stage; which questions and which distractors are taken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.retrieval.bm25_index import Lexical, LexicalParams, build_lexical
from corpora.retrieval.index import open_searcher
from corpora.retrieval.mining.locate import NOT_IN_CORPUS, Located, locate, with_shown
from corpora.retrieval.mining.miner import Miner, draw, in_keyed_order
from corpora.retrieval.mining.params import MiningParams
from corpora.retrieval.mining.report import Outcome, report
from corpora.retrieval.mining.retrieved import NOT_RETRIEVED, to_search
from corpora.retrieval.mining.search import search
from corpora.retrieval.search import Searcher
from corpora.stores.mined import MinedQuestion
from corpora.stores.passages.store import Passages
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Evidence, Question
from tests.corpora.retrieval.mining_material import make_store, passage, question

PASSAGES = [
    passage(0, "The mill of Harl was built by Ada Brook.", "Harl"),
    passage(1, "The mill of Horl burnt down.", "Horl"),
    passage(2, "The mill of Hurl was sold to Cole.", "Hurl"),
    passage(3, "Ada Brook left the mill of Hirl.", "Hirl"),
    passage(4, "A church stands in Hyrl.", "Hyrl"),
    passage(5, "The mill and the church of Herl.", "Herl"),
    *(passage(i, f"Of other things {i}, here and there.", f"Other {i}") for i in range(6, 30)),
]
QUESTION = question("single", Evidence(passage_id="p0"), answers=("Ada Brook",), text="Who built the mill of Harl?")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Passages:
    return make_store(tmp_path_factory.mktemp("mining") / "store", PASSAGES)


@pytest.fixture(scope="module")
def lexical(store: Passages, tmp_path_factory: pytest.TempPathFactory) -> Lexical:
    folder = tmp_path_factory.mktemp("index") / "lexical"
    folder.mkdir()
    build_lexical(store, folder, LexicalParams())
    return Lexical(folder, store)


def params(**changes: Any) -> MiningParams:
    base = {"questions": "qa", "set": "s", "passages": "w", "retriever": "lexical", "count": {"test": 1}}
    return MiningParams(**base | {"top_k": 30, "num_negatives": 30} | changes)


def searched(located: Located, store: Passages, searcher: Searcher, depth: int = 30) -> dict[str, Any]:
    random = open_searcher(Path("nowhere"), store, "random")
    return next(search([located], searcher, {"lexical": searcher, "random": random}, depth, len(store)))


def mined_of(
    located: Located, row: dict[str, Any], store: Passages, **changes: Any
) -> tuple[MinedQuestion, Located, Any]:
    """The question with its passages, with what was found of it, and the figures; it is not left out."""
    mined, after, figures = Miner(params(**changes), 1, "set", store).mine(located, row)
    assert mined is not None
    return mined, after, figures


def test_gold_that_was_not_found_has_a_score_and_no_rank(store: Passages, lexical: Lexical) -> None:
    located = locate(
        question("single", Evidence(passage_id="p3"), answers=("Ada Brook",), text="church of Herl"), store
    )
    mined, _, figures = mined_of(located, searched(located, store, lexical, depth=1), store)
    assert mined.gold.rank == [None]
    assert mined.gold.score == lexical.scores("church of Herl", np.array([3])).tolist()
    assert figures["gold,none"][0] == 1


def test_judged_passages_are_gold_and_hits_that_were_not_judged_are_distractors(
    store: Passages, lexical: Lexical
) -> None:
    pieces = [Evidence(passage_id=f"p{i}", grade=grade) for i, grade in ((5, 1), (0, 3), (4, 0))]
    located = locate(question("search", *pieces, text="mill of Harl"), store)
    mined, *_ = mined_of(located, searched(located, store, lexical), store)
    assert (mined.gold.passage_id, mined.gold.grade) == (["p0", "p5", "p4"], [3, 1, 0])
    assert not set(mined.gold.passage_id) & set(mined.distractors.passage_id)
    assert set(mined.distractors.grade) == {None}
    assert "p3" in mined.distractors.passage_id  # there is no answer that it could hold


def test_retrieved_gold_is_looked_for_in_the_first_hits_alone(store: Passages, lexical: Lexical) -> None:
    asked = question("trivia", answers=("Cole",), text="mill Harl Horl", subject="Hurl")
    located = to_search(asked)
    row = searched(located, store, lexical)
    place = row["passages"].tolist().index(2)
    assert place > 0
    mined, after, _ = mined_of(located, row, store, gold="retrieved", gold_depth=place + 1)
    assert (mined.gold.passage_id, mined.gold.rank) == (["p2"], [place])
    assert mined.gold.score == [float(row["scores"][place])]
    assert after.dropped == ""
    none, after, _ = Miner(params(gold="retrieved", gold_depth=place), 1, "set", store).mine(located, row)
    assert (none, after.dropped) == (None, NOT_RETRIEVED)


def test_who_says_that_gold_is_gold(store: Passages, lexical: Lexical) -> None:
    """The publisher, the verifier, those who graded, or what wrote it; nobody where there is no gold."""
    searched_for = to_search(replace(QUESTION, evidence=(), subject="Harl"))
    judged = locate(question("search", Evidence(passage_id="p5", grade=1), text="mill of Harl"), store)
    absent = Located(question("absent", text="Who built the mill of Horl?"))
    stated = replace(locate(QUESTION, store), question=replace(QUESTION, relation="builder"))
    for located, gold, expected in (
        (locate(QUESTION, store), "provenance", "provenance"),
        (stated, "provenance", "subject"),
        (searched_for, "retrieved", "subject"),
        (judged, "provenance", "judged"),
        (absent, "provenance", ""),
    ):
        row = searched(located, store, lexical)
        for simulated in (False, True):
            mined, *_ = Miner(params(gold=gold), 1, "set", store, simulated=simulated).mine(located, row)
            assert mined is not None
            assert mined.gold_source == ("simulated" if simulated and expected else expected)


def test_bridges_that_one_hop_answers_are_counted() -> None:
    found, facts = Outcome("test", 9), {"dropped": "", "missing": 0, "figures": {}, "removed": {}, "searched": 5}
    ranks = {"a": 0, "b": 4, "c": 5, "d": None}
    found.take([{"id": name, "distractors": 5, "answer_rank": rank} | facts for name, rank in ranks.items()], Path("a"))
    assert report([found], params())["bridges"] == {"questions": 4, "answer_first": 1, "single_hop": 2}


# ---------------------------------------------------------------------------------------- what publishers show


def pieces(*numbers: int) -> tuple[Evidence, ...]:
    return tuple(Evidence(title=PASSAGES[i].title, text=PASSAGES[i].text) for i in numbers)


def test_what_the_publisher_shows_stands_first_in_its_order(store: Passages, lexical: Lexical) -> None:
    """20 is found by no search, 3 holds the answer, 0 is gold, one is not in the corpus."""
    shown = (*pieces(20, 3, 2, 0), Evidence(title="Nowhere", text="Nothing."), *pieces(5, 20))
    located = locate(replace(QUESTION, shown=shown), store)
    row = searched(located, store, lexical)
    found = row["passages"].tolist()
    assert 20 not in found
    plain, *_ = mined_of(located, row, store)
    mined, after, figures = mined_of(located, row, store, include_released_passages=True)
    assert (plain.shown, mined.shown) == (0, 3)
    rest = [name for name in plain.distractors.passage_id if name not in ("p2", "p5")]
    assert mined.distractors.passage_id == ["p20", "p2", "p5", *rest]
    assert mined.distractors.rank[:3] == [None, found.index(2), found.index(5)]
    assert mined.distractors.score[:3] == [None, *(float(row["scores"][found.index(i)]) for i in (2, 5))]
    assert mined.removed == {"alias": 1, "gold": 1}
    assert mined.searched == len(found) + 1 == len(mined.distractors) + sum(mined.removed.values())
    assert (mined.gold.rank, mined.gold.score) == (plain.gold.rank, plain.gold.score)
    assert (after.shown, after.unknown) == ((20, 3, 2, 0, 5), 1)
    assert figures["mined,0-9"][0] == len(rest)


def test_ranks_and_scores_do_not_take_out_what_the_publisher_shows(store: Passages, lexical: Lexical) -> None:
    located = locate(replace(QUESTION, shown=pieces(20, 1, 2)), store)
    row = searched(located, store, lexical)
    rules = {"first_rank": 1000, "score_floor": 1000.0, "margin": 1000.0, "relative_margin": 1.0}
    mined, *_ = mined_of(located, row, store, include_released_passages=True, filter=rules)
    assert mined.distractors.passage_id == ["p20", "p1", "p2"]
    few, *_ = mined_of(located, row, store, include_released_passages=True, num_negatives=2, sample="keyed")
    assert (few.distractors.passage_id, few.shown) == (["p20", "p1"], 2)
    assert few.removed["surplus"] == few.searched - 2 - few.removed["gold"] - few.removed["alias"]


def test_of_whole_articles_the_title_decides(tmp_path: Path) -> None:
    """Texts of two days differ; a title that two articles have says nothing."""
    given = [passage(0, "The mill, as it was said later.", "Harl"), *(passage(i, f"No {i}.", "Two") for i in (1, 2))]
    asked = (Evidence(title="Harl", text="The old text."), Evidence(title="Two", text="Other."), Evidence(title="Hirl"))
    query = question("bridge", asked[0], answers=("mill",), shown=asked)
    for rule, found in (("whole", ([0], (0,), 2)), ("blocks", ([], (), 3))):
        corpus = make_store(tmp_path / rule, given, cut={"rule": rule})
        located = with_shown(locate(query, corpus), corpus)
        assert ([gold.passage for gold in located.gold], located.shown, located.unknown) == found
    assert locate(query, corpus).dropped == NOT_IN_CORPUS


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
