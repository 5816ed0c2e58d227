"""Production sources of LongBench's raw data, from made Parquet files: what a row gives, what is left out and said so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.sources import create
from corpora.sources.base import FetchContext, Source
from corpora.sources.catalogue import entry
from haymaker.core.rows.source_records import Document, DocumentQuestion, Evidence, Question
from tests.corpora.sources.test_documents import documents
from tests.corpora.sources.test_hub_sources import parquet

REPORT = {"report": "A report.\nIts end.", "summary": "In short."}
NEWS = {"document": "One. NEWLINE_CHAR Two. ||||| Three. ||||| ", "summary": "– Four."}
CHAT = {"id": "7", "dialogue": "Ada: Hi\r\nBo: Hello", "summary": "They greet."}
FACTS = {"title": ["Ada", "Bo &amp; Cy", "Ada"], "sent_id": [0, 1, 2]}
HOTPOT = {"id": "h", "question": "Who?", "answer": "Ada", "type": "bridge", "supporting_facts": FACTS, "context": {
    "title": ["Di", "Ada", "Bo &amp; Cy"], "sentences": [["x"], ["Ada was."], ["y"]]
}}  # fmt: skip
WIKI = {"_id": "w", "question": "Who?", "answer": "no", "type": "bridge_comparison", "supporting_facts": json.dumps(
    [["Ada", 0], ["Bo", 1]]
), "context": json.dumps([["Ada", ["x"]], ["Di", ["y"]], ["Bo", ["z"]]])}  # fmt: skip
PAGES = {"title": ["Long", "Other", "Ada"], "wiki_context": ["Ada " * 1000, "Bo sang.", " Ada Bo sang. "]}
SINGER = {"value": "Singer", "aliases": ["Ada Bo", "Singer"]}
TRIVIA = {"question": "Who sang?", "question_id": "tc_1", "entity_pages": PAGES, "answer": SINGER}


def told(answer: str = "", spans: tuple[str, ...] = (), judged: bool | None = None, **more: Any) -> dict[str, Any]:
    """An annotator's answer."""
    given = {"unanswerable": False, "extractive_spans": list(spans), "yes_no": judged, "free_form_answer": answer}
    return given | {"evidence": list(more.get("evidence", ("We try.",))), "unanswerable": more.get("none", False)}


def asked(key: str, *given: dict[str, Any]) -> dict[str, Any]:
    answers = {"answer": list(given), "worker_id": ["x"] * len(given)}
    return {"question": f"Q {key}?", "question_id": key, "answers": answers}


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {key: [row[key] for row in rows] for key in rows[0]}


QUESTIONS = [
    asked("a", told(spans=("two", "three")), told("2 and 3", evidence=["A  method."])),
    asked("b", told(judged=False, evidence=["It fails."]), told(none=True, evidence=[])),
    asked("c", told("4", evidence=["FLOAT SELECTED: Table 1"]), told(none=True, evidence=[])),
    asked("d", told("5", evidence=["Not there."])),
    asked("e", told(none=True, evidence=[]), told(none=True, evidence=[])),
    asked("f", told("6", evidence=["We try.", "FLOAT SELECTED: Table 2"])),
]
SECTIONS = {
    "section_name": ["Intro", None, "Way ::: Model"], "paragraphs": [["We try.", ""], ["A\nmethod."], []],
}  # fmt: skip
PAPER = {
    "id": "1", "title": "Trying", "abstract": "It fails.", "full_text": SECTIONS, "qas": columns(QUESTIONS)
}  # fmt: skip
ROWS: dict[str, list[dict[str, Any]]] = {
    "gov_report": [REPORT],
    "multi_news": [NEWS, {"document": "Alone. |||||", "summary": "Alone."}],
    "qasper": [PAPER],
    "samsum": [CHAT, CHAT | {"dialogue": " "}],
    "triviaqa_reading": [TRIVIA, TRIVIA | {"answer": {"value": "Di", "aliases": []}}],
    "hotpotqa": [HOTPOT],
    "wikimqa2": [WIKI],
}


def taken(
    tmp_path: Path, context: FetchContext, kind: str, rows: list[dict[str, Any]] | None = None, **options: object
) -> tuple[Source, Path]:
    """A source of the made rows: split test holds them, other splits one row with other words."""
    source = create("s", kind, {"url": (tmp_path / "web").as_uri(), **options}, where="w")
    for split, name in entry(kind)["plain"].items():
        path = tmp_path / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        other = [{**ROWS[kind][0], **({"question_id": "other"} if kind == "triviaqa_reading" else {})}]
        path.write_bytes(parquet((ROWS[kind] if rows is None else rows) if split == "test" else other))
    source.fetch(tmp_path / "raw", context)
    assert source.verify(tmp_path / "raw", context) == []
    return source, tmp_path / "raw"


def one(source: Source, raw: Path, name: str) -> tuple[Document, list[DocumentQuestion]]:
    (found,) = [each for each in documents(source, raw) if each.split == "test"]
    return found, [each for each in source.document_questions(raw, name) if each.split == "test"]


def test_a_paper_and_what_its_text_answers(tmp_path, context):
    said: list[str] = []
    found, questions = one(*taken(tmp_path, replace(context, report=said.append), "qasper"), "qasper")
    assert (found.title, found.text) == (
        "Trying", "Trying\n\nIt fails.\n\nIntro\n\nWe try.\n\nA method.\n\nWay ::: Model",
    )  # fmt: skip
    assert [(each.question_id, each.answers, each.evidence) for each in questions] == [
        ("a", ("two, three", "2 and 3"), ("We try.",)),
        ("b", ("No",), ("It fails.",)),
        ("e", ("unanswerable",), ()),
        ("f", ("6",), ("We try.",)),
    ]
    assert said == [
        "1 questions answered by tables or figures alone are left out",
        "1 questions whose evidence is not in the paper are left out",
    ]


def test_of_trivia_pages_the_first_short_one_that_holds_an_answer(tmp_path, context):
    said: list[str] = []
    source, raw = taken(tmp_path, replace(context, report=said.append), "triviaqa_reading")
    found, (question,) = one(source, raw, "triviaqa")
    assert (found.title, found.text) == ("Ada", "Ada Bo sang.")
    assert (question.question_id, question.answers) == ("tc_1", ("Ada Bo",)), "what the page does not say is no form"
    assert said == ["1 questions without a short page that holds an answer are left out"]
    assert [each.split for each in documents(source, raw)] == ["test", "train"]


def test_hops_name_articles(tmp_path, context):
    source, raw = taken(tmp_path / "a", context, "hotpotqa")
    assert source.questions(raw, "hotpotqa", "test") == [
        Question("h", "test", "Who?", "bridge", answers=("Ada",),
            evidence=(Evidence(title="Ada"), Evidence(title="Bo & Cy")), shown=(Evidence(title="Di"),))
    ]  # fmt: skip
    assert source.questions(raw, "hotpotqa", "train") == []
    source, raw = taken(tmp_path / "b", context, "wikimqa2")
    (found,) = source.questions(raw, "wikimqa2", "test")
    assert (found.kind, [each.title for each in found.evidence]) == ("comparison", ["Ada", "Bo"])
    assert found.shown == (Evidence(title="Di"),)
