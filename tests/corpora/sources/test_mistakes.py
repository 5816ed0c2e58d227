"""A mistake in a publisher's file: the download is refused in one line that names file, record and value, and keeps nothing.

One table for all kinds: each case changes a file of the kind's sound replica. What a parser of any kind refuses: test_malformed.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from corpora.sources import create
from corpora.sources.base import Source
from corpora.sources.catalogue import entry
from corpora.sources.loogle_questions import PINNED
from haymaker.core.errors import SourceError
from tests.corpora.sources import helmet_archive, test_chinese, test_kilt_tasks, test_longbench
from tests.corpora.sources.faults import zipped
from tests.corpora.sources.replicas import REPLICAS
from tests.corpora.sources.test_alce import ASQA
from tests.corpora.sources.test_alce import archive as alce
from tests.corpora.sources.test_chinese import NEWS as LSHT
from tests.corpora.sources.test_documents import book, case, row, shards, written
from tests.corpora.sources.test_hub_rows import HOTPOT, NEWS, PAPER, WIKI, asked, columns, told
from tests.corpora.sources.test_hub_sources import parquet
from tests.corpora.sources.test_labelled import FILES as LABELLED
from tests.corpora.sources.test_longbench import item, shot
from tests.corpora.sources.test_loogle import ALL, SCRIPT, pair, record
from tests.corpora.sources.test_loogle import files as loogle
from tests.corpora.sources.test_meetings_and_chats import meetings, spans
from tests.corpora.sources.test_msmarco import QRELS, packed_collection
from tests.corpora.sources.test_popqa import row as person
from tests.corpora.sources.test_popqa import table as popqa
from tests.corpora.sources.test_squad import DEV, query
from tests.corpora.sources.test_wikipedia import FILE
from tests.corpora.sources.test_wikipedia import GOOD as PASSAGES
from tests.errors import refused

NQ, POPQA = "kilt/nq-dev-multikilt_1000_k1000_dep6.jsonl", "kilt/popqa_test_1000_k1000_dep6.jsonl"
GRADES = "msmarco/test_reranking_data_k1000_dep3.jsonl"
FIRST = "test-00000-of-00008.parquet"


def labelled(kind: str, file: str, old: bytes, new: bytes) -> dict[str, Any]:
    assert old in LABELLED[kind][file]
    return {file: LABELLED[kind][file].replace(old, new, 1)}


def rows(kind: str, *found: dict[str, Any]) -> dict[str, Any]:
    return {entry(kind)["plain"]["test"]: parquet(list(found))}


def squad(**change: object) -> dict[str, Any]:
    return {"dev-v2.0.json": json.dumps({"data": [{**DEV[0], **change}, DEV[1]]})}


def paragraph(*qas: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"context": "x", "qas": list(qas)}]


def nq(**change: object) -> dict[str, Any]:
    return {"nq-train-kilt.jsonl": [test_kilt_tasks.NQ | {"id": "5"} | change]}


def longbench(**sets: Any) -> dict[str, Any]:
    return test_longbench.archive(sets)


def lsht(*given: str) -> dict[str, Any]:
    return test_chinese.archive(lsht=[item("l1", *given)])


def helmet(member: str, number: int = -1, **change: object) -> dict[str, Any]:
    """With a changed record of a member (None: without this key), or without members of such names."""
    made = helmet_archive.lists(2, 8)
    if number < 0:
        return {"data.tar.gz": helmet_archive.archive({k: v for k, v in made.items() if not k.startswith(member)})}
    made[member][number] = {key: value for key, value in (made[member][number] | change).items() if value is not None}
    return {"data.tar.gz": helmet_archive.archive(made)}


ARCHIVE = "collectionandqueries.tar.gz"
QUERY, LAWSUIT = "test.jsonl:1, query 2", "releases/v20230518/sources.json"
NO_TYPE, BAD_TYPE = {"Q": "q", "A": "a", "S": []}, pair(sort="timeline")
HOP = {"answer": "A", "provenance": [{"wikipedia_id": "1", "start_paragraph_id": -1}]}
SHORT = [ASQA, {**ASQA, "qa_pairs": []}]
MISTAKES: list[tuple[str, dict[str, Any], tuple[object, ...]]] = [  # kind, files of another content, place and values
    ("alce", alce(SHORT), ("asqa_eval_gtr_top100.json: record 2", "'qa_pairs'")),
    ("babi", {"tasks.zip": zipped({"a/en/qa1_test.txt": "1 A b.\n"})}, ("", "'en-valid'")),
    ("banking77", labelled("banking77", "train.csv", b"lost_card", b"lost_card,2"), ("train.csv:3", 2)),
    ("clinc150", labelled("clinc150", "data_oos_plus.json", b'"oos_val"', b'"val"'), ("data_oos_plus.json", "'oos_val'")),
    ("dureader", {"dureader_raw.zip": zipped({"raw/devset/search.dev.json": "{}"})}, ("search.dev.json:1", "question_id")),
    ("gov_report", rows("gov_report", {"document": "x", "summary": "y"}), ("test-00000-of-00001.parquet", "'report'")),
    ("helmet_retrieved", helmet(NQ), ("data.tar.gz", NQ, 1)),
    ("helmet_retrieved", helmet(GRADES, 0, ctxs=[{"id": "1", "text": "x", "label": "high"}]), (f"{GRADES}:1",)),
    ("hotpotqa", rows("hotpotqa", HOTPOT, HOTPOT), ("source s: set hotpotqa", "'h'")),
    ("infinitebench", {"longbook_qa_eng.jsonl": [book(1, "B.", "Who?", ["x"])] * 2}, ("infbench_qa_eng", "'1'")),
    ("kilt_tasks", nq(output=[HOP]), ("nq-train-kilt.jsonl:1", "'start_paragraph_id'", -1)),
    ("kilt_tasks", nq(id="-4203"), ("source s: set nq", "'-4203'")),
    ("kilt_wikipedia", {FILE: [{"id": 1}]}, (f"{FILE}:1", "'text'")),
    ("longbench", longbench(multi_news=[item("q", "", "One.", "S")]), ("multi_news.jsonl:1", "context")),
    ("longbench", longbench(triviaqa=[item("q", shot("P", "Q"), shot("R", "S"), "a")]), ("triviaqa.jsonl:1", "answer")),
    ("longbench", {"data.zip": zipped({"data/qasper.jsonl": ""})}, ("narrativeqa.jsonl", 0)),
    (
        "longbench_paragraphs",
        longbench(passage_retrieval_en=[item("c", "S", "Paragraph 1: One.", "Paragraph 2")]),
        ("passage_retrieval_en.jsonl:1", 2),
    ),
    ("loogle", loogle([record(ALL), record([NO_TYPE])]), ("longdep_qa.jsonl:2, pair 1", f"Next: {PINNED}")),
    ("loogle", loogle([record(ALL[:2]), SCRIPT]), ("", "computation", f"Next: {PINNED}")),
    ("lsht", lsht(LSHT.format("球赛", ""), "新闻内容：\n球赛", "体育"), ("lsht.jsonl:1", "text")),
    ("msmarco_passages", {ARCHIVE: packed_collection("")}, ("unpacked/collection.tsv", "passage")),
    ("multi_lexsum", {"dev.json": [case("A", ["F1", "F77"])]}, ("lawsuit A", "'F77'")),
    ("multi_news", rows("multi_news", NEWS, NEWS | {"summary": ""}), ("default/test/0000.parquet: row 1", "'summary'")),
    ("narrativeqa", shards(row("b", "")), (f"data/{FIRST}: row 2", "'text'", 1, 12)),
    ("popqa", popqa(person(1), person(2, possible_answers="['a']")), ("test.tsv:3", "'possible_answers'", "JSON")),
    ("qasper", rows("qasper", PAPER | {"qas": columns([asked("a", told())])}), ("row 0, question 1", "free text")),
    ("qmsum", meetings(spans(["2", "4"])), (QUERY, 4)),
    ("qmsum", meetings({"meeting_transcripts": []}), ("test.jsonl:1", "sounds")),
    ("squad", squad(paragraphs=paragraph(query("q", "Why?"))), ("article 1, paragraph 1, question q", "answer")),
    ("trec", labelled("trec", "train_5500.label", b"ABBR:exp", b"ABBR"), ("train_5500.label:2", "'ABBR'")),
    ("trec_dl", {"2019qrels-pass.txt": QRELS + "1 Q0 900 4\n"}, ("2019qrels-pass.txt:17", 4, 3)),
    ("trec_dl", {"2019qrels-pass.txt": ""}, ("2019qrels-pass.txt", "judgement")),
    ("wikimqa2", rows("wikimqa2", WIKI | {"supporting_facts": "[["}), ("dev.parquet: row 0", "'supporting_facts'", "JSON")),
    ("dpr_passages", {"psgs_w100.tsv.gz": gzip.compress((PASSAGES.replace("1\t", "one\t", 1)).encode())}, ("psgs_w100.tsv:2", "'id'", "'one'")),
]  # fmt: skip


def changed(kind: str, files: dict[str, Any], folder: Path) -> Source:
    replica = REPLICAS[kind]()
    url = written(folder, {**replica.files, **files})
    return create("s", kind, {"url": url + replica.at, **replica.options}, where="w")


@pytest.mark.parametrize(("kind", "files", "message"), MISTAKES)
def test_a_mistake_shows_at_download(kind, files, message, tmp_path: Path, context) -> None:
    with refused(SourceError, *message):
        changed(kind, files, tmp_path / "web").fetch(tmp_path / "raw", context)
    assert not (tmp_path / "raw").exists()


def test_every_kind_with_checks_of_its_own_has_a_mistake() -> None:
    """Others read the same layout with the same code."""
    alike = {"kilt_passages", "longbench_paragraphs_zh", "longbench_zh", "musique", "nlu", "samsum", "triviaqa_reading"}
    assert set(REPLICAS) - {kind for kind, *_ in MISTAKES} == alike
