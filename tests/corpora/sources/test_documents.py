"""Documents with questions: NarrativeQA, InfiniteBench and Multi-LexSum from files of their layout, the mirror by heart.

Shown: a document is there once although files repeat it (docs/defects/helmet.md D8), asks name a document of their split,
references and key points are in their places, files of any size are read in pieces, and every mistake is named at download.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources import create, info
from corpora.sources.base import Source
from corpora.sources.formats import json_files
from corpora.sources.formats.json_files import members as read_members
from corpora.sources.loogle import LoogleMirror
from haymaker.core.rows.source_records import Document, DocumentQuestion, KeyPoint
from tests.corpora.sources.test_hub_sources import client_of, parquet


def written(folder: Path, files: dict[str, object]) -> str:
    """Files by name (lists become JSON lines) and their folder's address."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        text = "".join(json.dumps(line) + "\n" for line in data) if isinstance(data, list) else data
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else str(text).encode())
    return folder.as_uri()


def fetched(tmp_path: Path, context, kind: str, files: dict[str, object], **options: object) -> tuple[Source, Path]:
    source = create("s", kind, {"url": written(tmp_path / "web", files), **options}, where="w")
    source.fetch(tmp_path / "raw", context)
    assert source.verify(tmp_path / "raw", context) == []
    return source, tmp_path / "raw"


def documents(source: Source, raw: Path) -> list[Document]:
    return [document for batch in source.batches(raw) for document in source.read(raw, batch)]


# NarrativeQA


def row(story: str, question: object = "Who?", answers: tuple[str, ...] = ("Ada",), text: object = None) -> dict:
    return {
        "document": {
            "id": story,
            "kind": "movie",
            "text": f"<b>{story}</b>\nThe end." if text is None else text,
            "summary": {"text": "s", "title": f"Title of {story}"},
        },
        "question": {"text": question, "tokens": ["x"]},
        "answers": [{"text": answer, "tokens": [answer]} for answer in answers],
    }


def shard(rows: list[dict], row_group_size: int = 2) -> bytes:
    return parquet(rows, row_group_size)


def shards(change: dict | None = None) -> dict[str, object]:
    test = [[row("a"), row("a", "Where?", ("There", "Home", "There")), row("b"), row("c", "Why?")], [row("c", "How?")]]
    test += [[row(f"t{i}")] for i in range(2, 8)]
    if change:
        test[0][2] = change
    files = {f"test-{i:05d}-of-00008.parquet": shard(rows) for i, rows in enumerate(test)}
    return files | {f"train-{i:05d}-of-00024.parquet": shard([row(f"r{i}")]) for i in range(2)}


def test_narrativeqa_has_every_story_once_and_all_questions(tmp_path, context):
    source, raw = fetched(tmp_path, context, "narrativeqa", shards())
    found = documents(source, raw)
    assert found[0] == Document("a", "Title of a", "test", "\n\na\n\n\nThe end.")
    ids = ["a", "b", "c", *(f"t{i}" for i in range(2, 8)), "r0"]
    assert [(d.doc_id, d.split) for d in found] == [(key, "train" if key == "r0" else "test") for key in ids]
    assert [len(batch.pieces) for batch in source.batches(raw)][:2] == [1, 2], "a batch is the stories of a row group"
    questions = source.document_questions(raw, "narrativeqa")
    assert questions[1] == DocumentQuestion("a-1", "a", "test", "qa", "Where?", answers=("There", "Home"))
    assert [(a.question_id, a.text) for a in questions if a.doc_id == "c"] == [("c-0", "Why?"), ("c-1", "How?")]
    assert questions[-1] == DocumentQuestion("r0-0", "r0", "train", "qa", "Who?", answers=("Ada",))


def test_narrativeqa_is_read_without_the_pages_it_stands_on(tmp_path, context):
    page = (
        "<html><head><title>ALIEN</title></head><body><pre>\n<b>INT. SHIP</b>\n\tRIPLEY &amp; ASH<br>They&#39;ve <i>found</i> it."
        "<script>alert('x')</script></pre></body></html>"
    )
    asked = row("b", "What did <b>Ripley</b> &amp; Ash find?", ("Tom &amp; Jerry's nest", "it"), page)
    asked["document"]["summary"]["title"] = "Alien &amp; Co"
    source, raw = fetched(tmp_path, context, "narrativeqa", shards(asked))
    found = next(document for document in documents(source, raw) if document.doc_id == "b")
    lines = ["INT. SHIP", "\tRIPLEY & ASH", "They've found it."]
    assert found.title == "Alien & Co" and [line for line in found.text.split("\n") if line] == lines
    assert "SHIP\n\n" in found.text and "ASH\nThey" in found.text, "a bold line is a paragraph, a break ends a line"
    question = next(each for each in source.document_questions(raw, "narrativeqa") if each.doc_id == "b")
    assert (question.text, question.answers) == ("What did Ripley & Ash find?", ("Tom & Jerry's nest", "it"))


