"""Wrong options from a model: requests, `haymaker ask`, replies, options, the review sheet, and rows with reviewed options."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from corpora.choices import llm, published
from corpora.choices.filters import stands_out
from corpora.choices.form import normal
from corpora.choices.make import CHOICES_VERSION
from corpora.choices.options import Asked, with_documents
from corpora.choices.published import Published
from corpora.choices.review import read_sheet
from corpora.stores.documents.store import Documents
from generators.marathon import leaks
from haymaker.core.errors import BuildError
from haymaker.core.files.disk import read_json
from haymaker.core.rows.source_records import DocumentQuestion
from pipelines.checks.shortcuts.bm25_baselines import option_overlap
from pipelines.checks.shortcuts.table_stats import RowView
from pipelines.project import Project
from pipelines.stages import documents as stage
from tests.errors import refused
from tests.extras import needs
from tests.pipelines import tiny, tiny_bare
from tests.pipelines.ask_server import ModelServer
from tests.pipelines.test_shortcut_searches import option
from tests.pipelines.test_shortcuts import alone

PORTS = ("Lyra", "Noma", "Tola", "Vesk", "Wend", "Zurn")
TEXT = " ".join(f"The ship lay in {port} for {i + 53} days. In {port} it was cold." for i, port in enumerate(PORTS))
ASKED: dict[str, tuple[Any, ...]] = {
    "days": ("How many days was the ship at sea?", ["53 days."]),
    "order": ("Order these ports: (1) Noma (2) Lyra (3) Tola", ["2,1,3"]),
    "port": ("Where was the rudder stolen?", ["Lyra"]),
    "cold": ("Was it cold?", ["Yes."]),
    "why": ("Why did it stop?", ["Because the crew was ill with fever"]),
    "own": ("Who steered?", ["Ann"], ["Ann", "Bob", "Cid", "Dan"]),
}
WRONG = {
    "days": ("54 days", "55 days", "56 days"),
    "order": ("1, 2, 3", "3,1,2", "3, 2, 1"),
    "port": ("Noma", "noma", None),  # one repeated, one without JSON
    "why": ("Because the hold was on fire", "Because a storm had come up", "Because its sails were torn"),
}
MARATHON = {"marathon": {"documents": "logs", "tasks": {"shortdep_qa": {"lengths": {"natural": 12}}}}}


def made(root: Path, *keys: str, seed: int = 7, **source: str) -> Project:
    """Prepare a collection of one document with questions."""
    names = ("question", "answers", "choices")
    asked = [{"id": key, "sort": "shortdep_qa"} | dict(zip(names, ASKED[key], strict=False)) for key in keys or ASKED]
    root.mkdir(parents=True, exist_ok=True)
    (root / "logs.jsonl").write_text(json.dumps({"id": "log", "title": "Log", "text": TEXT, "questions": asked}) + "\n")
    logs = {"kind": "documents_jsonl", "path": "logs.jsonl", **source}
    blocks = {"sources.logs": logs, "documents": {"logs": {"source": "logs", "set": "user", "choices": {}}}}
    project = tiny_bare.make(root, **blocks, **{"release.seed": seed, "suites": MARATHON})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        tiny.run_alone(project, "download", "prepare")
    return project


def questions(project: Project) -> dict[str, DocumentQuestion]:
    documents = Documents(project.data / "documents/logs")
    documents.verify()
    return {each.source.question_id: each.source for each in documents.all}


def counts(project: Project) -> dict[str, Any]:
    found = read_json(project.counts / "prepare/documents/logs/counts.json")["choices"]
    return {name: value for name, value in found.items() if value}


def haymaker(root: Path, *arguments: str, **more: str) -> None:
    result = tiny.called(root, *arguments, **more)
    assert result.returncode == 0, result.stderr


def filled_in(sheet: Path, **lines: dict[str, str]) -> None:
    """Fill in the sheet as people do."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(row | lines.get(row["question_id"], {}) for row in rows)


