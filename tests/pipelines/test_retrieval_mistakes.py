"""Mistakes around passages, indexes and mining, through the real program: one clear line, exit status 2, nothing half-written."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from corpora.retrieval.index import open_searcher
from corpora.stores.passages.store import Passages
from haymaker.cli import main
from haymaker.core.errors import CorpusError
from pipelines.project import Project
from pipelines.stages.stage_table import outs, record_file
from tests.corpora.retrieval import small_models
from tests.errors import Fix, refused
from tests.extras import Once, needs
from tests.pipelines import tiny
from tests.reliability import mining_small

pytestmark = needs("embed-cpu", "sentence_transformers")
Says = Callable[..., str]
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


def others(project: Project, arguments: Sequence[str]) -> dict[str, str]:
    """Digests of all that a stage does not write."""
    own = [project.data / "work"]
    if arguments[0] == "dev":
        own += [*outs(project, arguments[2]), record_file(project, arguments[2])]
    found = tiny.digests(project.root, "data").items()
    return {name: sha for name, sha in found if not any((project.data / name).is_relative_to(each) for each in own)}


@pytest.fixture
def says(project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Says:
    """The one line of the program, run in this process with parameters changed; what other stages built stays as it was."""

    def run(*arguments: str, held: tuple[object, ...] = (), fix: Fix = "", **changes: Any) -> str:
        tiny.write_params(project.root, tiny.params(**CHANGES, **changes))
        monkeypatch.setattr("sys.argv", ["haymaker", *arguments])
        before = others(project, arguments)
        with pytest.raises(SystemExit) as stop:
            main.main()
        out, err = capsys.readouterr()
        line = tiny.one_line(subprocess.CompletedProcess([], int(stop.value.code or 0), out, err), *held, fix=fix)
        assert others(project, arguments) == before
        assert not tiny.leftovers(project.root)
        return line

    return run


# --------------------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("key", "value", "held", "fix"),
    [
        ("passages.pumps.source", "articels", ("passages.pumps.source", "articels"), "articles"),
        ("passages.pumps.source", "stories", ("passages.pumps.source", "stories", "simulated_babi"), ""),
        ("passages.pumps.source", "asked", ("passages.pumps.source", "asked", "questions_jsonl"), ""),
        ("passages.pumps.titels", True, ("passages.pumps: titels",), "titles"),
        ("passages.pumps.cut", {"rule": "words"}, ("passages.pumps: cut.rule",), ""),
        ("passages.books", {"source": "articles"}, ("passages.books", "books"), ""),
        ("indexes.pump", {"lexical": {}}, ("indexes", "pump"), "pumps"),
        ("indexes.pumps", {}, ("indexes.pumps", "lexical", "dense"), ""),
        ("indexes.pumps.lexical", {"b": 2}, ("indexes.pumps: lexical.b",), ""),
        ("indexes.pumps.dense", {"model": "minilm"}, ("indexes.pumps: dense.dimensions",), ""),
        ("indexes.pumps.dense", {"model": "a/b", "dimensions": 4}, ("indexes.pumps: dense", "a/b", "revision", 40), ""),
        ("retrieval_sets.asked.questions", "articles", ("retrieval_sets.asked.questions", "articles", "articles_jsonl"), ""),
        ("retrieval_sets.asked.set", "usre", ("retrieval_sets.asked.set", "usre"), "user"),
        ("retrieval_sets.asked.passages", "books", ("retrieval_sets.asked.passages", "books"), ""),
        ("retrieval_sets.asked.retriever", "bm25", ("retrieval_sets.asked: retriever", "dense", "hybrid", "random", "released"), ""),
        ("retrieval_sets.asked.num_negatives", 50, ("retrieval_sets.asked", "top_k", "num_negatives"), ""),
        ("retrieval_sets.asked.count", {}, ("retrieval_sets.asked", "count"), ""),
        ("retrieval_sets.asked.count", {"tets": 5}, ("retrieval_sets.asked: count.tets",), ""),
        ("retrieval_sets.asked.filter", {"first_rank": 5, "last_rank": 5}, ("retrieval_sets.asked: filter", "last_rank", "first_rank"), ""),
        ("suites.helmet.tasks.kilt_nq.retrieval_set", "aksed", ("suites.helmet.tasks.kilt_nq.retrieval_set", "aksed"), "asked"),
        ("suites.helmet.tasks.kilt_nq.retrieval_set", None, ("suites.helmet.tasks.kilt_nq: retrieval_set",), ""),
        ("suites.helmet.tasks.kilt_qn", {"retrieval_set": "asked"}, ("suites.helmet.tasks.kilt_qn",), "kilt_nq"),
        ("sources.asked.path", [], ("sources.asked: path", 1), ""),
    ],
)  # fmt: skip
def test_wrong_parameters(tmp_path: Path, key: str, value: Any, held: tuple[object, ...], fix: str) -> None:
    root = tiny.make(tmp_path, **CHANGES, **{key: value}).root
    tiny.one_line(tiny.called(root, "plan"), *held, fix=fix)
    assert not (root / "data").exists()


@pytest.mark.parametrize("retriever", ["dense", "hybrid"])
def test_a_retriever_without_its_index(tmp_path: Path, retriever: str) -> None:
    changes = {"indexes.pumps": {"lexical": {}}, "retrieval_sets.asked.retriever": retriever}
    root = tiny.make(tmp_path, **CHANGES | changes).root
    tiny.one_line(tiny.called(root, "plan"), "retrieval_sets.asked", retriever, "dense", fix="indexes.pumps.dense")


# ------------------------------------------------------------------------------------------------- articles, passages


def articles(project: Project, *texts: str) -> None:
    records = [{"id": str(i), "title": "", "text": text} for i, text in enumerate(texts)]
    mining_small.lines(project.root / "texts/few.jsonl", records)


def test_an_empty_corpus(project: Project, says: Says) -> None:
    articles(project)
    says("dev", "stage", "download", held=("source articles",))
    articles(project, "too short to be a passage")
    tiny.run(project, "download")
    says("dev", "stage", "prepare", held=("", "no passage"), fix="passages.<name>.cut")


def test_passages_without_words(project: Project, says: Says) -> None:
    marks = "-- ... !! ?? -- ** ++ == ## %% -- ... ((( )))"
    articles(project, marks)
    tiny.run(project, "download")
    says("dev", "stage", "prepare", held=("", "no passage"))
    articles(project, marks, mining_small.article(1)["text"])
    tiny.run(project, "download", "prepare")
    report = json.loads((project.counts / "prepare/passages/pumps/counts.json").read_text())
    assert (report["passages"], report["left_out"]["no_words"]) == (1, 1), "one among others is left out and counted"


def test_a_wrong_line_of_ones_own(project: Project, says: Says) -> None:
    with (project.root / "texts/questions.jsonl").open("a") as file:
        file.write('{"id": "x", "question": "Who?", "answer": ["y"]}\n')
    says("dev", "stage", "download", held=("files/questions.jsonl:17", "'answer'"), fix="'answers'")


# ---------------------------------------------------------------------------------------------------- models, vectors


def test_a_model_that_is_not_here(says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.utils import http_backoff

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(http_backoff.__kwdefaults__, "base_wait_time", 0.001)  # it asks six times
    dense = DENSE | {"model": "owner/name", "revision": "0" * 40}
    where = f"hf://owner/name@{dense['revision']}"
    says("dev", "stage", "retrieve", held=("", where), fix="network", **{"indexes.pumps.dense": dense})
    slip = DENSE | {"model": "./modle"}
    says("dev", "stage", "retrieve", held=("modle", "config.json"), fix="path", **{"indexes.pumps.dense": slip})


def test_vectors_of_another_length(says: Says) -> None:
    dense = DENSE | {"dimensions": 32}
    says("dev", "stage", "retrieve", held=("", "./model", 16, 32), fix="16", **{"indexes.pumps.dense": dense})


@pytest.mark.slow
def test_a_vector_that_holds_no_number(project: Project) -> None:
    """A model gone wrong: the passage is named, and the index of before is kept. A process of its own: this one has the model."""
    import torch
    from safetensors.torch import load_file, save_file

    file = project.root / "model/model.safetensors"
    weights = {name: torch.full_like(weight, float("nan")) for name, weight in load_file(file).items()}
    save_file(weights, file, metadata={"format": "pt"})
    before = tiny.digests(project.root, "data/work/inputs")
    tiny.one_line(tiny.haymaker(project.root, "dev", "stage", "retrieve"), "data/corpora/pumps", "'0-0'", "NaN")
    assert tiny.digests(project.root, "data/work/inputs") == before


def test_both_builds_of_faiss(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    for build in ("faiss_cpu-1.0.0", "faiss_gpu-1.0.0"):
        (tmp_path / f"fake/{build}.dist-info").mkdir(parents=True)
        name, version = build.replace("_", "-", 1).rsplit("-", 1)
        (tmp_path / f"fake/{build}.dist-info/METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    tiny.write_params(
        project.root, tiny.params(**CHANGES, **{"indexes.pumps.dense": DENSE | {"backend": "faiss_flat"}})
    )
    monkeypatch.syspath_prepend(str(tmp_path / "fake"))
    names = ("", "faiss-cpu 1.0.0", "faiss-gpu 1.0.0")
    tiny.one_line(tiny.called(project.root, "dev", "stage", "retrieve"), *names, fix="pip uninstall")


# -------------------------------------------------------------------------------------------------------------- damage


def flip(path: Path) -> None:
    """One bit in the middle; size and name stay."""
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


STORE = "corpora/pumps/passages-00000.arrow"
INDEX = ("lexical/shard-00000.bm25", "lexical/meta.json", "dense/vectors-00001.f16", "dense/meta.json", "index.json")
INJURIES = {"flip": flip, "truncate": cut_short, "delete": Path.unlink}


@pytest.mark.parametrize("how", INJURIES)
@pytest.mark.parametrize(
    ("file", "stage", "changes"),
    [
        (STORE, "retrieve", {"indexes.pumps.lexical": {"b": 0.5}}),
        (STORE, "retrieve", {"retrieval_sets.asked.num_negatives": 10}),
        ("retrieval_sets/asked.parquet", "generate", {}),
    ],
    ids=["index", "mine", "generate"],
)
def test_damage_is_named(
    project: Project, says: Says, file: str, stage: str, changes: dict[str, Any], how: str
) -> None:
    INJURIES[how](project.data / file)
    says("dev", "stage", stage, held=(f"data/{file}",), fix="haymaker run", **changes)


@pytest.mark.parametrize("how", INJURIES)
def test_a_damaged_index_or_set_is_built_again(project: Project, how: str) -> None:
    """Shards have the same bytes as outputs, by hard links: they are damaged too."""
    before = tiny.digests(project.root, "data/indexes") | tiny.digests(project.root, "data/retrieval_sets")
    for file in (*(f"indexes/pumps/{name}" for name in INDEX), "retrieval_sets/asked.parquet"):
        INJURIES[how](project.data / file)
    tiny.run(project, "retrieve")
    assert tiny.digests(project.root, "data/indexes") | tiny.digests(project.root, "data/retrieval_sets") == before


def test_a_part_of_the_index_that_is_not_built(project: Project) -> None:
    shutil.rmtree(project.data / "indexes/pumps/dense")
    with refused(CorpusError, "indexes/pumps", "dense", fix="`dense`"):
        open_searcher(project.data / "indexes/pumps", Passages(project.data / "corpora/pumps"), "dense")


@pytest.mark.parametrize("file", ["stages/.retrieve.json", "retrieval_sets/.asked.parquet"])
def test_what_a_killed_run_left_beside_set_and_record_goes(file: str, project: Project) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = project.data / f"{file}.{dead.pid}.haymaker.tmp"
    left.write_bytes(b"half of it")
    tiny.run(project, "retrieve")
    assert not left.exists()


# -------------------------------------------------------------------------------------------------------------- mining


@pytest.mark.parametrize("retriever", ["lexical", "dense", "hybrid", "random"])
def test_more_passages_than_the_corpus_has(says: Says, retriever: str) -> None:
    changes = {"retrieval_sets.asked.top_k": PASSAGES + 1, "retrieval_sets.asked.retriever": retriever}
    says("dev", "stage", "retrieve", held=("", PASSAGES + 1, PASSAGES), **changes)


def test_gold_that_is_not_in_the_corpus(project: Project, says: Says) -> None:
    records = [mining_small.question(i, "test" if i % 2 else "train") for i in range(500, 520)]
    mining_small.lines(project.root / "texts/questions.jsonl", records)
    tiny.run(project, "download")
    says("dev", "stage", "retrieve", held=("retrieval_sets.asked", 10, "test"), fix="passages.pumps")


def test_a_split_without_questions(says: Says) -> None:
    changes = {"retrieval_sets.asked.count": {"dev": 3, "train": 2}}
    says("dev", "stage", "retrieve", held=("retrieval_sets.asked", "'user'", "dev"), fix="dev", **changes)
