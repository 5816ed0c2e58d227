"""Choices in the stage `prepare` and `haymaker options`: a small collection from questions to reviewed options, by replies and by people."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corpora import sources
from corpora.choices import llm
from corpora.choices.make import CHOICES_VERSION
from corpora.choices.review import read_sheet
from corpora.sources.base import Batch, FetchContext, FetchedFile, Piece, RawFile, Source, SourceInfo
from corpora.sources.document_source import REPLIES, REVIEW
from corpora.stores.documents.store import DocumentParams, Documents
from haymaker.core.errors import CorpusError, EnvironmentProblem, ParamsError
from haymaker.core.params import parse
from haymaker.core.rows.model_requests import Request
from haymaker.core.rows.source_records import Document, DocumentQuestion
from pipelines import stages
from pipelines.commands import option_files
from pipelines.project import Project
from tests.errors import refused
from tests.pipelines import tiny, tiny_bare

PORTS = ("Lyra", "Noma", "Tola", "Vesk", "Wend", "Zurn")
TEXT = " ".join(f"The ship lay in {port} for {i + 53} days. In {port} it was cold." for i, port in enumerate(PORTS))
ASKED = (
    ("days", "How many days was the ship at sea?", ("53 days.",), ()),
    ("order", "Order these ports:\n1. Noma\n2. Lyra\n3. Tola", ("2,1,3",), ()),
    ("port", "Where was the rudder stolen?", ("Lyra",), ()),
    ("cold", "Was it cold?", ("Yes.",), ()),
    ("why", "Why did it stop?", ("Because the crew was ill with fever",), ()),
    ("own", "Who steered?", ("Ann",), ("Ann", "Bob", "Cid", "Dan", "Eve")),
)


class Logbook(Source):
    """One document and six questions; `extra` is a folder with the files of replies and of the review."""

    kind = "logbook"
    info = SourceInfo(
        title="Logbook", homepage="", licence="CC0-1.0", edition="world", roles=("documents", "document_questions")
    )
    extra: str = ""

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        stage.mkdir(parents=True, exist_ok=True)
        (stage / "log.txt").write_text(TEXT)
        for name in (REPLIES, REVIEW):
            if self.extra and (Path(self.extra) / name).is_file():
                shutil.copyfile(Path(self.extra) / name, stage / name)
        return []

    def batches(self, raw: Path) -> list[Batch]:
        return [Batch(0, (Piece("log.txt", 0, -1),))]

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        yield Document("log", "Log", "test", (raw / "log.txt").read_text())

    def document_sets(self) -> tuple[str, ...]:
        return ("logs",)

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        return [
            DocumentQuestion(key, "log", "test", "choice" if choices else "qa", question, answers, choices)
            for key, question, answers, choices in ASKED
        ]


@pytest.fixture(autouse=True)
def logbook(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("corpora.sources.logbook")
    module.Logbook = Logbook  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sources._places(), "logbook", "logbook")


def built(root: Path, extra: Path | None = None, seed: int = 7, **choices: Any) -> tuple[Documents, dict[str, Any]]:
    source = {"kind": "logbook"} | ({"extra": str(extra)} if extra else {})
    wanted = {"source": "books", "set": "logs", "choices": choices}
    tiny_bare.make(root, **{"sources.books": source, "documents": {"logs": wanted}, "release.seed": seed})
    versions = root / "versions.yaml"
    versions.write_text(versions.read_text().replace("sources:\n", "sources:\n  logbook: 1\n"))
    project = Project(root)
    tiny.run(project, "download", "prepare")
    documents = Documents(project.data / "documents/logs")
    documents.verify()
    return documents, json.loads((project.counts / "prepare/documents/logs/counts.json").read_text())["choices"]


def by_id(documents: Documents) -> dict[str, DocumentQuestion]:
    return {each.source.question_id: each.source for each in documents.all}


def requested(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What `haymaker options requests` writes, with a vocabulary that is always here."""
    monkeypatch.chdir(root)
    monkeypatch.setattr(llm, "TOKENIZER", "gpt2")
    option_files.requests("logs", root / "requests.jsonl")
    return [Request(**json.loads(line)) for line in (root / "requests.jsonl").read_text().splitlines()]


def test_questions_become_choices_or_are_left_out_with_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, report = built(tmp_path)
    found = by_id(documents)
    assert {key: set(each.origins) for key, each in found.items()} == {
        "days": {"source", "mined"}, "order": {"source", "rules"}, "port": {"source", "mined"}, "own": set(),
    }  # fmt: skip
    for key, each in found.items():
        assert (
            each.kind == "choice"
            and each.answers[0] in each.choices
            and len(each.choices) == (5 if key == "own" else 4)
        )
        assert each.origins == () or each.origins[each.choices.index(each.answers[0])] == "source"
        assert each.verified == ({"own": "", "days": "auto"}.get(key, "unverified"))
    assert found["days"].answers == ("53 days",)
    assert set(found["port"].choices) <= set(PORTS)
    assert report["writers"] == {"mined": 2, "rules": 1, "source": 1}
    assert report["left_out"] == {"too_few_text": 1, "yes_no": 1}
    assert (report["replies"], report["review"], report["version"]) == ({}, {}, CHOICES_VERSION)
    assert "writers: mined 2, rules 1, source 1; left out: too_few_text 1, yes_no 1" in capsys.readouterr().err


