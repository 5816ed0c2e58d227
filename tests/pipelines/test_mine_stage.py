"""Stage mine, from KILT's own forms to the mined file: exact contents, any number of workers, killed and resumed."""

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

from corpora.retrieval.cross_encoder import CrossEncoderScorer
from corpora.retrieval.mining.params import ScreenParams
from corpora.stores.mined import Mined
from corpora.stores.passages.store import Passages, search_text, unit
from generators.inputs import Use
from haymaker.errors import CorpusError, ParamsError
from haymaker.files import read_json, sha256_file
from haymaker.rng import Stream
from haymaker.text import holds, padded
from pipelines import records, stages
from pipelines.project import Project
from pipelines.stages import mine
from tests.corpora.retrieval.small_models import cross_encoder, encoder
from tests.pipelines import tiny

ARTICLES = 120
PLAIN = [
    "river",
    "stone",
    "wheel",
    "flour",
    "valley",
    *(f"plain{i}" for i in range(400)),
]  # each in a fifth of the passages
SET = {
    "questions": "qa", "set": "nq", "passages": "wiki100", "retriever": "lexical", "depth": 300, "keep": 60,
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


def project(root: Path, dev: list[dict[str, Any]] | None = None, **changes: Any) -> Project:
    """A project with corpus, index and questions; 100 of them have gold, two point nowhere, one to another town."""
    files = root / "files"
    files.mkdir(parents=True)
    lines(files / "kilt_knowledgesource.json", *map(article, range(ARTICLES)))
    lines(
        files / "nq-dev-kilt.jsonl",
        *(
            dev
            or [
                *map(kilt_question, range(100)),
                kilt_question(100, 900),
                kilt_question(101, 901),
                kilt_question(102, 7),
            ]
        ),
    )
    lines(files / "nq-train-kilt.jsonl", *map(kilt_question, range(105, 118)))
    prepared = tiny.make(
        root / "project",
        **{
            "sources.wiki": {"kind": "kilt_wikipedia", "url": files.as_uri()},
            "sources.qa": {"kind": "kilt_tasks", "url": files.as_uri(), "tasks": ["nq"]},
            "passages": {"wiki100": {"source": "wiki"}},
            "indexes": {"wiki100": {"lexical": {}}},
            "mined": {"towns": SET | changes},
        },
    )
    for stage, what in (("download", "wiki"), ("download", "qa"), ("passages", "wiki100"), ("index", "wiki100")):
        stages.run(prepared, stage, what)
    return prepared


def change(root: Path, **changes: Any) -> Project:
    """The same project with other parameters of the set."""
    given = read_params(root)
    given["mined"]["towns"] = SET | changes
    tiny.write_params(root, given)
    return Project(root)


def read_params(root: Path) -> dict[str, Any]:
    from haymaker.yaml_file import read_yaml

    return read_yaml(root / "params.yaml")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("mine"))