@needs("eval", "openai")
def test_a_model_writes_options_and_people_review_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(llm, "TOKENIZER", "gpt2")  # always available
    project = made(tmp_path)
    assert set(questions(project)) == {"own"}
    left_out = {"too_few_text": 2, "too_few_order": 1, "too_few_value": 1, "yes_no": 1}
    assert counts(project) == {
        "origins": {"source": 1}, "left_out": left_out, "replies": {"no_reply": 4}, "version": CHOICES_VERSION
    }  # fmt: skip
    assert "origins: source 1" in capsys.readouterr().err

    haymaker(tmp_path, "dev", "options", "requests", "logs", "requests.jsonl")
    requests = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert len({request["prompt"] for request in requests}) == len(requests) == 3 * len(WRONG)
    wrong = {ASKED[key][0]: iter(texts) for key, texts in WRONG.items()}

    def reply(prompt: str) -> str:
        (text,) = (next(texts) for question, texts in wrong.items() if f"Question: {question}\n" in prompt)
        return json.dumps({"option": text}) if text else "I do not know."

    with ModelServer().serving() as server:
        server.judge = reply
        at = {"HAYMAKER_ENDPOINT": server.url, "HAYMAKER_API_KEY": "sk-loopback-0123456789"}
        haymaker(tmp_path, "ask", "requests.jsonl", "--out", "replies.jsonl", "--model", "m", **at)

    project = made(tmp_path, replies="replies.jsonl")
    found = questions(project)
    assert counts(project) == {
        "origins": {"llm": 3, "source": 1}, "left_out": {"too_few_text": 1, "yes_no": 1}, "removed": {"duplicate": 1},
        "replies": {"malformed": 1, "used": 11}, "version": CHOICES_VERSION,
    }  # fmt: skip
    assert {key: set(each.choices) for key, each in found.items()} == {
        "days": {"53 days", *WRONG["days"]}, "order": {"2, 1, 3", "1, 2, 3", "3, 1, 2", "3, 2, 1"},
        "why": {*ASKED["why"][1], *WRONG["why"]}, "own": {*ASKED["own"][2]},
    }  # fmt: skip
    assert {key: each.verified for key, each in found.items()} == {
        "days": "auto", "order": "unverified", "why": "unverified", "own": "",
    }  # fmt: skip
    assert sorted(found["why"].origins) == ["llm:1", "llm:2", "llm:3", "source"]

    haymaker(tmp_path, "dev", "options", "review", "logs", "sheet.csv")
    corrected = {"verdict": "ok", "wrong_1": "Because its mast was gone"}
    filled_in(tmp_path / "sheet.csv", days={"verdict": "OK"}, why=corrected, order={"verdict": "wrong option is true"})
    project = made(tmp_path, replies="replies.jsonl", review="sheet.csv")
    found = questions(project)
    assert counts(project)["review"] == {"edited": 1, "ok": 1, "wrong_option_is_true": 1}
    assert {key: each.verified for key, each in found.items()} == {"days": "human", "why": "human", "own": ""}
    assert sorted(origin.partition(":")[0] for origin in found["why"].origins) == ["human", "llm", "llm", "source"]
    haymaker(tmp_path, "dev", "options", "review", "logs", "second.csv")
    assert {line.question_id for line in read_sheet(tmp_path / "second.csv").judged} == {"days", "why", "order"}

    monkeypatch.chdir(tmp_path)
    tiny.run_alone(project, "retrieve", "generate")
    files = (project.data / "releases").rglob("*.parquet")
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    assert len(rows) == 12 and {row["options_reviewed_by"] for row in rows} == {"human", None}


def test_a_collection_without_options_is_built_and_its_tasks_say_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = made(tmp_path / "a", "why", seed=7), made(tmp_path / "b", "why", seed=8)
    assert questions(first) == {} and "haymaker dev options requests" in capsys.readouterr().err
    assert Documents(first.data / "documents/logs").digest == Documents(second.data / "documents/logs").digest
    monkeypatch.chdir(first.root)
    with refused(BuildError, "documents.logs", fix="replies"):
        tiny.run_alone(first, "retrieve", "generate")


