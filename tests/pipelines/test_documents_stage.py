"""Documents of the stage prepare: from a source's documents and questions to a collection, counted by heart; simulated and real sources."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corpora import sources
from corpora.sources.base import Batch, FetchContext, FetchedFile, Piece, RawFile, Source, SourceInfo
from corpora.stores.documents.store import Documents
from haymaker.core.errors import ParamsError
from haymaker.core.rows.source_records import Document, DocumentQuestion
from pipelines import stages
from pipelines.project import Project
from tests.errors import refused
from tests.pipelines import tiny, tiny_bare

_CREW = ("Ann Bel", "Cid Dor", "Eve Fox", "Gil Hop")


class Library(Source):
    """Four documents of one sentence a day, one file each, so four batches; `asked` of them are asked about."""

    kind = "library"
    info = SourceInfo(
        title="Library", homepage="", licence="CC0-1.0", edition="simulated", roles=("documents", "document_questions")
    )
    asked: int = 3
    answers: bool = True

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        stage.mkdir(parents=True, exist_ok=True)
        for i, name in enumerate(_CREW):
            days = [f"On day {day} the ship lay still in harbour {i}." for day in range(40)]
            days[10 * i] = f"On that day {name} stole the rudder."
            (stage / f"{i}.txt").write_text("\n".join(days))
        return []

    def batches(self, raw: Path) -> list[Batch]:
        return [Batch(i, (Piece(path.name, 0, -1),)) for i, path in enumerate(sorted(raw.glob("*.txt")))]

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            name = piece.path.removesuffix(".txt")
            yield Document(name, f"Log {name}", "train" if name == "2" else "test", (raw / piece.path).read_text())

    def document_sets(self) -> tuple[str, ...]:
        return ("logs", "last")

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        if name == "last":
            return [DocumentQuestion("log3", "3", "test", "qa", "Who stole the rudder?", (_CREW[3],))]
        assert name == "logs"
        if not self.asked:
            return []
        built = [DocumentQuestion("lost", "77", "test", "qa", "Who?", ("Tom Ash",))]
        for i in range(self.asked):
            answers = (_CREW[i],) if self.answers else ("the",)
            evidence = (f"On that day {_CREW[i]} stole the rudder.",) if i != 1 else ()
            split = "train" if i == 2 else "test"
            asks = "Who stole the rudder?"
            built.append(DocumentQuestion(f"log{i}", str(i), split, "qa", asks, answers, (), evidence))
        return built


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("corpora.sources.library")
    module.Library = Library  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sources._places(), "library", "library")


def project(root: Path, name: str = "logs", **options: Any) -> Project:
    wanted = {"source": "books", "set": "logs"}
    if "distractor_sets" in options:
        wanted["distractor_sets"] = options.pop("distractor_sets")
    source = {"kind": "library", **options}
    built = tiny_bare.make(root, **{"sources.books": source, "documents": {name: wanted}})
    versions = root / "versions.yaml"
    versions.write_text(versions.read_text().replace("sources:\n", "sources:\n  library: 1\n"))
    stages.run(built, "download")
    return Project(root)


@pytest.mark.usefixtures("library")
def test_a_collection_by_heart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = project(tmp_path)
    stages.run(built, "prepare")
    documents = Documents(built.data / "documents/logs")
    documents.verify()
    assert [(e.doc_id, e.title, e.split) for e in documents.store.documents] == [
        ("0", "Log 0", "test"), ("1", "Log 1", "test"), ("2", "Log 2", "train"),
    ]  # fmt: skip
    assert [(each.source.question_id, each.evidence, each.units) for each in documents.all] == [
        ("log0", "verified", ((0, 1),)), ("log1", "aligned", ((10, 11),)), ("log2", "verified", ((20, 21),)),
    ]  # fmt: skip
    report = json.loads((built.counts / "prepare/documents/logs/counts.json").read_text())
    assert report == {
        "documents": 3, "units": 120, "bytes": report["chars"], "chars": report["chars"],
        "words": len(bytes(documents.store.text).split()),
        "tokens-0": documents.store.tokens_at(built.inputs.tokenizers[0].fingerprint)[120],
        "left_out": {"duplicate": 0, "front_matter": 0, "inline_page_number": 0, "kept_though_near_a_fact": 0},
        "questions": {"test qa": 2, "train qa": 1},
        "evidence": {"aligned": 1, "verified": 2},
        "questions_left_out": {"document_missing": 1},
    }  # fmt: skip
    assert "3 questions (evidence: 1 aligned, 2 verified); left out or noted: document_missing 1" in (
        " ".join(capsys.readouterr()).replace("\n", " ")
    )
    assert list((built.work / "batches/documents").iterdir()) == [], "finished shards go when the collection is there"
    assert "distractor_sets" not in documents.store.meta["params"] and tiny.leftovers(tmp_path) == []


@pytest.mark.usefixtures("library")
def test_documents_of_further_sets_are_there_and_nothing_is_asked_of_them(tmp_path: Path) -> None:
    built = project(tmp_path, distractor_sets=["last"])
    stages.run(built, "prepare")
    documents = Documents(built.data / "documents/logs")
    assert [entry.doc_id for entry in documents.store.documents] == ["0", "1", "2", "3"]
    assert [each.source.question_id for each in documents.all] == ["log0", "log1", "log2"]
    assert documents.store.meta["params"]["distractor_sets"] == ["last"]
    with refused(ParamsError, "documents.logs.distractor_sets", "lost", fix="logs"):
        project(tmp_path / "lost", distractor_sets=["lost"])


def test_simulated_stories_have_all_their_evidence_found(tmp_path: Path) -> None:
    """Every sentence that the simulator gives as evidence is a sentence of the store, so no cut can lose it."""
    tales = {"kind": "simulated_documents", "form": "stories", "seed": 3, "documents": {"test": 1, "train": 1}}
    documents = {"tales": {"source": "tales", "set": "stories"}}
    built = tiny_bare.make(tmp_path, **{"sources.tales": tales | {"words": 8000}, "documents": documents})
    tiny.run(built, "download", "prepare")
    store = Documents(built.data / "documents/tales")
    asked = [each for each in store.all if each.source.kind != "summary"]
    assert len(asked) > 50
    assert {each.evidence for each in asked} == {"verified"}
    left_out = json.loads((built.counts / "prepare/documents/tales/counts.json").read_text())["questions_left_out"]
    assert set(left_out) <= {"evidence_stands_in_several_places"}
    at, text = store.store.byte_at, store.store.text
    for each in asked:
        first = store.store.first_of[each.source.doc_id]
        quote = [bytes(text[at[first + a] : at[first + b]]).decode()[1:] for a, b in each.units]
        assert all(any(sentence in stretch for stretch in quote) for sentence in each.source.evidence)


REAL = {  # name of a set: kind of its source, documents, questions by split and kind, and their evidence
    "loogle_qa": ("loogle_mirror", 5, {"test choice": 1, "test qa": 10}, {"unknown": 7, "verified": 3, "aligned": 1}),
    "loogle_sum": ("loogle_mirror", 5, {"test summary": 5}, {"unknown": 5}),
    "narrativeqa": ("narrativeqa_mirror", 6, {"test qa": 2}, {"unknown": 2}),
}


@pytest.mark.real
def test_real_documents(tmp_path: Path, mirror: Path) -> None:
    sources = {f"sources.{kind}": {"kind": kind} for kind, *_ in REAL.values()}
    wanted = {name: {"source": kind, "set": name} for name, (kind, *_) in REAL.items()}
    built = tiny_bare.make(tmp_path, **sources, documents=wanted)
    tiny.run(built, "download", "prepare")
    for name, (_, *counts) in REAL.items():
        report = json.loads((built.counts / f"prepare/documents/{name}/counts.json").read_text())
        assert [report["documents"], report["questions"], report["evidence"]] == counts
        for each in Documents(built.data / f"documents/{name}").all:
            assert each.evidence != "verified" or (each.units and each.units[0][0] < each.units[-1][1])
