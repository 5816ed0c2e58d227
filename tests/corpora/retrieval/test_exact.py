"""Exact search: the same neighbours as brute force in double precision, for any blocks, shards and k."""

from __future__ import annotations

import math
from collections.abc import Iterator
from hashlib import shake_256

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora.retrieval import exact
from corpora.retrieval.exact import exact_scores, exact_search, pack, ranked, unpack
from haymaker.core.errors import CorpusError
from tests.errors import refused
from tests.extras import needs

pytestmark = needs("embed-cpu", "torch")


def unit(key: str, n: int, dimensions: int, kinds: int = 0) -> np.ndarray:
    """n unit vectors that the key decides; with `kinds`, only so many different ones."""
    different = kinds or n
    raw = np.frombuffer(shake_256(key.encode()).digest(4 * different * dimensions), "<u4").astype(np.float64)
    built = raw.reshape(different, dimensions) / 2**31 - 1
    built = built[(np.arange(n) * 7) % different]
    return (built / np.linalg.norm(built, axis=1, keepdims=True)).astype(np.float32)


def blocks(vectors: np.ndarray, rows: int) -> Iterator[tuple[int, np.ndarray]]:
    for first in range(0, len(vectors), rows):
        yield first, vectors[first : first + rows]


def brute(query: np.ndarray, vectors: np.ndarray, k: int) -> tuple[list[int], list[int]]:
    """Passages and scores in millionths: every product summed exactly, rounded, ties by number."""
    pairs = []
    for number, vector in enumerate(vectors):
        score = math.fsum(float(a) * float(b) for a, b in zip(query, vector, strict=True))
        pairs.append((-round(score * 1_000_000), number))
    best = sorted(pairs)[:k]
    return [number for _, number in best], [-score for score, _ in best]


def found(
    queries: np.ndarray, vectors: np.ndarray, k: int, rows: int, device: str = "cpu", half: bool | None = None
) -> list[tuple[list[int], list[int]]]:
    hits = exact_search(queries, blocks(vectors, rows), k, device, half=half)
    return [(h.passages.tolist(), np.rint(h.scores.astype(np.float64) * 1e6).astype(int).tolist()) for h in hits]


@given(
    n=st.integers(1, 120),
    rows=st.integers(1, 130),
    k=st.integers(1, 120),
    kinds=st.integers(0, 9),
    salt=st.integers(0, 99),
    half=st.booleans(),
)
@example(n=120, rows=7, k=119, kinds=1, salt=0, half=False)  # all alike: numbers alone decide
@example(n=120, rows=120, k=1, kinds=0, salt=1, half=True)
def test_any_block_size_gives_what_brute_force_gives(
    n: int, rows: int, k: int, kinds: int, salt: int, half: bool
) -> None:
    k = min(k, n)
    vectors = unit(f"vectors{salt}", n, 12, min(kinds, n)).astype(np.float16)
    queries = unit(f"queries{salt}", 3, 12)
    assert found(queries, vectors, k, rows, half=half) == [brute(query, vectors, k) for query in queries]


@pytest.mark.parametrize("k", [1, 5, 700, 3000])
def test_sorting_out_pairs_and_whole_products_agree(k: int) -> None:
    """k decides which way candidates are scored again; 96 vectors in one thousand of each kind make close calls common."""
    vectors, queries = unit("many", 3000, 48, 96).astype(np.float16), unit("asked", 2, 48)
    expected = [brute(query, vectors, k) for query in queries]
    assert found(queries, vectors, k, 3000) == expected
    assert found(queries, vectors, k, 256) == expected
    assert found(queries, vectors, k, 256, half=True) == expected
    assert [ranked(q, np.arange(3000), vectors, k).passages.tolist() for q in queries] == [p for p, _ in expected]


@pytest.mark.parametrize(("salt", "asked"), [(1, 4), (2, 1)])
def test_what_rounds_to_the_last_score_is_ranked_by_number(salt: int, asked: int) -> None:
    """In two dimensions rounding to millionths is coarser than single precision: the 51st of these rounds to the 50th and comes before it."""
    vectors, query = unit(f"close{salt}", 4000, 2).astype(np.float16), unit(f"asked{salt}", 20, 2)[asked]
    expected = brute(query, vectors, 50)
    assert found(query[None], vectors, 50, 4000) == [expected]
    assert found(query[None], vectors, 50, 500, half=True) == [expected]
    assert [ranked(query, np.arange(4000), vectors, 50).passages.tolist()] == [expected[0]]


def test_twenty_thousand_neighbours_without_a_limit() -> None:
    vectors, queries = unit("wide", 24_000, 4).astype(np.float16), unit("one", 2, 4)
    (whole,), (parts,) = found(queries[:1], vectors, 20_000, 24_000), found(queries[:1], vectors, 20_000, 1000)
    assert len(set(whole[0])) == 20_000
    assert whole == parts == brute(queries[0], vectors, 20_000)
    assert found(queries, vectors, 20_000, 1000)[0] == whole  # the other query changes nothing


def test_memory_is_bounded_when_all_vectors_are_alike() -> None:
    vectors, queries = unit("alike", 5000, 8, 1).astype(np.float16), unit("asked", 4, 8)
    import torch

    best = exact._Best(torch.from_numpy(queries), 10)
    for first, block in blocks(vectors, 100):
        best.add(first, torch.from_numpy(block))
        assert best._waiting <= 4 * 100  # nothing is held beyond a block
    assert [unpack(row).passages.tolist() for row in best.keys().numpy()] == [list(range(10))] * 4


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_vector_that_is_no_number_is_named(bad: float) -> None:
    vectors = unit("v", 50, 8).astype(np.float16)
    vectors[33, 2] = bad
    with refused(CorpusError, "", 33):
        found(unit("q", 2, 8), vectors, 5, 20)


def test_scores_of_given_passages_are_those_of_the_search() -> None:
    vectors, (query,) = unit("v", 90, 24).astype(np.float16), unit("q", 1, 24)
    (hits,) = exact_search(query[None], blocks(vectors, 90), 90)
    assert exact_scores(query, vectors[hits.passages]).tolist() == hits.scores.tolist()
    assert exact_scores(query, vectors[:0]).tolist() == []


@given(st.lists(st.tuples(st.integers(-1_100_000, 1_100_000), st.integers(0, 2**36)), unique=True, min_size=1))
def test_packed_ranks_keep_score_and_tie_rule(pairs: list[tuple[int, int]]) -> None:
    import torch

    scores, numbers = (
        torch.tensor([s / 1e6 for s, _ in pairs], dtype=torch.float64),
        torch.tensor([n for _, n in pairs]),
    )
    hits = unpack(pack(scores, numbers).sort(descending=True).values.numpy())
    expected = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
    assert hits.passages.tolist() == [number for _, number in expected]
    assert np.rint(hits.scores.astype(np.float64) * 1e6).tolist() == [score for score, _ in expected]


@pytest.mark.gpu
def test_a_gpu_gives_the_same() -> None:
    vectors, queries = unit("many", 9000, 64, 3000).astype(np.float16), unit("asked", 70, 64)
    for k in (10, 4000):
        assert found(queries, vectors, k, 2048, "cuda:0") == found(queries, vectors, k, 9000, "cpu")
