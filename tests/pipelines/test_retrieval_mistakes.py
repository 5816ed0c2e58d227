"""Mistakes around passages, indexes and mining, through the real program: one clear line, exit status 2, nothing half-written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipelines.project import Project
from pipelines.stages.stage_table import outs, record_file
from tests.corpora.retrieval import small_models
from tests.errors import Fix
from tests.extras import Once, needs
from tests.pipelines import tiny
from tests.reliability import mining_small

pytestmark = needs("embed-cpu", "sentence_transformers")
Says = Callable[..., None]
PASSAGES = 64
DENSE = {"model": "./model", "dimensions": 16, "shard_passages": 16, "batch": 8}
CHANGES: dict[str, Any] = {
    "sources.articles": {"kind": "articles_jsonl", "path": "texts/few.jsonl"},
    "sources.asked": {"kind": "questions_jsonl", "path": "texts/questions.jsonl"},
    "passages": {"pumps": {"source": "articles"}},
    "indexes": {"pumps": {"lexical": {}, "dense": DENSE}},
    "retrieval_sets": {
        "asked": {
            "questions": "asked", "set": "user", "passages": "pumps", "retriever": "lexical",
            "count": {"test": 12, "train": 4}, "top_k": 40, "num_negatives": 20,
        }
    },
    "suites.helmet": {"tasks": {"kilt_nq": {"retrieval_set": "asked", "lengths": {"1k": 6}}}},
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(once: Once) -> Path:
    """A project with everything mined; to be read only."""
    return once("pumps", build)


def build(root: Path) -> None:
    mining_small.write_files(root, files=0, per_file=0, test=12, train=4)
    small_models.encoder(root / "model")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        tiny.run_alone(tiny.make(root, **CHANGES), "download", "prepare", "retrieve")


@pytest.fixture
def project(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of the finished project, with its links to finished shards, to be damaged; the current folder."""
    subprocess.run(["cp", "-a", str(finished), str(tmp_path / "project")], check=True)
    monkeypatch.chdir(tmp_path / "project")
    return Project(tmp_path / "project")


@pytest.fixture
def says(project: Project) -> Says:
    """The one line of a stage with parameters changed; what other stages built stays as it was."""

    def run(stage: str, *held: object, fix: Fix = "", **changes: Any) -> None:
        tiny.write_params(project.root, tiny.params(**CHANGES, **changes))
        own = [project.data / "work", *outs(project, stage), record_file(project, stage)]

        def others() -> dict[str, str]:
            found = tiny.digests(project.root, "data").items()
            return {n: sha for n, sha in found if not any((project.data / n).is_relative_to(each) for each in own)}

        before = others()
        tiny.one_line(tiny.called(project.root, "dev", "stage", stage), *held, fix=fix)
        assert others() == before
        assert not tiny.leftovers(project.root)

    return run


def test_wrong_parameters(tmp_path: Path) -> None:
    for number, (key, value, held, fix) in enumerate((
        ("passages.pumps.source", "articels", ("passages.pumps.source", "articels"), "articles"),
        ("passages.pumps.source", "asked", ("passages.pumps.source", "asked", "questions_jsonl"), ""),
        ("indexes.pumps.dense", {"model": "a/b", "dimensions": 4}, ("indexes.pumps: dense", "a/b", "revision", 40), ""),
        ("retrieval_sets.asked.num_negatives", 50, ("retrieval_sets.asked", "top_k", "num_negatives"), ""),
        ("suites.helmet.tasks.kilt_nq.retrieval_set", None, ("suites.helmet.tasks.kilt_nq: retrieval_set",), ""),
    )):  # fmt: skip
        root = tiny.make(tmp_path / str(number), **CHANGES, **{key: value}).root
        tiny.one_line(tiny.called(root, "plan"), *held, fix=fix)
        assert not (root / "data").exists()


def articles(project: Project, *texts: str) -> None:
    records = [{"id": str(i), "title": "", "text": text} for i, text in enumerate(texts)]
    mining_small.lines(project.root / "texts/few.jsonl", records)


def test_passages_without_words(project: Project, says: Says) -> None:
    articles(project)
    says("download", "source articles")
    marks = "-- ... !! ?? -- ** ++ == ## %% -- ... ((( )))"
    for text in ("too short to be a passage", marks):
        articles(project, text)
        tiny.run(project, "download")
        says("prepare", "", "no passage", fix="passages.<name>.cut")
    articles(project, marks, mining_small.article(1)["text"])
    tiny.run(project, "download", "prepare")
    report = json.loads((project.counts / "prepare/passages/pumps/counts.json").read_text())
    assert (report["passages"], report["left_out"]["no_words"]) == (1, 1), "one among others is left out and counted"


def flip(path: Path) -> None:
    """One bit in the middle; size and name stay."""
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


STORE, MINED = "corpora/pumps/passages-00000.arrow", "retrieval_sets/asked.parquet"
INDEX = ("lexical/shard-00000.bm25", "lexical/meta.json", "dense/vectors-00001.f16", "dense/meta.json", "index.json")
INJURIES = {"flip": flip, "truncate": cut_short, "delete": Path.unlink}


@pytest.mark.parametrize("how", INJURIES)
def test_damage_to_what_is_built_is_mended_and_to_what_is_read_is_named(project: Project, says: Says, how: str) -> None:
    """Shards have the same bytes as outputs, by hard links: they are damaged too."""
    before = tiny.digests(project.root, "data/indexes") | tiny.digests(project.root, "data/retrieval_sets")
    for file in (*(f"indexes/pumps/{name}" for name in INDEX), MINED):
        INJURIES[how](project.data / file)
    tiny.run(project, "retrieve")
    assert tiny.digests(project.root, "data/indexes") | tiny.digests(project.root, "data/retrieval_sets") == before
    INJURIES[how](project.data / MINED)
    says("generate", f"data/{MINED}", fix="haymaker run")
    INJURIES[how](project.data / STORE)
    for key, value in (("indexes.pumps.lexical", {"b": 0.5}), ("retrieval_sets.asked.num_negatives", 10)):
        says("retrieve", f"data/{STORE}", fix="haymaker run", **{key: value})
