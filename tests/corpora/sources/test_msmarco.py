"""MS MARCO passages, and TREC queries with graded judgements."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from corpora.sources import create
from haymaker.core.rows.source_records import Passage
from tests.corpora.sources.faults import tarred

COLLECTION = '0\tThe "presence" of\u2028communication.\n1\t It\'s AntonÃ­n. \n'
QUERIES = "".join(f"{i}\tquery {i}\n" for i in range(1, 9)) + "99\tnever judged\n"
QRELS = "".join(f"{i} Q0 70{i} {i % 4}\n{i} Q0 800 0\n" for i in range(1, 9))


def packed_collection(text: str) -> bytes:
    return tarred(dict.fromkeys(("collection.tsv", "queries.train.tsv"), text), "w:gz")


def test_passages_have_no_title_and_nothing_is_quoted(tmp_path, context):
    (tmp_path / "collectionandqueries.tar.gz").write_bytes(packed_collection(COLLECTION))
    source = create("m", "msmarco_passages", {"url": tmp_path.as_uri()}, where="w")
    source.fetch(tmp_path / "raw", context)
    (batch,) = source.batches(tmp_path / "raw")
    assert list(source.passages(tmp_path / "raw", batch)) == [
        Passage("0", "", "", "", 'The "presence" of\u2028communication.'),
        Passage("1", "", "", "", "It's AntonÃ­n."),
    ]


def trec(tmp_path: Path, context, qrels: str = QRELS, **options: object) -> tuple[object, Path]:
    far = tmp_path / "far"
    far.mkdir()
    (far / "msmarco-test2019-queries.tsv.gz").write_bytes(gzip.compress(QUERIES.encode()))
    (far / "2019qrels-pass.txt").write_text(qrels)
    source = create("t", "trec_dl", {"url": far.as_uri(), "years": ["dl19"], **options}, where="w")
    source.fetch(tmp_path / "raw", context)
    return source, tmp_path / "raw"


def test_queries_held_out_do_not_depend_on_the_order_of_the_file(tmp_path, context):
    source, raw = trec(tmp_path, context, demos=3)
    held = {q.question_id for q in source.questions(raw, "dl19", "train")}
    (raw / "2019qrels-pass.txt").write_text("".join(reversed(QRELS.splitlines(keepends=True))))
    assert {q.question_id for q in source.questions(raw, "dl19", "train")} == held
    fewer = create("t", "trec_dl", {"years": ["dl19"], "demos": 2}, where="w")
    assert {q.question_id for q in fewer.questions(raw, "dl19", "train")} < held


@pytest.mark.real
def test_the_mirrors_slice_and_its_real_grades(held):
    source, raw = held("msmarco_mirror")
    passages = {p.passage_id: p for batch in source.batches(raw) for p in source.passages(raw, batch)}
    assert len(passages) == 4_202
    assert all(p.text and not p.title for p in passages.values())
    test, train = source.questions(raw, "dl19", "test"), source.questions(raw, "dl19", "train")
    assert (len(test), len(train)) == (38, 5)
    grades = Counter(e.grade for q in test + train for e in q.evidence)
    assert grades == {1: 1601, 2: 1804, 3: 697}  # docs/spec/helmet.md 3: all but the 5,158 of grade 0
    assert all(e.passage_id in passages for q in test + train for e in q.evidence)
