"""Mined sets of the stage retrieve, from KILT's own forms to the mined file: exact contents, any number of workers, killed and resumed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from corpora.stores.mined import Mined
from corpora.stores.passages.store import Passages, unit
from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import read_json, sha256_file
from haymaker.core.rng import Stream
from haymaker.core.text.strings import holds, padded
from pipelines import stages
from pipelines.project import Project
from pipelines.stages import inputs, mine, records
from tests.corpora.retrieval.small_models import encoder
from tests.errors import refused
from tests.pipelines import tiny, tiny_bare

ARTICLES = 120
PLAIN = ["river", "stone", "wheel", "flour", "valley"] + [
    f"plain{i}" for i in range(400)
]  # each in a fifth of the passages
SET = {
    "questions": "qa", "set": "nq", "passages": "wiki100", "retriever": "lexical", "top_k": 300, "num_negatives": 60,
    "count": {"test": 30, "train": 5},
}  # fmt: skip


def name(number: int) -> str:
    return (
        "".join(("Ba", "Ce", "Di", "Fo", "Gu")[int(digit) % 5] + "rlsn"[int(digit) % 4] for digit in f"{number:03d}")
        + "os"
    )


def article(number: int) -> dict[str, Any]:
    """Four paragraphs of some 60 words: one names the builder of the mill, one the mill's neighbour."""
    draw = Stream("article", number)
    texts = [" ".join(draw.choice(PLAIN) for _ in range(60)) + "." for _ in range(4)]
    fact = f"The mill of Town {number} was built by {name(number)} in a dry summer."
    near = f"The mill of Town {(number + 1) % ARTICLES} stands near and was never built again."
    body = [texts[0], f"{fact} {texts[1]}", texts[2], f"{near} {texts[3]}"]
    return {
        "wikipedia_id": str(number),
        "wikipedia_title": f"Town {number}",
        "text": [f"Town {number}\n", *(f"{p}\n" for p in body)],
    }


def kilt_question(number: int, place: int | None = None) -> dict[str, Any]:
    provenance = [{"wikipedia_id": str(number if place is None else place), "title": "x", "start_paragraph_id": 2}]
    return {
        "id": f"q{number}", "input": f"Who built the stone mill in the river valley of Town {number}?",
        "output": [{"answer": name(number), "provenance": provenance}],
    }  # fmt: skip


