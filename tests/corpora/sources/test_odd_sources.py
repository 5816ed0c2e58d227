"""Odd records in sources of every shape (the rule itself: test_odd_records): a few are left out and counted, many end the download."""

from __future__ import annotations

import json

from corpora.sources import create
from haymaker.core.errors import SourceError
from pipelines import stages
from tests.corpora.sources.faults import serving
from tests.corpora.sources.test_documents import documents, row, shard, shards, written
from tests.corpora.sources.test_documents import fetched as fetched_documents
from tests.corpora.sources.test_hub_rows import REPORT, taken
from tests.corpora.sources.test_kilt_tasks import NQ, far
from tests.corpora.sources.test_loogle import ALL, SCRIPT, files, pair, record
from tests.errors import refused
from tests.pipelines import test_passages_stage as passages
from tests.pipelines import tiny


def test_another_shape_is_never_passed_over(tmp_path, context):
    rows = [{**NQ, "id": f"q{at}", "input": "Who?" if at else 3} for at in range(200)]
    url = far(tmp_path, nqQdev_kilt=rows, nqQtrain_kilt=[NQ])
    source = create("tasks", "kilt_tasks", {"url": url, "tasks": ["nq"]}, where="w")
    with refused(SourceError, "nq-dev-kilt.jsonl:1", "'input'"):
        source.fetch(tmp_path / "raw", context)


def test_a_blank_story_goes_with_its_questions(tmp_path, context):
    rows = [row(f"s{at}") for at in range(150)]
    rows[7] = row("s7", text=" ")
    made = shards() | {"test-00000-of-00008.parquet": shard(rows, 50)}
    source, raw = fetched_documents(tmp_path, context, "narrativeqa", made)
    ids = [document.doc_id for document in documents(source, raw)]
    assert "s7" not in ids and {"s6", "s8"} <= set(ids)
    assert json.loads((raw / "SOURCE.json").read_bytes())["left_out"] == {"documents": 1}
    made["test-00000-of-00008.parquet"] = shard([row(f"s{at}", text=" " if at < 3 else None) for at in range(150)], 50)
    with refused(SourceError, "data/test-00000-of-00008.parquet: row 0", "'text'", 3):
        fetched_documents(tmp_path, context, "narrativeqa", made)


def test_rows_of_parquet_without_a_summary(tmp_path, context):
    rows = [REPORT | {"report": f"Report {at}.", "summary": "" if at == 5 else "In short."} for at in range(120)]
    source, raw = taken(tmp_path, context, "gov_report", rows)
    assert len(documents(source, raw)) == len(source.document_questions(raw, "gov_report")) == 119
    assert json.loads((raw / "SOURCE.json").read_bytes())["left_out"] == {"documents": 1}


def test_a_blank_article_far_down_ends_no_run_and_is_counted(tmp_path, monkeypatch):
    def article(at: int, given=passages.article):
        return given(at) | ({"text": []} if at == 5 else {"wikipedia_title": f"Mill {at}"})

    monkeypatch.setattr(passages, "article", article)
    prepared = passages.project(tmp_path, lines=12)
    stages.run(prepared, "prepare")
    counts = json.loads((prepared.counts / "prepare/passages/wiki100/counts.json").read_bytes())
    assert counts["articles"] == 11
    assert counts["left_out"]["odd_articles"] == 1
    assert tiny.leftovers(prepared.root) == []


def test_what_failed_is_asked_for_again(tmp_path, context):
    """Found bad by a look that a source takes before its check: nothing of it is kept for the next run."""
    with serving() as web:
        source = create("s", "loogle", {"url": web.url}, where="w")

        def fetch(pairs: list[dict]) -> None:
            written(tmp_path / "web", files([record(pairs), SCRIPT]))
            web.files = {f"/{path.name}": path.read_bytes() for path in (tmp_path / "web").iterdir()}
            source.fetch(tmp_path / "raw", context)

        with refused(SourceError, "longdep_qa.jsonl:1, pair 1", "'A'"):
            fetch([pair("Who?", " ")] * 9)
        assert not context.lock_file.exists()
        fetch([*ALL, pair("Whose script?")])
    assert len(source.document_questions(tmp_path / "raw", "longdep")) == 6
