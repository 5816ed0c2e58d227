"""Vectors for a search on a GPU: the same ones whether they stay there or are streamed. Without a GPU the device is the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.exact import Exact, exact_search
from corpora.retrieval.models import DenseParams
from corpora.retrieval.on_device import OnDevice
from corpora.retrieval.vectors import Vectors
from haymaker.core.params import parse
from tests.corpora.retrieval import small_models
from tests.corpora.retrieval.test_exact import brute, unit
from tests.extras import needs

pytestmark = needs("embed-cpu", "torch")
N, DIMENSIONS = 700, 16
QUERIES = unit("asked", 5, DIMENSIONS)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Vectors:
    """700 vectors of 300 kinds in shards of 90."""
    params = parse(DenseParams, {"dimensions": DIMENSIONS, "shard_passages": 90}, where="dense")
    return small_models.vectors(tmp_path_factory.mktemp("on_device"), unit("vectors", N, DIMENSIONS, 300), params)


@given(rows=st.integers(1, 800), stay=st.booleans())
def test_blocks_are_all_vectors_in_order(vectors: Vectors, rows: int, stay: bool) -> None:
    blocks = list(OnDevice(vectors, "cpu", free_bytes=10**9 if stay else 0).blocks(rows))
    assert [first for first, _ in blocks] == list(range(0, N, rows))
    found = np.concatenate([block.numpy() for _, block in blocks])
    assert np.array_equal(found, vectors.take(np.arange(N)))


@pytest.mark.parametrize("stay", [True, False])
def test_a_search_finds_what_brute_force_finds(vectors: Vectors, stay: bool) -> None:
    held, stored = OnDevice(vectors, "cpu", free_bytes=10**9 if stay else 0), vectors.take(np.arange(N))
    for _ in range(2):
        hits = exact_search(QUERIES, held.blocks(128), 50, half=True)
        assert [h.passages.tolist() for h in hits] == [brute(query, stored, 50)[0] for query in QUERIES]


@pytest.mark.gpu
@pytest.mark.parametrize("free_bytes", [None, 0])
def test_a_gpu_finds_the_same(vectors: Vectors, free_bytes: int | None) -> None:
    held = OnDevice(vectors, "cuda:0", free_bytes)
    mine = [(h.passages.tolist(), h.scores.tolist()) for h in exact_search(QUERIES, held.blocks(128), 50, "cuda:0")]
    assert mine == [(h.passages.tolist(), h.scores.tolist()) for h in Exact(vectors).find(QUERIES, 50)]
