"""Corpora of the user's own: declared in parameters alone, wrong records named by file and line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from corpora.sources import create
from corpora.sources.formats import batches
from corpora.sources.formats import lines as line_files
from corpora.sources.question_source import share_split
from haymaker.core.errors import SourceError
from tests.errors import refused

ROWS = [{"id": f"doc-{i}", "body": f"text {i} \u6cd5\u9662", "name": f"T{i}"} for i in range(50)]


def lines(rows: list[object]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def jsonl(tmp_path: Path, data: bytes, name: str = "a.jsonl", **options: object):
    (tmp_path / name).write_bytes(data)
    return create("law", "jsonl", {"path": str(tmp_path / name), "text_key": "body", **options}, where="w")


def fetched(source, tmp_path, context):
    raw = tmp_path / "raw" / source.name
    source.fetch(raw, context)
    assert source.verify(raw, context) == []
    return [doc for batch in source.batches(raw) for doc in source.read(raw, batch)]


class TestJsonl:
    def test_batches_are_whole_lines_and_cover_all(self, tmp_path, context, monkeypatch):
        source = jsonl(tmp_path, b"\n" + lines(ROWS), title_key="name")
        whole = fetched(source, tmp_path, context)
        assert [(doc.title, doc.text, doc.split) for doc in whole] == [(r["name"], r["body"], "test") for r in ROWS]
        monkeypatch.setattr(line_files, "BATCH_BYTES", 300)
        monkeypatch.setattr(batches.group, "__defaults__", (300,))
        raw = tmp_path / "raw/law"
        cut = source.batches(raw)
        assert len(cut) > 5
        assert [doc for batch in cut for doc in source.read(raw, batch)] == whole
        assert whole[0].doc_id == "a.jsonl:2" and whole[-1].doc_id == "a.jsonl:51"

    def test_a_wrong_record_is_refused_at_download_with_its_line(self, tmp_path, context):
        with refused(SourceError, "files/a.jsonl:51", "UTF-8", 10):
            jsonl(tmp_path, lines(ROWS) + b'{"body": "\xe9"}\n').fetch(tmp_path / "raw/law", context)
        source = jsonl(tmp_path, lines([*ROWS, {"body": "x", "id": "doc-7"}]), id_key="id")
        with refused(SourceError, "files/a.jsonl:51", "'doc-7'"):
            source.fetch(tmp_path / "raw/law", context)
        assert not (tmp_path / "raw/law").exists()


class TestParquet:
    def make(self, tmp_path: Path, table: pa.Table, **options: object):
        pq.write_table(table, tmp_path / "a.parquet", row_group_size=10)
        return create(
            "p", "parquet", {"path": str(tmp_path / "a.parquet"), "text_column": "body", **options}, where="w"
        )

    def test_rows_by_row_group(self, tmp_path, context, monkeypatch):
        source = self.make(tmp_path, pa.Table.from_pylist(ROWS), id_column="id")
        monkeypatch.setattr(batches.group, "__defaults__", (1,))
        found = fetched(source, tmp_path, context)
        assert len(source.batches(tmp_path / "raw/p")) == 5
        assert [(doc.doc_id, doc.text) for doc in found] == [(row["id"], row["body"]) for row in ROWS]
        assert fetched(self.make(tmp_path, pa.Table.from_pylist(ROWS)), tmp_path, context)[-1].doc_id == "a.parquet:49"

    def test_wrong_tables(self, tmp_path, context):
        file, by_id = "files/a.parquet", {"id_column": "id"}
        wrong = [
            ({"bodi": ["x"]}, {}, (file, "'body'", "Next: 'bodi'")),
            ({"body": ["x"] * 12, "id": [*range(11), 3]}, by_id, (f"{file}: row 11", "'3'")),
            ({"body": pa.array([], pa.string())}, {}, ("source p", "document")),
        ]
        for columns, options, message in wrong:
            with refused(SourceError, *message):
                self.make(tmp_path, pa.table(columns), **options).fetch(tmp_path / "raw/p", context)


class TestTextFolder:
    def make(self, tmp_path: Path, names: list[str], **options: object):
        for name in names:
            path = tmp_path / "mine" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"text of {name}")
        return create("t", "text_folder", {"path": str(tmp_path / "mine"), **options}, where="w")

    def test_sub_folders_name_the_split(self, tmp_path, context):
        source = self.make(
            tmp_path, ["test/b/2.txt", "test/b/10.txt", "validation/1.txt", "train/1.txt", "test/.x.txt", "test/n.md"]
        )
        found = [(doc.doc_id, doc.split) for doc in fetched(source, tmp_path, context)]
        assert found == [("test/b/2", "test"), ("test/b/10", "test"), ("train/1", "train"), ("validation/1", "dev")]

    def test_a_file_without_a_split_and_two_of_one_id(self, tmp_path, context):
        with refused(SourceError, "source t: 1.txt"):
            self.make(tmp_path, ["1.txt"]).fetch(tmp_path / "raw/t", context)
        (found,) = fetched(self.make(tmp_path, ["1.txt"], split="dev"), tmp_path, context)
        assert (found.doc_id, found.split, found.text) == ("1", "dev", "text of 1.txt")
        with refused(SourceError, "1.txt", "'1'"):
            self.make(tmp_path, ["1.md"], split="test", pattern="*").fetch(tmp_path / "raw/t", context)


class TestSplits:
    def test_shares_decide_by_name_alone(self):
        shares = {"test": 80, "dev": 5, "train": 15}
        assert [share_split(f"doc-{i}", shares)[-1] for i in range(12)] == list("tttttttnvtnn")
        counts = Counter(share_split(str(i), dict(reversed(shares.items()))) for i in range(20_000))
        assert counts == Counter(share_split(str(i), shares) for i in range(20_000))
        assert abs(counts["test"] / 20_000 - 0.80) < 0.02 and abs(counts["dev"] / 20_000 - 0.05) < 0.01
