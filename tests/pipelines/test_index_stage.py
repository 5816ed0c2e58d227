"""Indexes of the stage retrieve: words and vectors in shards; the same bytes for any number of workers, and after a kill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpora.retrieval.bm25_index import LexicalParams, build_lexical
from corpora.retrieval.embedding import build_dense
from corpora.retrieval.index import open_searcher
from corpora.retrieval.models import DenseParams
from corpora.stores.passages.store import Passages
from haymaker.core.errors import EnvironmentProblem, ParamsError
from pipelines import stages
from pipelines.project import Project
from pipelines.stages import index
from tests.corpora.retrieval import small_models
from tests.errors import refused
from tests.extras import needs
from tests.pipelines import tiny, tiny_bare

pytestmark = needs("embed-cpu", "sentence_transformers")
SHARD = 32


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_models.encoder(tmp_path_factory.mktemp("models") / "model")


def project(root: Path, model: Path, articles: int = 30, **dense: Any) -> Project:
    """A project with a corpus of three passages an article."""
    files = root / "files"
    files.mkdir(parents=True)
    texts = small_models.texts(15 * articles)
    lines = [
        {"wikipedia_id": str(i), "wikipedia_title": f"T{i}", "text": [f"T{i}\n", *(f"{t}.\n" for t in texts[15 * i : 15 * i + 15]), f"End {i}.\n"]}
        for i in range(articles)
    ]  # fmt: skip
    (files / "kilt_knowledgesource.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    prepared = tiny_bare.make(
        root / "project",
        **{
            "sources.wiki": {"kind": "kilt_wikipedia", "url": files.as_uri()},
            "passages": {"wiki100": {"source": "wiki", "cut": {"words": 50, "min_words": 5}}},
            "indexes": {"wiki100": indexes(model, **dense)},
        },
    )
    tiny.run(prepared, "download", "prepare")
    return prepared


def indexes(model: Path | str, **dense: Any) -> dict[str, Any]:
    return {
        "lexical": {},
        "dense": {"model": str(model), "dimensions": 16, "shard_passages": SHARD, "batch": 8} | dense,
    }


def changed(prepared: Project, index: dict[str, Any], **release: str) -> Project:
    """The same project with other parameters of its index, and of the release."""
    values = yaml.safe_load((prepared.root / "params.yaml").read_text())
    tiny.write_params(prepared.root, values | {"indexes": {"wiki100": index}, "release": values["release"] | release})
    return Project(prepared.root)


def shards(prepared: Project) -> dict[str, int]:
    """Finished shards of vectors in the work folder -> inode: another one was made anew."""
    found = (prepared.work / "index").glob("wiki100-dense-*/shard-*/vectors-*.f16")
    return {path.name: path.stat().st_ino for path in found}


def test_the_stage_makes_what_the_parts_make_alone(tmp_path: Path, model: Path) -> None:
    prepared = project(tmp_path, model)
    stages.run(prepared, "retrieve")
    store, folder = Passages(prepared.data / "corpora/wiki100"), prepared.data / "indexes/wiki100"
    (tmp_path / "lexical").mkdir()
    build_lexical(store, tmp_path / "lexical", LexicalParams())
    build_dense(store, tmp_path / "dense", DenseParams(**indexes(model)["dense"]))
    for part in ("lexical", "dense"):
        assert tiny.digests(tmp_path, part) == tiny.digests(folder, part)
    report = json.loads((prepared.counts / "retrieve/indexes/wiki100/counts.json").read_text())
    assert (report["passages"], report["dense"]["shards"]) == (len(store), -(-len(store) // SHARD))
    for retriever in ("lexical", "dense", "hybrid", "random"):
        (hits,) = open_searcher(folder, store, retriever).search(["T3"], 4)
        assert len(hits.passages) == 4


def test_only_what_a_change_decides_is_built_again(tmp_path: Path, model: Path) -> None:
    """The same parameters, or those of before, build nothing; other words, another backend or query prefix embed nothing; another batch size does."""
    prepared = project(tmp_path, model)
    stages.run(prepared, "retrieve")
    vectors, (kept,) = shards(prepared), (prepared.work / "inputs/indexes").iterdir()
    before = kept.stat()
    stages.run(changed(prepared, indexes(model), title="Renamed"), "retrieve")
    assert kept.stat() == before
    ivfpq = {"backend": "faiss_ivfpq", "ivfpq": {"lists": 4, "codes": 4, "probes": 4, "train": 256}}
    with refused(ParamsError, "indexes.wiki100.dense.ivfpq.lists", 4, 256, 120):
        stages.run(changed(prepared, indexes(model, **ivfpq)), "retrieve")
    for other in (
        indexes(model, backend="faiss_flat", query_prefix="river "),
        indexes(model) | {"lexical": {"k1": 1.4}},
        indexes(model) | {"lexical": None},
        indexes(model),
    ):
        stages.run(changed(prepared, other), "retrieve")
        assert shards(prepared) == vectors
    assert len(list((prepared.work / "inputs/indexes").iterdir())) == 4
    assert kept.stat() == before
    stages.run(changed(prepared, indexes(model, batch=4)), "retrieve")
    assert shards(prepared).keys() == vectors.keys() and shards(prepared) != vectors


def test_every_process_takes_a_gpu_of_its_own(tmp_path: Path) -> None:
    take = index._device.__wrapped__  # as a process that has none yet
    assert take(tmp_path, 0) == "cpu"
    assert [take(tmp_path, 2), take(tmp_path, 2)] == ["cuda:0", "cuda:1"]
    with refused(EnvironmentProblem, "", 2, "GPUs"):
        take(tmp_path, 2)