def test_options_are_those_of_the_collection_whatever_the_release(tmp_path: Path) -> None:
    first, second = built(tmp_path / "a", seed=7)[0], built(tmp_path / "b", seed=8)[0]
    assert first.digest == second.digest


def test_replies_are_used_and_what_they_lack_is_left_to_the_next_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = {"writers": ["llm", "rules", "mined"]}
    _, report = built(tmp_path / "a", **writers)
    assert report["replies"] == {"no_reply": 5 - 1} and report["writers"]["rules"] == 1
    asked = requested(tmp_path / "a", monkeypatch)
    assert sorted({request.id.partition("#")[0] for request in asked}) == ["days", "port", "why"], "those left out too"
    assert [request.call.rpartition(":")[0] for request in asked] == ["option:1", "option:2", "option:3"] * 3
    assert len({request.prompt for request in asked}) == len(asked), "equal ones have equal replies"
    wrong = {"why": "Because the {} was on fire again", "days": "nonsense {}", "port": PORTS[0] + "{}"}
    cargo = ("hold", "cabin", "kitchen")
    (tmp_path / "extra").mkdir()
    with (tmp_path / "extra" / REPLIES).open("w") as file:
        for i, request in enumerate(asked):
            text = wrong[request.id.partition("#")[0]].format(cargo[i % 3])
            reply = json.dumps({"option": text}) if "days" not in request.id else text
            file.write(json.dumps({"id": request.id, "call": request.call, "reply": reply}) + "\n")
    documents, report = built(tmp_path / "b", tmp_path / "extra", **writers)
    found = by_id(documents)
    assert sorted(found["why"].origins) == ["llm:1", "llm:2", "llm:3", "source"]
    assert sorted(found["why"].choices) == [
        "Because the cabin was on fire again", "Because the crew was ill with fever", "Because the hold was on fire again",
        "Because the kitchen was on fire again",
    ]  # fmt: skip
    assert set(found["days"].origins) == {"source", "mined"}
    assert report["replies"] == {"malformed": 3, "no_reply": 1, "used": 6} and report["writers"]["llm"] >= 1


def test_a_sheet_goes_to_people_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = built(tmp_path / "a")
    monkeypatch.chdir(tmp_path / "a")
    sheet, extra = tmp_path / "sheet.csv", tmp_path / "extra"
    option_files.review("logs", sheet)
    with refused(EnvironmentProblem, sheet.name):
        option_files.review("logs", sheet)
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["question_id"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["days", "order", "port"], "a choice of the source is not ours to judge"
    rows["days"] |= {"verdict": "ok", "wrong_1": "99 days"}
    rows["order"] |= {"verdict": "wrong option is true"}
    rows["port"] |= {"verdict": "unclear", "state": "s0"}
    extra.mkdir()
    with (extra / REVIEW).open("w", newline="") as file:
        table = csv.DictWriter(file, rows["days"])
        table.writeheader()
        table.writerows(rows.values())
    documents, report = built(tmp_path / "b", extra)
    found = by_id(documents)
    assert found["days"].verified == "human" and "99 days" in found["days"].choices
    assert sorted(found["days"].origins) == ["human", "mined", "mined", "source"], "one option was written by a person"
    assert "order" not in found and report["left_out"]["review_wrong_option_is_true"] == 1
    assert found["port"] == by_id(first)["port"]
    assert report["review"] == {"edited": 1, "of_other_options": 1, "wrong_option_is_true": 1}
    monkeypatch.chdir(tmp_path / "b")
    option_files.review("logs", tmp_path / "second.csv")
    again = read_sheet(tmp_path / "second.csv")
    assert {line.question_id: line.verdict for line in again.judged} == {
        "days": "ok", "order": "wrong option is true", "port": "unclear",
    }, "verdicts of the first sheet stand in the second"  # fmt: skip


def test_mistakes_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path)
    monkeypatch.chdir(tmp_path)
    with refused(ParamsError, "", "'log'", fix="logs"):
        option_files.review("log", tmp_path / "x.csv")
    shutil.rmtree(tmp_path / "data/work/inputs/documents")
    monkeypatch.setattr(sys.modules[__name__], "ASKED", ASKED[3:4])
    with refused(CorpusError, "", 1, fix="logs"):
        stages.run(Project(tmp_path), "prepare")


def test_a_writer_is_named_once() -> None:
    with refused(ParamsError, "documents.a: choices.writers"):
        parse(
            DocumentParams, {"source": "a", "set": "b", "choices": {"writers": ["rules", "rules"]}}, where="documents.a"
        )


def test_replies_about_other_questions_are_counted(tmp_path: Path) -> None:
    (tmp_path / "extra").mkdir()
    line = json.dumps({"id": "elsewhere#00000000", "call": "option:1:1", "reply": '{"option": "x"}'})
    (tmp_path / "extra" / REPLIES).write_text(f"{line}\n")
    _, report = built(tmp_path / "a", tmp_path / "extra", writers=["llm", "rules", "mined"])
    assert report["replies"] == {"no_reply": 4, "unknown_question": 1}
