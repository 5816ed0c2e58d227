"""FAISS behind the same interface: the neighbours of exact search, and limits and mistakes said before work starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.embedding import finish
from corpora.retrieval.exact import Exact
from corpora.retrieval.faiss_flat import Flat, build_flat, flat_name, flat_ranges
from corpora.retrieval.faiss_search import IvfPq, build_ivfpq, check_faiss, check_ivfpq
from corpora.retrieval.models import DenseParams
from corpora.retrieval.vectors import INDEX_FILE, Vectors, shard_name, shard_ranges
from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError, EnvironmentProblem, ParamsError
from haymaker.core.params import parse
from tests.corpora.retrieval import small_models
from tests.corpora.retrieval.test_exact import brute, unit
from tests.errors import refused
from tests.extras import few, needs

pytestmark = needs("embed-cpu", "faiss", "sentence_transformers")
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
    store = small_models.store(folder / "store", [f"passage {i}" for i in range(N)])
    (folder / "dense").mkdir()
    built = unit("vectors", N, DIMENSIONS, 900).astype("<f2")
    for number, (first, last) in enumerate(shard_ranges(N, 300)):
        built[first:last].tofile(folder / "dense" / shard_name(number))
    finish(store, folder / "dense", params(), {"model": "made up"})
    build_ivfpq(Vectors(folder / "dense", store), params().ivfpq, folder / "dense" / INDEX_FILE)
    finish(store, folder / "dense", params(backend="faiss_ivfpq"), {"model": "made up"})
    return Vectors(folder / "dense", Passages(folder / "store"))


def exactly(vectors: Vectors, k: int) -> list[list[int]]:
    return [hits.passages.tolist() for hits in Exact(vectors).find(QUERIES, k)]


def flat(folder: Path, built: np.ndarray, shard: int, selected: int = 2048) -> Flat:
    """A flat backend over some vectors, as the index stage makes it."""
    store = small_models.store(folder / "store", [f"passage {i}" for i in range(len(built))])
    (folder / "dense").mkdir()
    built.astype("<f2").tofile(folder / "dense" / shard_name(0))
    given = parse(DenseParams, {"dimensions": built.shape[1], "shard_passages": len(built)}, where="dense")
    finish(store, folder / "dense", given, {"model": "made up"})
    found = Vectors(folder / "dense", store)
    for number, (first, last) in enumerate(flat_ranges(len(built), shard)):
        build_flat(found, first, last, folder / "dense" / flat_name(number))
    return Flat(found, shard, "cpu", selected)


def as_exact(backend: Flat, queries: np.ndarray, k: int) -> None:
    for hits, mine in zip(backend.find(queries, k), Exact(backend._vectors).find(queries, k), strict=True):
        assert hits.passages.tolist() == mine.passages.tolist()
        assert hits.scores.tolist() == mine.scores.tolist()


@pytest.mark.parametrize("kinds", [0, 900, 40])
def test_flat_shards_find_what_exact_search_finds_for_any_k(tmp_path: Path, kinds: int) -> None:
    backend = flat(tmp_path, unit("vectors", N, DIMENSIONS, kinds), shard=300, selected=64)
    for k in (1, 10, 64, 500, N):
        as_exact(backend, QUERIES, k)
    assert backend.limit()[0] == N


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


@pytest.mark.parametrize(("salt", "asked"), [(1, 4), (2, 1)])
def test_what_rounds_to_the_last_score_is_ranked_by_number(tmp_path: Path, salt: int, asked: int) -> None:
    """See test_exact: held against brute force, not against the other backend."""
    built, query = unit(f"close{salt}", 4000, 2), unit(f"asked{salt}", 20, 2)[asked]
    backend = flat(tmp_path, built, shard=4000)
    assert next(backend.find(query[None], 50)).passages.tolist() == brute(query, built.astype(np.float16), 50)[0]


def test_flat_files_are_plain_faiss_indexes(tmp_path: Path) -> None:
    import faiss

    backend = flat(tmp_path, unit("vectors", 700, DIMENSIONS), shard=300)
    read = [faiss.read_index(str(path)) for path in sorted((tmp_path / "dense").glob("*.faiss"))]
    assert [index.ntotal for index in read] == [300, 300, 100]
    assert np.array_equal(read[1].reconstruct(7), backend._vectors.take(np.array([307]))[0].astype(np.float32))


def test_ivfpq_looking_everywhere_finds_what_exact_search_finds(vectors: Vectors) -> None:
    found = [h.passages.tolist() for h in IvfPq(vectors, params().ivfpq, "cpu").find(QUERIES, 10)]
    assert found == exactly(vectors, 10)


def test_ivfpq_scores_are_exact_and_fewer_probes_find_less(vectors: Vectors) -> None:
    few = IvfPq(vectors, params(ivfpq=IVFPQ | {"probes": 1, "rescore": 2}).ivfpq, "cpu")
    mine = list(Exact(vectors).find(QUERIES, N))
    missed = 0
    for hits, all_of_them in zip(few.find(QUERIES, 50), mine, strict=True):
        true = dict(zip(all_of_them.passages.tolist(), all_of_them.scores.tolist(), strict=True))
        assert [true[p] for p in hits.passages.tolist()] == hits.scores.tolist()
        assert hits.scores.tolist() == sorted(hits.scores.tolist(), reverse=True)
        missed += len(set(all_of_them.passages[:50].tolist()) - set(hits.passages.tolist()))
    assert missed > 0


def test_the_approximate_index_is_the_same_when_built_again(vectors: Vectors, tmp_path: Path) -> None:
    build_ivfpq(vectors, params().ivfpq, tmp_path / INDEX_FILE)
    assert (tmp_path / INDEX_FILE).read_bytes() == (vectors.folder / INDEX_FILE).read_bytes()


def test_a_gpu_build_selects_2048_candidates_at_most(vectors: Vectors) -> None:
    approximate = IvfPq(vectors, params().ivfpq, "cpu")
    approximate._gpu = True
    assert approximate.limit() == (2048 // 20, "the limit of faiss-gpu (2,048 candidates)")


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
def test_a_gpu_gives_what_the_cpu_gives(tmp_path: Path) -> None:
    """Both backends; the approximate one with the default of 64 codes, trained and filled on the GPU."""
    built = unit("vectors", 5000, 128)
    backend = flat(tmp_path, built, shard=2500)
    as_exact(Flat(backend._vectors, 2500, "cuda:0"), unit("asked", 8, 128), 3000)
    given = params(ivfpq={"lists": 16, "probes": 16, "rescore": 20, "train": 5000}).ivfpq
    build_ivfpq(backend._vectors, given, tmp_path / "dense" / INDEX_FILE, "cuda:0")
    queries = unit("asked", 8, 128)
    found = [h.passages.tolist() for h in IvfPq(backend._vectors, given, "cuda:0").find(queries, 10)]
    assert found == [h.passages.tolist() for h in Exact(backend._vectors).find(queries, 10)]


def test_a_damaged_index_is_one_line(vectors: Vectors, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(vectors.folder, tmp_path / "dense")
    file = tmp_path / "dense" / INDEX_FILE
    file.write_bytes(b"no index at all" + file.read_bytes()[15:])
    harmed = Vectors(tmp_path / "dense", Passages(vectors.folder.parent / "store"))
    with refused(CorpusError, "dense/ivfpq.faiss", "damaged", fix="haymaker run"):
        list(IvfPq(harmed, params().ivfpq, "cpu").find(QUERIES, 5))


def test_a_vector_that_is_no_number_is_named(vectors: Vectors, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(vectors.folder, tmp_path / "dense")
    shard = np.fromfile(tmp_path / "dense" / shard_name(1), "<f2")
    shard[DIMENSIONS * 7] = np.nan
    shard.tofile(tmp_path / "dense" / shard_name(1))
    harmed = Vectors(tmp_path / "dense", Passages(vectors.folder.parent / "store"))
    with refused(CorpusError, "", 307, "NaN"):
        build_flat(harmed, 0, N, tmp_path / "flat.faiss")


@pytest.mark.parametrize("other", ["faiss_gpu", "faiss_gpu_cuvs"])
def test_two_builds_installed_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str) -> None:
    assert check_faiss().startswith("faiss-")
    for name in ("faiss_cpu", other):
        (tmp_path / f"{name}-1.15.1.dist-info").mkdir()
        (tmp_path / f"{name}-1.15.1.dist-info/METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.15.1\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    with refused(EnvironmentProblem, "", "faiss-cpu 1.15.1", f"{other.replace('_', '-')} 1.15.1", fix="pip uninstall"):
        check_faiss()


@pytest.mark.slow
def test_300_000_vectors_in_shards_of_10_000_and_ten_thousand_neighbours(tmp_path: Path) -> None:
    """The size that the limit of faiss-gpu would have kept from us; with clusters, so that shards do hide neighbours."""
    centres = unit("centres", 60, 128)
    built = centres[np.arange(300_000) // 5_000] + 0.8 * unit("around", 300_000, 128)
    built /= np.linalg.norm(built, axis=1, keepdims=True)
    backend = flat(tmp_path, built.astype(np.float32), shard=10_000)
    as_exact(backend, centres[:8], 10_000)
    assert backend.again > 0
