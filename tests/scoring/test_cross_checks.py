"""Our few lines beside the packages that the reference scores with, where they are installed (docs/spec/helmet.md 11.1, 11.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.scoring.metrics.ndcg import ndcg
from haymaker.scoring.metrics.rouge import rouge_l

WORDS = "The|runner|running|ran|cats|Cat's|U.S.|in|1,200|été|flies|generalization|\n|-".split("|")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=30)


@given(prediction=TEXTS, gold=TEXTS)
def test_rouge_l_is_that_of_rouge_score(prediction: str, gold: str) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"], use_stemmer=True)
    expected = scorer.score(target=gold, prediction=prediction)["rougeL"].fmeasure
    assert rouge_l(prediction, gold) == pytest.approx(expected, abs=1e-12)


@given(
    grades=st.lists(st.integers(0, 3), min_size=1, max_size=30),
    ranking=st.lists(st.integers(0, 34), max_size=20, unique=True),
)
def test_ndcg_is_that_of_trec_eval(grades: list[int], ranking: list[int]) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = {str(i): grade for i, grade in enumerate(grades)}
    run = {str(i): float(len(ranking) - place) for place, i in enumerate(ranking)}
    measured = pytrec_eval.RelevanceEvaluator({"q": qrels}, {"ndcg_cut.10"}).evaluate({"q": run})
    expected = measured["q"]["ndcg_cut_10"] if run else 0.0
    assert ndcg([*run], qrels) == pytest.approx(expected, abs=1e-9)