def lines(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def project(root: Path) -> Project:
    """A project with a corpus and questions; 100 of them have gold, two point nowhere, one to another town."""
    files = root / "files"
    files.mkdir(parents=True)
    lines(files / "kilt_knowledgesource.json", *map(article, range(ARTICLES)))
    known = [*map(kilt_question, range(100)), kilt_question(100, 900), kilt_question(101, 901), kilt_question(102, 7)]
    lines(files / "nq-dev-kilt.jsonl", *known)
    lines(files / "nq-train-kilt.jsonl", *map(kilt_question, range(105, 118)))
    prepared = tiny_bare.make(
        root / "project",
        **{
            "sources.wiki": {"kind": "kilt_wikipedia", "url": files.as_uri()},
            "sources.qa": {"kind": "kilt_tasks", "url": files.as_uri(), "tasks": ["nq"]},
            "passages": {"wiki100": {"source": "wiki"}},
            "indexes": {"wiki100": {"lexical": {}}},
            "retrieval_sets": {"towns": SET},
        },
    )
    tiny.run_alone(prepared, "download", "prepare")
    return prepared


def change(root: Path, **changes: Any) -> Project:
    """The same project with other parameters of the set."""
    given = read_params(root)
    given["retrieval_sets"]["towns"] = SET | changes
    tiny.write_params(root, given)
    return Project(root)


def mine_with(prepared: Project, **changes: Any) -> Mined:
    """The set that these parameters give."""
    stages.run(change(prepared.root, **changes), "retrieve")
    return Mined(prepared.data / "retrieval_sets/towns.parquet")


def ids(mined: Mined) -> list[str]:
    return [each["question_id"] for each in mined.outline]


def read_params(root: Path) -> dict[str, Any]:
    from haymaker.core.files.yaml_file import read_yaml

    return read_yaml(root / "params.yaml")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """To be read only."""
    prepared = project(tmp_path_factory.mktemp("mine"))
    tiny.run_alone(prepared, "retrieve")
    return prepared


@pytest.fixture
def prepared(built: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of the built project."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    shutil.copytree(built.root, tmp_path / "project")
    return Project(tmp_path / "project")


def outputs(given: Project) -> dict[str, str]:
    below = ("data/retrieval_sets", "data/counts/retrieve")
    return {name: sha256 for folder in below for name, sha256 in tiny.digests(given.root, folder).items()}


def again(given: Project) -> None:
    """Mine once more."""
    shutil.rmtree(given.work / "inputs/retrieval_sets")
    stages.run(Project(given.root), "retrieve")


def test_the_mined_file_holds_gold_and_clean_ranked_distractors(built: Project) -> None:
    mined, store = Mined(built.data / "retrieval_sets/towns.parquet"), Passages(built.data / "corpora/wiki100")
    assert [each["split"] for each in mined.outline] == ["test"] * 30 + ["train"] * 5
    for i, outlined in enumerate(mined.outline):
        question = mined.read(i)
        number = int(question.question_id[1:])
        assert question.answers == [name(number)]
        assert question.question == f"Who built the stone mill in the river valley of Town {number}?"
        gold, distractors = question.gold, question.distractors
        assert len(gold) == 1
        assert gold.article_id == [str(number)]
        assert f"built by {name(number)}" in " ".join(gold.text[0].split())
        assert gold.rank[0] is not None
        assert len(distractors) == outlined["num_distractors"] == (60 if question.split == "test" else 10)
        assert question.searched == len(distractors) + sum(question.removed.values())
        assert distractors.rank == sorted(set(distractors.rank))
        assert distractors.score == sorted(distractors.score, reverse=True)
        assert len(set(distractors.text)) == len(distractors)
        assert gold.passage_id[0] not in distractors.passage_id
        alias = [padded(name(number))]
        for title, text in zip(distractors.title, distractors.text, strict=True):
            assert not holds(padded(title), alias)
            assert not holds(padded(text), alias)
        for each in (gold, distractors):
            found = [store.by_id(passage_id) for passage_id in each.passage_id]
            assert each.text == [store.passage(at).text for at in found]
            assert each.tokens == store.tokens(found).T.tolist()
            counts = built.inputs.tokenizers[0].count_units(
                [unit(t, x) for t, x in zip(each.title, each.text, strict=True)]
            )
            assert each.tokens[0] == list(counts)


def test_report_metadata_and_figures(built: Project) -> None:
    report = read_json(built.counts / "retrieve/retrieval_sets/towns/counts.json")
    target = built.data / "retrieval_sets/towns.parquet"
    mined = Mined(target)
    record = records.read(built, "retrieve")
    assert record and record["files"]["data/retrieval_sets/towns.parquet"] == sha256_file(target) == mined.digest
    assert record["inputs"]["retrieval_sets/towns"]["result"]["summary"].startswith(mined.meta["summary"])
    assert report["asked"] == report["questions"] == {"test": 30, "train": 5}
    assert report["distractors"] == {"min": 60, "median": 60, "max": 60}
    assert report["short"] == 0
    questions = [mined.read(i) for i in range(35)]
    assert report["searched"] == sum(each.searched for each in questions)
    assert report["removed"]["gold"] == 35
    assert sum(report["removed"].values()) == report["searched"] - 30 * 60 - 5 * 10
    assert set(report["dropped"]) <= {"gold_not_in_corpus", "gold_without_answer"}
    assert mined.meta["retriever"]["retriever"] == "lexical"
    assert mined.meta["passages"]["digest"] == Passages(built.data / "corpora/wiki100").digest
    assert sorted(mined.meta["sources"]) == ["qa", "wiki"]
    assert "files" not in mined.meta["sources"]["qa"]
    assert mined.meta["summary"].startswith("30 test and 5 train questions, 60 to 60 distractors each, from ")
    assert mined.meta["short"] == {}
    rows = [
        line.split(",")
        for line in (built.counts / "retrieve/retrieval_sets/towns/similarity.csv").read_text().splitlines()
    ]
    assert rows[0] == ["kind", "rank", "passages", "score", "overlap"]
    figures = {(kind, rank): float(overlap) for kind, rank, _, _, overlap in rows[1:]}
    assert figures["mined", "0-9"] > figures["mined", "10-99"] > figures["random", "none"]
    assert min(figures["gold", "0-9"], figures["lexical", "0-9"]) > figures["random", "none"]
    assert sum(int(count) for kind, _, count, *_ in rows[1:] if kind == "gold") == 35


def test_questions_whose_gold_is_not_there_give_way_to_the_next(prepared: Project) -> None:
    stages.run(change(prepared.root, count={"test": 103}, num_negatives=20), "retrieve")
    report = read_json(prepared.counts / "retrieve/retrieval_sets/towns/counts.json")
    assert report["asked"] == {"test": 103}
    assert report["questions"] == {"test": 100}
    assert report["dropped"] == {"gold_not_in_corpus": 2, "gold_without_answer": 1}


def test_fewer_questions_and_those_that_are_left_out(prepared: Project) -> None:
    """Fewer questions are the first of more. The next one takes the place of a question that is left out by its id; an unknown id is a mistake."""
    before = ids(mine_with(prepared, count={"test": 12}))
    assert ids(mine_with(prepared, count={"test": 5})) == before[:5]
    after = ids(mine_with(prepared, count={"test": 11}, exclude_ids=[before[3]]))
    assert after == before[:3] + before[4:]
    assert (
        read_json(prepared.counts / "retrieve/retrieval_sets/towns/counts.json")["dropped"]["gold_read_as_wrong"] == 1
    )
    with refused(ParamsError, "retrieval_sets.towns.exclude_ids", "qa", "'t-none'", "test", "train"):
        stages.run(change(prepared.root, exclude_ids=["t-none"]), "retrieve")


def test_any_number_of_workers_and_any_size_of_shards_give_the_same_bytes(
    prepared: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = outputs(prepared)
    monkeypatch.setenv("HAYMAKER_WORKERS", "3")
    again(prepared)
    assert outputs(prepared) == expected
    assert list((prepared.work / "mine/retrieval_sets").iterdir()) == []
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    monkeypatch.setattr(mine, "SHARD_QUESTIONS", 7)
    monkeypatch.setattr(mine, "_MINED_TOGETHER", 3)
    again(prepared)
    assert outputs(prepared) == expected


@pytest.mark.parametrize(
    "step",
    [
        pytest.param("search-test-00000", marks=pytest.mark.slow),  # test_mining_kills.py kills this step too
        "mine-test-00000-00008",
    ],
)
def test_killed_it_goes_on_with_the_same_result(prepared: Project, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGKILL as soon as the first shard of a step is there; the next run takes up what is whole."""
    expected = outputs(prepared)
    shutil.rmtree(prepared.work / "inputs/retrieval_sets")
    command = [sys.executable, "-m", "haymaker.cli.main", "dev", "stage", "retrieve"]
    with subprocess.Popen(
        command, cwd=prepared.root, env=tiny.environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while process.poll() is None and not list((prepared.work / "mine/retrieval_sets").glob(f"towns-*/{step}")):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (prepared.data / "retrieval_sets/towns.parquet").exists()
    whole = {path: path.stat().st_mtime_ns for path in (prepared.work / "mine/retrieval_sets").glob("*/*/done.json")}
    assert any(path.parent.name == step for path in whole)
    monkeypatch.setattr(inputs, "forget_old", lambda *_: None)
    stages.run(Project(prepared.root), "retrieve")
    assert outputs(prepared) == expected
    assert {path: path.stat().st_mtime_ns for path in whole} == whole


def test_it_is_mined_again_only_when_something_that_decides_it_changes(prepared: Project) -> None:
    """Neither the title nor the rows of a release do; its seed, a rule and the words of the index do. Nothing half-done stays."""

    def kept() -> dict[str, int]:
        return {folder.name: folder.stat().st_ino for folder in (prepared.work / "inputs/retrieval_sets").iterdir()}

    given, first = read_params(prepared.root), kept()
    for changes, builds in (
        ({"release": given["release"] | {"title": "Renamed"}}, False),
        ({"suites": {"synthetic": {"tasks": {"qa_1": {"retrieval_set": "towns", "lengths": {"4k": 6}}}}}}, False),
        ({"release": given["release"] | {"seed": 8}}, True),
        ({"retrieval_sets": {"towns": SET | {"filter": {"near_duplicates": None}}}}, True),
        ({"indexes": {"wiki100": {"lexical": {"b": 0.5}}}}, True),
        ({}, False),
    ):
        before = kept()
        tiny.write_params(prepared.root, given | changes)
        stages.run(Project(prepared.root), "retrieve")
        assert before.items() <= kept().items() and len(kept()) == len(before) + builds
        assert list((prepared.work / "mine/retrieval_sets").iterdir()) == []
    assert first.items() <= kept().items()


def test_a_keyed_draw_and_drawn_passages(prepared: Project) -> None:
    ranks = mine_with(prepared, sample="keyed", count={"test": 3}).read(0).distractors.rank
    assert ranks == sorted(ranks)
    assert len(ranks) == 60
    assert max(rank for rank in ranks if rank is not None) > 100
    mined = mine_with(prepared, retriever="random", gold="retrieved", gold_depth=300, count={"test": 3})
    assert mined.meta["retriever"]["retriever"] == "random"
    assert {score for i in range(3) for score in mined.read(i).distractors.score} == {0.0}


def test_retrieved_gold_is_the_best_passage_with_an_answer(prepared: Project) -> None:
    mined = mine_with(prepared, gold="retrieved", count={"test": 20})
    for i in range(20):
        question = mined.read(i)
        alias = [padded(question.answers[0])]
        assert holds(padded(question.gold.text[0]), alias)
        assert question.gold.rank[0] == 0 or min(question.distractors.rank) == 0  # nothing better was passed over


def test_short_questions_are_reported_not_padded(prepared: Project) -> None:
    mined = mine_with(prepared, count={"test": 4}, top_k=50, num_negatives=50)
    report = read_json(prepared.counts / "retrieve/retrieval_sets/towns/counts.json")
    assert report["short"] == 4
    assert mined.meta["short"] == {each["question_id"]: each["num_distractors"] for each in mined.outline}
    assert all(each["num_distractors"] < 50 for each in mined.outline)
    assert mined.meta["summary"].endswith("; 4 questions have fewer than wanted")


def test_models_search(prepared: Project, tmp_path: Path) -> None:
    """Dense and fused retrieval, with a model of random weights."""
    given = read_params(prepared.root)
    dense = {"model": str(encoder(tmp_path / "encoder")), "dimensions": 16}
    tiny.write_params(prepared.root, given | {"indexes": {"wiki100": {"lexical": {}, "dense": dense}}})
    for retriever in ("dense", "hybrid"):
        mined = mine_with(prepared, retriever=retriever, count={"test": 2}, num_negatives=40)
        assert mined.meta["retriever"]["retriever"] == retriever
        for question in (mined.read(0), mined.read(1)):
            assert question.searched == len(question.distractors) + sum(question.removed.values()) == 300
        kinds = {
            line.split(",")[0]
            for line in (prepared.counts / "retrieve/retrieval_sets/towns/similarity.csv").read_text().splitlines()[1:]
        }
        assert kinds >= {"gold", "lexical", "random"}
