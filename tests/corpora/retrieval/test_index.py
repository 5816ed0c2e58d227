"""Opening retrievers: lexical, dense, hybrid and random over one store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpora.retrieval.bm25_index import LexicalParams, build_lexical
from corpora.retrieval.fusion import fuse
from corpora.retrieval.index import RETRIEVERS, open_searcher
from corpora.stores.passages.store import Passages
from tests.corpora.retrieval import small_models

TEXTS = small_models.texts(60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with a lexical part, and a dense one where the libraries are there."""
    built = tmp_path_factory.mktemp("index")
    (built / "wiki/lexical").mkdir(parents=True)
    build_lexical(small_models.store(built / "store", TEXTS), built / "wiki/lexical", LexicalParams())
    return built


@pytest.fixture(scope="module")
def dense(folder: Path) -> Path:
    pytest.importorskip("sentence_transformers", reason="NOT RUN: dense retrieval needs haymaker[embed-cpu]")
    from corpora.retrieval.embedding import build_dense
    from corpora.retrieval.models import DenseParams

    model = small_models.encoder(folder / "model")
    build_dense(Passages(folder / "store"), folder / "wiki/dense", DenseParams(model=str(model), dimensions=16))
    return folder


def test_fusion_adds_reciprocal_ranks() -> None:
    hits = fuse([np.array([4, 2, 9]), np.array([2, 7])])
    assert hits.passages.tolist() == [2, 4, 7, 9]  # 4 is first of one list, 7 second of the other, 9 third
    expected = [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63]
    assert hits.scores.tolist() == np.round(expected, 9).astype(np.float32).tolist()
    tied = fuse([np.array([8, 3]), np.array([3, 8])])
    assert tied.passages.tolist() == [3, 8]
    assert fuse([np.zeros(0, np.int64), np.zeros(0, np.int64)]).passages.tolist() == []


def test_every_retriever_keeps_the_contract(dense: Path) -> None:
    store, queries = Passages(dense / "store"), ["river tower", "comet", "no such word", "castle castle bridge"]
    marks = set()
    for name in RETRIEVERS:
        searcher = open_searcher(dense / "wiki", store, name)
        marks.add(str(searcher.fingerprint))
        assert searcher.fingerprint == open_searcher(dense / "wiki", store, name).fingerprint
        for query, hits, few in zip(queries, searcher.search(queries, 60), searcher.search(queries, 5), strict=True):
            assert len(set(hits.passages.tolist())) == len(hits.passages) == len(hits.scores)
            assert (hits.passages.dtype, hits.scores.dtype) == (np.int64, np.float32)
            assert (np.diff(hits.scores) <= 0).all()
            if name != "random":
                tied = np.flatnonzero(np.diff(hits.scores) == 0)
                assert (np.diff(hits.passages)[tied] > 0).all()
            assert few.passages.tolist() == hits.passages[:5].tolist()
            assert searcher.scores(query, hits.passages[:9]).tolist() == hits.scores[:9].tolist()
    assert len(marks) == len(RETRIEVERS) == 5


def test_hybrid_is_the_fusion_of_both(dense: Path) -> None:
    store = Passages(dense / "store")
    lexical, vectors, hybrid = (open_searcher(dense / "wiki", store, name) for name in ("lexical", "dense", "hybrid"))
    for query in ("river tower", "no such word"):
        (words,), (meaning,), (both,) = (s.search([query], 60) for s in (lexical, vectors, hybrid))
        expected = fuse([words.passages, meaning.passages])
        assert both.passages.tolist() == expected.passages.tolist()
    assert words.passages.tolist() == []  # no word is known: what is left is the other one's order
    assert both.passages.tolist() == meaning.passages.tolist()
    fresh = open_searcher(dense / "wiki", store, "hybrid")
    assert fresh.scores("no such word", both.passages[[5, 0]]).tolist() == both.scores[[5, 0]].tolist()