def test_published_options_are_used_without_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"port#0": Published("", WRONG["why"], "ok", ())}  # another question or answer
    for key, right, wrong, verdict in (
        ("why", "", WRONG["why"], "ok"),
        ("days", "Fifty-three days", ("Fifty-four days", "Fifty-five days", "Sixty days"), "ok"),
        ("cold", "", (), "gives itself away"),
        ("order", "", ("1, 2, 3",), "ok"),
    ):
        text, (answer, *_) = ASKED[key][:2]
        known[llm.request_id(Asked(key, text, normal(answer)))] = Published(right, wrong, verdict, ())
    monkeypatch.setattr(stage, "published", lambda name: known)
    project = made(tmp_path / "a")
    assert "12 rows (3 questions, 4 rows each)" in tiny.called(project.root, "plan", "--tables").stdout
    found = questions(project)
    assert {key: each.verified for key, each in found.items()} == {"days": "model", "why": "model", "own": ""}
    assert sorted(found["why"].origins) == ["llm", "llm", "llm", "source"]  # the answer is of the source
    assert found["days"].answers == ("Fifty-three days",) and set(found["days"].origins) == {"llm"}
    assert counts(project)["left_out"] == {"gives_itself_away": 1, "too_few_published": 1, "too_few_text": 1}

    (tmp_path / "b").mkdir()
    (tmp_path / "b/mine.jsonl").write_text('{"id": "x#0", "call": "option:1:1", "reply": ""}\n')
    assert set(questions(made(tmp_path / "b", replies="mine.jsonl"))) == {"own"}  # a user's replies instead


def overlap_score(documents: Documents) -> float:
    """Return how often the option nearest to the question, in the whole document, is the right one."""
    asked = [each.source for each in documents.all]
    texts = [" ".join(each.sentences) for each in with_documents(documents.store, documents.all)]
    rows = [option(0, s.answers[0], s.choices, s.text, text) for s, text in zip(asked, texts, strict=True)]
    guesses = [option_overlap(RowView(row), alone(row)) for row in rows]
    named = [{guess.said, *guess.equal} for guess in guesses]
    return sum((row["answers"][1] in each) / len(each) for row, each in zip(rows, named, strict=True)) / len(rows)


LEFT = {
    "longdep": {"multiple_information_retrieval": 2, "timeline_reorder": 1, "computation": 1},
    "shortdep": {"shortdep_qa": 4},
}
WRITTEN = {
    "longdep": {"comprehension_and_reasoning": 3, "multiple_information_retrieval": 7, "timeline_reorder": 2, "computation": 6},
    "shortdep": {"shortdep_qa": 31},
}  # fmt: skip


@pytest.mark.real
def test_real_questions_have_options_that_words_do_not_find(
    tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words are measured on all options, since the few questions that readers leave show nothing."""
    asked = {name: {"source": "logs", "set": name, "fuzzy_match_threshold": 0.85, "choices": {}} for name in LEFT}
    project = tiny_bare.make(tmp_path, **{"sources.logs": {"kind": "loogle_typed_mirror"}, "documents": asked})

    def sorts() -> dict[str, dict[str, int]]:
        return {name: dict(Counter(each.source.sort for each in stores[name].all)) for name in stores}

    tiny.run_alone(project, "download", "prepare")
    stores = {name: Documents(project.data / "documents" / name) for name in LEFT}
    assert sorts() == LEFT
    monkeypatch.setattr(published, "READERS", 99)
    shutil.rmtree(project.work / "inputs/documents")
    tiny.run_alone(project, "prepare")
    stores = {name: Documents(project.data / "documents" / name) for name in LEFT}
    assert sorts() == WRITTEN
    for name, documents in stores.items():
        found = [each.source for each in documents.all]
        assert {each.verified for each in found} == {"model"}
        for each in found:
            wrong = [choice for choice in each.choices if choice != each.answers[0]]
            assert not stands_out(each.answers[0], wrong, each.text), each.question_id
        assert overlap_score(documents) < 0.35, name
        rows = (
            {"answer_index": 0, "group_id": s.question_id, "question": s.text,
             "choices": [s.answers[0], *(set(s.choices) - {s.answers[0]})]}
            for s in found
        )  # fmt: skip
        figures = leaks.measures(rows)[leaks.MEASURE]
        for key in ("longest", "shortest", "like_others", "like_question", "unread"):
            assert figures[key] < 0.35, (name, key)
