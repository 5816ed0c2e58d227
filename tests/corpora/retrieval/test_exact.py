"""Exact search: the neighbours of brute force in double precision, for any blocks, shards and k. FAISS behind the same interface finds them too."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from hashlib import shake_256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora.retrieval.embedding import finish
from corpora.retrieval.exact import Exact, exact_search, ranked
from corpora.retrieval.faiss_flat import Flat, build_flat, flat_name, flat_ranges
from corpora.retrieval.faiss_search import IvfPq, build_ivfpq, check_ivfpq
from corpora.retrieval.models import DenseParams
from corpora.retrieval.vectors import INDEX_FILE, Vectors, shard_name
from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError, ParamsError
from haymaker.core.params import parse
from tests.corpora.retrieval import small_models
from tests.errors import refused
from tests.extras import few, needs

pytestmark = needs("embed-cpu", "faiss", "sentence_transformers", "torch")


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
def test_what_rounds_to_the_last_score_is_ranked_by_number(tmp_path: Path, salt: int, asked: int) -> None:
    """In two dimensions rounding to millionths is coarser than single precision: the 51st of these rounds to the 50th and comes before it."""
    vectors, query = unit(f"close{salt}", 4000, 2).astype(np.float16), unit(f"asked{salt}", 20, 2)[asked]
    expected = brute(query, vectors, 50)
    assert found(query[None], vectors, 50, 4000) == [expected]
    assert found(query[None], vectors, 50, 500, half=True) == [expected]
    assert ranked(query, np.arange(4000), vectors, 50).passages.tolist() == expected[0]
    backend = flat(tmp_path, unit(f"close{salt}", 4000, 2), shard=4000)
    assert next(backend.find(query[None], 50)).passages.tolist() == expected[0]


def test_twenty_thousand_neighbours_without_a_limit() -> None:
    vectors, queries = unit("wide", 24_000, 4).astype(np.float16), unit("one", 2, 4)
    (whole,), (parts,) = found(queries[:1], vectors, 20_000, 24_000), found(queries[:1], vectors, 20_000, 1000)
    assert len(set(whole[0])) == 20_000
    assert whole == parts == brute(queries[0], vectors, 20_000)
    assert found(queries, vectors, 20_000, 1000)[0] == whole  # the other query changes nothing


@pytest.mark.gpu
def test_a_gpu_gives_the_same() -> None:
    vectors, queries = unit("many", 9000, 64, 3000).astype(np.float16), unit("asked", 70, 64)
    for k in (10, 4000):
        assert found(queries, vectors, k, 2048, "cuda:0") == found(queries, vectors, k, 9000, "cpu")


N, DIMENSIONS = 2000, 32
IVFPQ = {"lists": 16, "codes": 16, "probes": 16, "rescore": 20, "train": 1500}
QUERIES = unit("asked", 8, DIMENSIONS)


def params(**changes: Any) -> DenseParams:
    given = {"dimensions": DIMENSIONS, "shard_passages": 300, "ivfpq": IVFPQ} | changes
    return parse(DenseParams, given, where="dense")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Vectors:
    """2,000 vectors of 900 kinds in shards of 300, with an approximate index."""
    folder = tmp_path_factory.mktemp("faiss")
    made = small_models.vectors(folder, unit("vectors", N, DIMENSIONS, 900), params())
    build_ivfpq(made, params().ivfpq, folder / "dense" / INDEX_FILE)
    store = Passages(folder / "store")
    finish(store, folder / "dense", params(backend="faiss_ivfpq"), {"model": "made up"})
    return Vectors(folder / "dense", store)


def flat(folder: Path, built: np.ndarray, shard: int, selected: int = 2048) -> Flat:
    """A flat backend over some vectors, as the index stage makes it."""
    given = parse(DenseParams, {"dimensions": built.shape[1], "shard_passages": len(built)}, where="dense")
    found = small_models.vectors(folder, built, given)
    for number, (first, last) in enumerate(flat_ranges(len(built), shard)):
        build_flat(found, first, last, folder / "dense" / flat_name(number))
    return Flat(found, shard, "cpu", selected)


def as_exact(backend: Flat, queries: np.ndarray, k: int) -> None:
    for hits, mine in zip(backend.find(queries, k), Exact(backend._vectors).find(queries, k), strict=True):
        assert hits.passages.tolist() == mine.passages.tolist()
        assert hits.scores.tolist() == mine.scores.tolist()


def test_neighbours_that_lie_in_one_shard_are_found_by_second_searches(tmp_path: Path) -> None:
    """500 copies of about the query, all in one shard of which one search may give 64."""
    built = unit("vectors", N, DIMENSIONS)
    built[600:1100] = QUERIES[0] + 0.01 * unit("near", 500, DIMENSIONS)
    built /= np.linalg.norm(built, axis=1, keepdims=True)
    backend = flat(tmp_path, built, shard=600, selected=64)
    as_exact(backend, QUERIES[:1], 400)
    assert backend.again > 0
    before = backend.again
    as_exact(backend, QUERIES[:1], 10)
    assert backend.again == before  # ten are far from all that a search may give


@few
@given(data=st.data())
def test_any_shards_any_selection_any_k(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    n = data.draw(st.integers(1, 150))
    built = unit(f"any {data.draw(st.integers(0, 9))}", n, 8, data.draw(st.integers(0, 9)))
    shard, selected = data.draw(st.integers(1, 160)), data.draw(st.integers(1, 40))
    backend = flat(tmp_path_factory.mktemp("flat"), built, shard, selected)
    as_exact(backend, unit("asked", 3, 8), data.draw(st.integers(1, n)))


def test_ivfpq_finds_what_exact_search_finds_where_it_looks(vectors: Vectors, tmp_path: Path) -> None:
    """Everywhere with all probes; fewer probes find less, with exact scores. Built again it is the same."""
    mine = list(Exact(vectors).find(QUERIES, N))
    everywhere = [h.passages.tolist() for h in IvfPq(vectors, params().ivfpq, "cpu").find(QUERIES, 10)]
    assert everywhere == [hits.passages[:10].tolist() for hits in mine]
    some = IvfPq(vectors, params(ivfpq=IVFPQ | {"probes": 1, "rescore": 2}).ivfpq, "cpu").find(QUERIES, 50)
    missed = 0
    for hits, exact in zip(some, mine, strict=True):
        true = dict(zip(exact.passages.tolist(), exact.scores.tolist(), strict=True))
        assert [true[p] for p in hits.passages.tolist()] == hits.scores.tolist()
        assert hits.scores.tolist() == sorted(hits.scores.tolist(), reverse=True)
        missed += len({*exact.passages[:50].tolist()} - {*hits.passages.tolist()})
    assert missed > 0
    build_ivfpq(vectors, params().ivfpq, tmp_path / INDEX_FILE)
    assert (tmp_path / INDEX_FILE).read_bytes() == (vectors.folder / INDEX_FILE).read_bytes()


@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({"codes": 5}, ("32 dimensions", "5 codes")),
        ({"lists": 1501}, ("1501 lists", 256, "1,501", "1,500")),
        ({"probes": 17}, ("17 probes", "16 lists")),
    ],
)
def test_settings_are_checked_before_work(changes: dict[str, int], values: tuple[object, ...]) -> None:
    with refused(ParamsError, "", *values):
        check_ivfpq(params(ivfpq=IVFPQ | changes).ivfpq, DIMENSIONS, N)


@pytest.mark.parametrize(
    ("changes", "key", "fix"), [({"codes": 128}, "codes", "96"), ({"lists": 4096, "probes": 4096}, "probes", "2048")]
)
def test_limits_of_faiss_gpu_are_checked_before_work(changes: dict[str, int], key: str, fix: str) -> None:
    wanted = params(ivfpq=IVFPQ | {"train": 5000} | changes).ivfpq
    check_ivfpq(wanted, 1536, 5000)
    with refused(ParamsError, "", f"ivfpq.{key}", changes[key], fix=fix):
        check_ivfpq(wanted, 1536, 5000, gpu=True)


@pytest.mark.gpu
def test_faiss_on_a_gpu_gives_what_exact_search_gives(tmp_path: Path) -> None:
    """Both backends; the approximate one with the default of 64 codes, trained and filled on the GPU."""
    built, queries = unit("vectors", 5000, 128), unit("asked", 8, 128)
    backend = flat(tmp_path, built, shard=2500)
    as_exact(Flat(backend._vectors, 2500, "cuda:0"), queries, 3000)
    given = parse(
        DenseParams,
        {"dimensions": 128, "ivfpq": {"lists": 16, "probes": 16, "rescore": 20, "train": 5000}},
        where="dense",
    )
    build_ivfpq(backend._vectors, given.ivfpq, tmp_path / "dense" / INDEX_FILE, "cuda:0")
    found = [h.passages.tolist() for h in IvfPq(backend._vectors, given.ivfpq, "cuda:0").find(queries, 10)]
    assert found == [h.passages.tolist() for h in Exact(backend._vectors).find(queries, 10)]


def test_a_damaged_index_and_a_vector_that_is_no_number_are_one_line(vectors: Vectors, tmp_path: Path) -> None:
    shutil.copytree(vectors.folder, tmp_path / "dense")
    index, shard = (tmp_path / "dense" / name for name in (INDEX_FILE, shard_name(1)))
    harmed = Vectors(tmp_path / "dense", Passages(vectors.folder.parent / "store"))
    index.write_bytes(b"no index at all" + index.read_bytes()[15:])
    with refused(CorpusError, "dense/ivfpq.faiss", "damaged", fix="haymaker run"):
        list(IvfPq(harmed, params().ivfpq, "cpu").find(QUERIES, 5))
    numbers = np.fromfile(shard, "<f2")
    numbers[DIMENSIONS * 7] = np.nan
    numbers.tofile(shard)
    with refused(CorpusError, "", 307, "NaN"):
        build_flat(harmed, 0, N, tmp_path / "flat.faiss")
