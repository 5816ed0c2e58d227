"""QMSum and SAMSum: turns stay apart, evidence is whole turns of the document, one chat is in one split; the mirror by heart."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from corpora.sources import create
from haymaker.core.rows.source_records import Document, DocumentQuestion
from tests.corpora.sources.test_documents import documents, fetched, written


def meeting(name: str = "Ada", turns: int = 4, **change: object) -> dict[str, Any]:
    spoken = [{"speaker": name, "content": f" Turn\n {number} " if number != 1 else " "} for number in range(turns)]
    return {
        "topic_list": [],
        "general_query_list": [{"query": "Sum it up.", "answer": "They take turns."}],
        "specific_query_list": [
            {"query": "What of three?", "answer": "It is there.", "relevant_text_span": [["3", "3"], [0, "2"]]},
            {"query": "what of three", "answer": "It is last.", "relevant_text_span": [["3", "3"]]},
        ],
        "meeting_transcripts": spoken,
        **change,
    }


def meetings(change: dict[str, Any] | None = None) -> dict[str, object]:
    first = meeting() | (change or {})
    return {"test.jsonl": [first], "val.jsonl": [meeting("Bo")], "train.jsonl": [meeting("Cy"), meeting("Di")]}


def test_qmsum_keeps_turns_apart_and_gives_spans_as_evidence(tmp_path, context):
    source, raw = fetched(tmp_path, context, "qmsum", meetings())
    found = documents(source, raw)
    assert found[0] == Document(found[0].doc_id, "Meeting 1", "test", "Ada: Turn 0\n\nAda: Turn 2\n\nAda: Turn 3")
    assert [each.split for each in found] == ["test", "dev", "train", "train"]
    asked = source.document_questions(raw, "qmsum")
    key = found[0].doc_id
    assert asked[:2] == [
        DocumentQuestion(f"{key}-01", key, "test", "summary", "Sum it up.", references=("They take turns.",)),
        DocumentQuestion(
            f"{key}-02", key, "test", "summary", "What of three?", references=("It is there.", "It is last."),
            evidence=("Ada: Turn 0\n\nAda: Turn 2", "Ada: Turn 3", "Ada: Turn 3"),
        ),
    ]  # fmt: skip
    assert Counter(each.split for each in asked) == {"test": 2, "dev": 2, "train": 4}


def spans(*found: object) -> dict[str, Any]:
    return {"specific_query_list": [{"query": "What?", "answer": "It.", "relevant_text_span": list(found)}]}


CHAT = {"id": "1", "dialogue": "Ada: Hi\r\nBo: Hello \n\nAda: Bye", "summary": "They greet."}


def test_samsum_keeps_turns_apart_and_splits_by_words(tmp_path):
    same = CHAT | {"id": "2", "dialogue": "ada: hi! bo: hello; ada: bye"}
    written(tmp_path, {"samsum_test_repaired.jsonl": [CHAT, same]})
    for split in ("test", "train"):
        source = create("s", "samsum_mirror", {"splits": {split: 1}}, where="w")
        found = documents(source, tmp_path)
        assert found[0] == Document("1", "", split, "Ada: Hi\n\nBo: Hello\n\nAda: Bye")
        (first, second) = source.document_questions(tmp_path, "samsum")
        assert first == DocumentQuestion("1", "1", split, "summary", "", references=("They greet.",))
        assert second.split == split
    mixed = create("s", "samsum_mirror", {"splits": {"test": 50, "train": 50}}, where="w")
    assert len({each.split for each in documents(mixed, tmp_path)}) == 1  # the same words


# The mirror


@pytest.mark.slow
@pytest.mark.real
def test_qmsum_of_the_mirror(held):
    source, raw = held("qmsum_mirror")
    found = {each.doc_id: each for each in documents(source, raw)}
    assert Counter(each.split for each in found.values()) == {"test": 35, "dev": 35, "train": 65}
    asked = source.document_questions(raw, "qmsum")
    assert Counter(each.split for each in asked) == {"test": 269, "dev": 271, "train": 566}
    assert Counter(each.split for each in asked if each.evidence) == EVIDENCE
    assert Counter(len(each.references) for each in asked) == {1: 1_103, 2: 3}
    assert all(span in found[each.doc_id].text for each in asked for span in each.evidence)
    assert not any("Kryptonite" in each.references[0] for each in asked)  # said once, as a joke
    assert asked[0].text == "Summarize the whole meeting." and not asked[0].evidence
    first = next(each for each in asked if each.evidence)
    assert first.evidence[0].startswith("Barry Hughes: Perfectly happy.\n\nSian Gwenllian AM: Thank you very much.")


EVIDENCE = {"test": 172, "dev": 176, "train": 434}
