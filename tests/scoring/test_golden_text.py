"""The functions beneath the metrics, value by value: golden_text.json has all that docs/spec/helmet.md 11 gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.text import english_grammar
from haymaker.scoring import official_text, reader
from haymaker.scoring.metrics import alce, ndcg, rouge

CASES = json.loads(Path(__file__).with_name("golden_text.json").read_text(encoding="utf-8"))
FUNCTIONS = (
    vars(english_grammar) | vars(reader) | vars(official_text) | {"rouge_l": rouge.rouge_l} | vars(ndcg) | vars(alce)
)
QRELS = {"1": 3, "2": 2, "3": 0, "4": 1, "5": 0}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['function']}-{case['arguments'][0]}")
def test_text(case: dict[str, Any]) -> None:
    got = FUNCTIONS[case["function"]](*case["arguments"])
    assert got == (pytest.approx(case["expected"], abs=1e-12) if isinstance(got, float) else case["expected"])


@pytest.mark.parametrize(
    ("ranking", "expected"), [("1 2 4 3 5", 1.0), ("5 3 4 2 1", 0.52961), ("9 1 2", 0.60749), ("2", 0.42), ("", 0.0)]
)
def test_ndcg(ranking: str, expected: float) -> None:
    assert ndcg.ndcg(ranking.split(), QRELS) == pytest.approx(expected, abs=5e-6)


def test_ndcg_looks_at_ten_ranks_and_at_all_ids_shown() -> None:
    qrels = {str(i): 3 if i < 20 else 0 for i in range(50)}
    five = [str(i) for i in range(5)]
    assert ndcg.ndcg(five, qrels) == pytest.approx(0.64893, abs=5e-6)
    wrong = [str(i) for i in range(20, 30)]
    assert ndcg.ndcg([*wrong, *five], qrels) == 0.0
    assert ndcg.ndcg([*wrong[:9], *five], qrels) == ndcg.ndcg([*wrong[:9], "0"], qrels) > 0
