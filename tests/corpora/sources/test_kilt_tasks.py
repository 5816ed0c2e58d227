"""KILT tasks: dev is our test, provenance becomes evidence, TriviaQA's questions are joined by id."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.sources import create
from haymaker.core.rows.source_records import Evidence, Question
from tests.corpora.sources.test_hub_sources import client_of, parquet

pytestmark = pytest.mark.usefixtures("as_published")

NQ = {
    "id": "-4203",
    "input": "who wrote it ",
    "output": [
        {
            "answer": "Ada",
            "provenance": [
                {"wikipedia_id": "7", "title": "Ada", "start_paragraph_id": 3, "bleu_score": 1.0},
                {"wikipedia_id": "7", "title": "Ada", "start_paragraph_id": 3, "end_paragraph_id": 4},
                {"wikipedia_id": "9", "title": "Bo", "start_paragraph_id": 1},
            ],
        },
        {"answer": " Ada "},
        {"answer": "Ada L.", "meta": {}},
        {"provenance": [{"wikipedia_id": "11", "title": "Cy", "start_paragraph_id": 0}]},
    ],
    "meta": {},
}


def far(tmp_path: Path, **files: list[object]) -> str:
    (tmp_path / "far").mkdir(exist_ok=True)
    for name, rows in files.items():
        text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
        (tmp_path / "far" / f"{name.replace('_kilt', '-kilt').replace('Q', '-')}.jsonl").write_text(text)
    return (tmp_path / "far").as_uri()


def fetched(tmp_path: Path, context, task: str, dev: object, train: object) -> tuple[object, Path]:
    url = far(tmp_path, **{f"{task}Qdev_kilt": [dev], f"{task}Qtrain_kilt": [train]})
    source = create("tasks", "kilt_tasks", {"url": url, "tasks": [task]}, where="w")
    source.fetch(tmp_path / "raw", context)
    return source, tmp_path / "raw"


def test_dev_is_test_train_is_train_and_there_is_no_dev(tmp_path, context):
    source, raw = fetched(tmp_path, context, "nq", NQ, {**NQ, "id": "5"})
    named = (("7", 3, "Ada"), ("9", 1, "Bo"), ("11", 0, "Cy"))
    evidence = tuple(Evidence(article_id=key, paragraph=at, title=title) for key, at, title in named)
    expected = Question("-4203", "test", "who wrote it", "single", answers=("Ada", "Ada L."), evidence=evidence)
    assert source.questions(raw, "nq", "test") == [expected]
    assert [q.question_id for q in source.questions(raw, "nq", "train")] == ["5"]
    assert source.questions(raw, "nq", "dev") == []
    assert source.question_sets() == ("nq",)


def test_hotpotqa_tells_comparisons_by_yes_and_no_alone(tmp_path, context):
    yes = {**NQ, "output": [{**NQ["output"][0], "answer": "Yes"}]}
    source, raw = fetched(tmp_path, context, "hotpotqa", yes, {**NQ, "id": "5"})
    kinds = [q.kind for split in ("test", "train") for q in source.questions(raw, "hotpotqa", split)]
    assert kinds == ["comparison", "bridge"]


def test_triviaqa_questions_are_joined_from_the_hub(hub, programs, tmp_path):
    kept = [{"question_id": "tc_1", "question": "What is a copter?"}, {"question_id": "tc_2", "question": "Where?"}]
    more = [{"question_id": "tc_3", "question": "When? "}]
    files = {f"unfiltered.nocontext/{name}-00000-of-00001.parquet": parquet(rows) for name, rows in
             (("train", kept), ("validation", more))} | {"rc/train-00000-of-00001.parquet": b"not wanted"}  # fmt: skip
    sha = hub.commit("mandarjoshi/trivia_qa", files)
    rows = {
        "triviaqaQdev_id_kilt": [{**NQ, "id": "tc_3", "input": ""}],
        "triviaqaQtrain_id_kilt": [{**NQ, "id": "tc_1"}],
    }
    client, options = client_of(programs), {"tasks": ["triviaqa"], "url": far(tmp_path, **rows)}
    assert client(tmp_path, "kilt_tasks", **options)["asked"] == [["tc_3", "When?", "Ada"]]
    (lock,) = json.loads((tmp_path / "sources.lock.json").read_bytes()).values()
    assert lock["revision"] == sha and not any("rc/" in name for name in lock["files"])
    far(tmp_path, triviaqaQdev_id_kilt=[{**NQ, "id": "tc_9"}])
    line = client(tmp_path, "kilt_tasks", **options)["error"]
    assert "triviaqa-dev_id-kilt.jsonl:1: no question of id 'tc_9' in the TriviaQA files (1 of 1 records" in line