def test_narrativeqa_from_a_hub_reads_the_revision_and_leaves_other_train_files(hub, programs, tmp_path):
    files = {f"data/{name}": bytes(data) for name, data in shards().items()}
    sha = hub.commit("deepmind/narrativeqa", files)
    hub.commit("deepmind/narrativeqa", {"README.md": b"x"})
    got = client_of(programs)(tmp_path, "narrativeqa", revision=sha)
    assert [row[0] for row in got["documents"]] == ["a", "b", "c", *(f"t{i}" for i in range(2, 8)), "r0"]
    assert len(list((tmp_path / "raw/data").iterdir())) == 9


# InfiniteBench


def book(number: int, text: str, query: str, answer: list[str], options: tuple[str, ...] = ()) -> dict:
    return {"id": number, "context": text, "input": query, "answer": answer, "options": list(options)}


def infinite() -> dict[str, object]:
    return {
        "longbook_qa_eng.jsonl": [
            book(0, "One book.\nIts end. ", "Who?", ["Ada", "ADA "]),
            book(1, "Another é.", "Where?", ["Home"]),
            book(2, " One  book. Its end.", "When?", ["1990"]),
        ],
        "longbook_choice_eng.jsonl": [book(5, "Another é.", "Which?", ["Bo "], ("Ada", "Bo", "Cy", "Di"))],
        "longbook_sum_eng.jsonl": [
            book(7, "Third.", "", ["It ends."]),
            book(8, "One book. Its end.", "", ["All die."]),
        ],
    }


def test_infinitebench_knows_a_book_in_every_file(tmp_path, context):
    points = [{"id": 8, "keypoints": ["All die.", " All die. ", "It is one book."]}, {"id": 9, "keypoints": []}]
    written(tmp_path / "web", {"points.jsonl": points})
    source, raw = fetched(tmp_path, context, "infinitebench", infinite(), keypoints=str(tmp_path / "web/points.jsonl"))
    assert source.local_inputs() == [tmp_path / "web/points.jsonl"]
    found = documents(source, raw)
    assert [document.text for document in found] == ["One book.\nIts end. ", "Another é.", "Third."]
    one, another, third = (document.doc_id for document in found)
    qa, choice, summaries = (source.document_questions(raw, name) for name in source.document_sets())
    assert [(question.question_id, question.doc_id, question.answers) for question in qa] == [
        ("0", one, ("Ada", "ADA")), ("1", another, ("Home",)), ("2", one, ("1990",)),
    ]  # fmt: skip
    assert choice == [
        DocumentQuestion("5", another, "test", "choice", "Which?", answers=("Bo",), choices=("Ada", "Bo", "Cy", "Di"))
    ]
    assert summaries == [
        DocumentQuestion("7", third, "test", "summary", "", references=("It ends.",)),
        DocumentQuestion("8", one, "test", "summary", "", references=("All die.",),
            key_points=(KeyPoint("All die.", origin="judge"), KeyPoint("It is one book.", origin="judge"))),
    ]  # fmt: skip


# Multi-LexSum


def case(key: str, filings: list[str], short: str | None = "Short.", long: str | None = "Long.") -> dict:
    return {
        "case_id": key, "case_documents": filings, "summary/long": long, "summary/short": short, "summary/tiny": None,
    }  # fmt: skip


FILINGS = {f"F{i}": {"doc_text": f" Filing {i}. é\n", "doc_type": "x"} for i in range(9)} | {"E": {"doc_text": "\n"}}
CASES: dict[str, object] = {
    "dev.json": [
        case("A-1", ["F3", "E", "F1"]), case("A-2", ["F2"], short=None), case("A-3", ["F1"], long=None), case("A-4", ["E"]),
    ],
    "train.json": [case(f"T-{i}", [f"F{i}"]) for i in range(9)],
    "sources.json": json.dumps(FILINGS, ensure_ascii=False),
}  # fmt: skip