@pytest.fixture
def prepared(built: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of the built project, nothing mined yet."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    shutil.copytree(built.root, tmp_path / "project")
    return Project(tmp_path / "project")


def outputs(given: Project) -> dict[str, str]:
    files = ("mined/towns.parquet", "counts/mine-towns.json", "counts/similarity-towns.csv")
    return {file: sha256_file(given.data / file) for file in files}


def test_the_mined_file_holds_gold_and_clean_ranked_distractors(prepared: Project) -> None:
    stages.run(prepared, "mine", "towns")
    mined, store = Mined(prepared.data / "mined/towns.parquet"), Passages(prepared.data / "corpora/wiki100")
    assert [each["part"] for each in mined.outline] == ["test"] * 30 + ["train"] * 5
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
        assert len(distractors) == outlined["n_distractors"] == (60 if question.part == "test" else 10)
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
            counts = prepared.inputs.tokenizers[0].count_units(
                [unit(t, x) for t, x in zip(each.title, each.text, strict=True)]
            )
            assert each.tokens[0] == list(counts)


def test_report_metadata_and_figures(prepared: Project) -> None:
    stages.run(prepared, "mine", "towns")
    report = read_json(prepared.counts / "mine-towns.json")
    target = prepared.data / "mined/towns.parquet"
    mined = Mined(target)
    assert records.known(prepared, Use("mined", "towns")) == sha256_file(target) == mined.digest
    assert report["asked"] == report["questions"] == {"test": 30, "train": 5}
    assert report["distractors"] == {"min": 60, "median": 60, "max": 60}
    assert report["short"] == 0
    questions = [mined.read(i) for i in range(35)]
    assert report["searched"] == sum(each.searched for each in questions)
    assert report["removed"]["gold"] == 35
    assert sum(report["removed"].values()) == report["searched"] - 30 * 60 - 5 * 10
    assert set(report["dropped"]) <= {"gold_not_in_corpus", "gold_without_answer"}
    assert mined.meta["retriever"]["retriever"] == "lexical"
    assert mined.meta["passages"]["digest"] == Passages(prepared.data / "corpora/wiki100").digest
    assert sorted(mined.meta["sources"]) == ["qa", "wiki"]
    assert "files" not in mined.meta["sources"]["qa"]
    assert mined.meta["summary"].startswith("30 test and 5 train questions, 60 to 60 distractors each, from ")
    assert mined.meta["short"] == {}
    rows = [line.split(",") for line in (prepared.counts / "similarity-towns.csv").read_text().splitlines()]
    assert rows[0] == ["kind", "rank", "passages", "score", "overlap"]
    figures = {(kind, rank): float(overlap) for kind, rank, _, _, overlap in rows[1:]}
    assert figures["mined", "0-9"] > figures["mined", "10-99"] > figures["random", "none"]
    assert min(figures["gold", "0-9"], figures["lexical", "0-9"]) > figures["random", "none"]
    assert sum(int(count) for kind, _, count, *_ in rows[1:] if kind == "gold") == 35


def test_questions_whose_gold_is_not_there_give_way_to_the_next(prepared: Project) -> None:
    stages.run(change(prepared.root, count={"test": 103}, keep=20), "mine", "towns")
    report = read_json(prepared.counts / "mine-towns.json")
    assert report["asked"] == {"test": 103}
    assert report["questions"] == {"test": 100}
    assert report["dropped"] == {"gold_not_in_corpus": 2, "gold_without_answer": 1}


def test_what_a_reader_found_wrong_is_not_asked(prepared: Project) -> None:
    """The next question of the order takes the place of one that is left out by name; a name that no question has is a mistake."""
    stages.run(change(prepared.root, count={"test": 12}), "mine", "towns")
    before = [each["question_id"] for each in Mined(prepared.data / "mined/towns.parquet").outline]
    stages.run(change(prepared.root, count={"test": 11}, left_out=[before[3]]), "mine", "towns")
    after = [each["question_id"] for each in Mined(prepared.data / "mined/towns.parquet").outline]
    assert after == [each for each in before if each != before[3]]
    assert read_json(prepared.counts / "mine-towns.json")["dropped"]["gold_read_as_wrong"] == 1
    with pytest.raises(ParamsError) as error:
        stages.run(change(prepared.root, left_out=["t-none"]), "mine", "towns")
    assert str(error.value) == (
        "mined.towns.left_out: qa has no question 't-none' in test and train. "
        "Next: correct the id, or take it out of the list"
    )


def test_fewer_questions_are_the_first_of_more(prepared: Project) -> None:
    stages.run(change(prepared.root, count={"test": 40}), "mine", "towns")
    more = [each["question_id"] for each in Mined(prepared.data / "mined/towns.parquet").outline]
    stages.run(change(prepared.root, count={"test": 15}), "mine", "towns")
    assert [each["question_id"] for each in Mined(prepared.data / "mined/towns.parquet").outline] == more[:15]


def test_any_number_of_workers_gives_the_same_bytes(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stages.run(prepared, "mine", "towns")
    expected = outputs(prepared)
    shutil.rmtree(prepared.data / "mined")
    monkeypatch.setenv("HAYMAKER_WORKERS", "3")
    stages.run(Project(prepared.root), "mine", "towns")
    assert outputs(prepared) == expected
    assert list((prepared.work / "mine").iterdir()) == []


def test_the_size_of_shards_changes_no_question(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stages.run(prepared, "mine", "towns")
    expected = outputs(prepared)
    monkeypatch.setattr(mine, "SHARD_QUESTIONS", 7)
    monkeypatch.setattr(mine, "_MINED_TOGETHER", 3)
    stages.run(Project(prepared.root), "mine", "towns")
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
    stages.run(prepared, "mine", "towns")
    expected = outputs(prepared)
    shutil.rmtree(prepared.data / "mined")
    command = [sys.executable, "-m", "pipelines.cli", "stage", "mine", "towns"]
    with subprocess.Popen(
        command, cwd=prepared.root, env=tiny.environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while process.poll() is None and not list((prepared.work / "mine").glob(f"towns-*/{step}")):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (prepared.data / "mined/towns.parquet").exists()
    whole = {path: path.stat().st_mtime_ns for path in (prepared.work / "mine").glob("*/*/done.json")}
    assert any(path.parent.name == step for path in whole)
    monkeypatch.setattr(mine, "remove", lambda path: None)
    stages.run(Project(prepared.root), "mine", "towns")
    assert outputs(prepared) == expected
    assert {path: path.stat().st_mtime_ns for path in whole} == whole


def test_other_parameters_take_up_no_shard_of_before(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mine, "remove", lambda path: None)
    stages.run(prepared, "mine", "towns")
    stages.run(change(prepared.root, filter={"near_duplicates": None}), "mine", "towns")
    assert len(list((prepared.work / "mine").iterdir())) == 2
    monkeypatch.undo()
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    stages.run(Project(prepared.root), "mine", "towns")
    assert list((prepared.work / "mine").iterdir()) == []


def test_a_keyed_draw_and_drawn_passages(prepared: Project) -> None:
    stages.run(change(prepared.root, sample="keyed", count={"test": 3}), "mine", "towns")
    ranks = Mined(prepared.data / "mined/towns.parquet").read(0).distractors.rank
    assert ranks == sorted(ranks)
    assert len(ranks) == 60
    assert max(rank for rank in ranks if rank is not None) > 100
    stages.run(
        change(prepared.root, retriever="random", gold="retrieved", gold_depth=300, count={"test": 3}), "mine", "towns"
    )
    mined = Mined(prepared.data / "mined/towns.parquet")
    assert mined.meta["retriever"]["retriever"] == "random"
    assert {score for i in range(3) for score in mined.read(i).distractors.score} == {0.0}


def test_retrieved_gold_is_the_best_passage_with_an_answer(prepared: Project) -> None:
    stages.run(change(prepared.root, gold="retrieved", count={"test": 20}), "mine", "towns")
    mined = Mined(prepared.data / "mined/towns.parquet")
    for i in range(20):
        question = mined.read(i)
        alias = [padded(question.answers[0])]
        assert holds(padded(question.gold.text[0]), alias)
        assert question.gold.rank[0] == 0 or min(question.distractors.rank) == 0  # nothing better was passed over


def test_short_questions_are_reported_not_padded(prepared: Project) -> None:
    stages.run(change(prepared.root, count={"test": 4}, depth=50, keep=50), "mine", "towns")
    mined = Mined(prepared.data / "mined/towns.parquet")
    report = read_json(prepared.counts / "mine-towns.json")
    assert report["short"] == 4
    assert mined.meta["short"] == {each["question_id"]: each["n_distractors"] for each in mined.outline}
    assert all(each["n_distractors"] < 50 for each in mined.outline)
    assert mined.meta["summary"].endswith("; 4 questions have fewer than wanted")


def test_no_gold_in_the_corpus_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    prepared = project(tmp_path, dev=[kilt_question(i, 900 + i) for i in range(9)])
    with pytest.raises(CorpusError) as error:
        stages.run(prepared, "mine", "towns")
    assert str(error.value) == (
        "mined.towns: gold not in the corpus: tried all 9 of part test. "
        "Next: is passages.wiki100 the corpus that these questions were made for?"
    )
    assert not (prepared.data / "mined").exists()


def test_mistakes_are_one_line(prepared: Project) -> None:
    with pytest.raises(CorpusError, match=r"none of part dev|no questions of part dev"):
        stages.run(change(prepared.root, count={"dev": 3}), "mine", "towns")
    with pytest.raises(CorpusError, match=r"passages per query were asked for, above the number of passages"):
        stages.run(change(prepared.root, depth=100_000), "mine", "towns")
    file = prepared.data / "corpora/wiki100/passages-00000.arrow"
    raw = bytearray(file.read_bytes())
    raw[5000] ^= 1
    file.write_bytes(raw)
    with pytest.raises(CorpusError, match=r"passages-00000.arrow: changed since it was built"):
        stages.run(change(prepared.root), "mine", "towns")


def test_models_search_and_judge(prepared: Project, tmp_path: Path) -> None:
    """Dense and fused retrieval, and a cross-encoder, with models of random weights."""
    given = read_params(prepared.root)
    dense = {"model": str(encoder(tmp_path / "encoder")), "dimensions": 16}
    tiny.write_params(prepared.root, given | {"indexes": {"wiki100": {"lexical": {}, "dense": dense}}})
    stages.run(Project(prepared.root), "index", "wiki100")
    rules = {"model": str(cross_encoder(tmp_path / "judge")), "margin": 0.0}
    more: dict[str, Any] = {"count": {"test": 2}, "keep": 40, "filter": {"cross_encoder": rules}}
    for retriever in ("dense", "hybrid"):
        stages.run(change(prepared.root, retriever=retriever, **more), "mine", "towns")
        mined = Mined(prepared.data / "mined/towns.parquet")
        assert mined.meta["retriever"]["retriever"] == retriever
        assert "weights" in json.dumps(mined.meta["cross_encoder"])
        judge = CrossEncoderScorer(ScreenParams(**rules))
        for i in range(2):
            question = mined.read(i)
            both = [question.gold, question.distractors]
            texts = [
                search_text(title, text) for each in both for title, text in zip(each.title, each.text, strict=True)
            ]
            scores = judge.scores(question.question, texts)
            assert max(scores[1:], default=0.0) <= scores[0] + 2e-5
            assert question.searched == len(question.distractors) + sum(question.removed.values()) == 300
        kinds = {line.split(",")[0] for line in (prepared.counts / "similarity-towns.csv").read_text().splitlines()[1:]}
        assert kinds >= {"gold", "lexical", "random"}