def test_multi_lexsum_joins_the_filings_of_a_lawsuit(tmp_path, context):
    reports: list[str] = []
    context = type(context)(None, context.cache, context.lock_file, reports.append)
    source, raw = fetched(tmp_path, context, "multi_lexsum", CASES, train_cases=2)
    assert documents(source, raw)[:2] == [
        Document("A-1", "", "test", "Filing 3. é\n\nFiling 1. é"),
        Document("A-3", "", "test", "Filing 1. é"),
    ]
    train = [document for document in documents(source, raw) if document.split == "train"]
    assert len(train) == 2 and all(d.text == f"Filing {d.doc_id[2:]}. é" for d in train)
    assert source.document_questions(raw, "multi_lexsum")[:2] == [
        DocumentQuestion("A-1", "A-1", "test", "summary", "", references=("Short.", "Long.")),
        DocumentQuestion("A-3", "A-3", "test", "summary", "", references=("Short.",)),
    ]
    assert reports[-1] == "1 lawsuits without a word of their filings are left out"
    assert sorted(path.name for path in raw.rglob("*.json*")) == [
        "SOURCE.json", "cases.jsonl", "dev.json", "questions.jsonl", "train.json",
    ]  # fmt: skip
    assert info("multi_lexsum").redistribution is False, "the summaries may not be used for gain"


@given(st.dictionaries(st.text(), st.dictionaries(st.text(), st.text() | st.integers()), min_size=1), st.integers(1, 9))
def test_members_are_those_of_the_whole_object_whatever_the_size_of_a_read(tmp_path_factory, value, size):
    path = tmp_path_factory.mktemp("m") / "m.json"
    path.write_text(json.dumps(value, indent=size % 3 or None, ensure_ascii=bool(size % 2)), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "_CHUNK", size)
        assert dict(read_members(path)) == value


# The mirror


def mirrored(kind: str, real, tmp_path: Path) -> tuple[Source, Path]:
    source = create("s", kind, {}, where="w")
    source.fetch(tmp_path / "raw", real)
    assert source.verify(tmp_path / "raw", real) == []
    return source, tmp_path / "raw"


@pytest.mark.real
def test_loogle_of_the_mirror(held):
    source, raw = held("loogle_mirror")
    texts = {document.doc_id: document.text for document in documents(source, raw)}
    assert len(texts) == 10 and sum(map(len, texts.values())) == 906_929
    assert "replaced in the 1960s by asphalt.\n\nIt should" in texts["Urban planning of Barcelona"]
    qa, summaries = source.document_questions(raw, "loogle_qa"), source.document_questions(raw, "loogle_sum")
    assert len(qa) == 11 and sum(bool(question.evidence) for question in qa) == 3
    for question in qa:
        assert all(sentence in " ".join(texts[question.doc_id].split()) for sentence in question.evidence)
        assert "\n" not in question.answers[0]
        assert "?" not in question.text.rstrip("?") or "true? Why" in question.text
    (mosques,) = [question for question in qa if question.text.startswith("Which provinces' mosques")]
    assert mosques.answers[0].endswith("Adıyaman and Şanlıurfa.")  # "Ad?yaman and ?anl?urfa" as published
    assert [len(question.references[0]) for question in summaries] == [1_046, 985, 1_452, 1_156, 666]
    assert not any(question.references[0][:60] in texts[question.doc_id] for question in summaries)
    assert not any("@" in texts[question.doc_id] for question in summaries)


ORDER = "Put these in order:\n1. It fell.\n2.It rose.\n3. It stood."


def test_answers_of_loogle_that_words_alone_can_tell_right(tmp_path):
    """Orders: "1,2,3" has all words of "2,1,3". What a bracket adds to an answer need not be said."""
    days = "21 days(from 3 March to 24 March)."
    cases = [
        (ORDER, "2,1,3", ()),
        (ORDER, "3, 1, 2.", ()),
        (ORDER, "It stood.", ("It stood.",)),
        ("Which years?", "1, 2, 3", ("1, 2, 3",)),
        ("How long?", days, (days, "21 days")),
        ("Who?", "the (new) league", ("the (new) league",)),
        ("Who?", "(nobody)", ("(nobody)",)),
    ]
    pairs = repr([{"Q": question, "A": answer, "S": []} for question, answer, _ in cases])
    written(tmp_path, {"longdep_qa.jsonl": [{"input": "One.", "title": "T", "qa_pairs": pairs, "output": "None"}]})
    found = LoogleMirror().document_questions(tmp_path, "loogle_qa")
    assert [each.answers for each in found] == [answers for *_, answers in cases if answers]
