"""Kinds on a Hub on the loopback, end to end: revisions are resolved once and locked."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.corpora.sources.faults import PAGE
from tests.forks import Forks
from tests.hub import Fault

CLIENT = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import HaymakerError
kind, options, root = sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3])
context = FetchContext(None, root / "work", root / "sources.lock.json")
source = create("mine", kind, options, where="params.yaml")
try:
    source.fetch(root / "raw", context)
except HaymakerError as error:
    print(json.dumps({"error": str(error)}))
else:
    raw = root / "raw"
    batches = source.batches(raw) if "documents" in source.info.roles else ()
    documents = [doc for batch in batches for doc in source.read(raw, batch)]
    rows = [[doc.doc_id, doc.title, doc.split, doc.text] for doc in documents]
    sets = {name: [asdict(each) for each in source.document_questions(raw, name)] for name in source.document_sets()}
    asked = [
        [q.question_id, q.text, q.answers[0]] for name in source.question_sets() for q in source.questions(raw, name, "test")
    ]
    print(json.dumps({"documents": rows, "problems": source.verify(raw, context), "sets": sets, "asked": asked}))
"""


Client = Callable[..., dict[str, Any]]


@pytest.fixture
def client(programs: Forks) -> Client:
    """Fetches a source below a folder and reads it, in a process of its own."""
    return client_of(programs)


def client_of(forks: Forks) -> Client:
    return lambda root, kind, **options: forks(CLIENT, kind, json.dumps(options), str(root))


def parquet(rows: list[dict], row_group_size: int | None = None) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out, row_group_size=row_group_size)
    return out.getvalue()


def books(first: int, count: int, **extra: object) -> bytes:
    url = "http://www.gutenberg.org/ebooks/"
    return parquet(
        [
            {"short_book_title": f"B{i}", "publication_date": 1850, "url": f"{url}{i}", "text": f"text {i}", **extra}
            for i in range(first, first + count)
        ]
    )


def test_pg19_reads_the_wanted_splits_and_locks_the_commit(hub, client, tmp_path):
    files = {
        "README.md": b"x",
        "data/test-00000-of-00001-ab.parquet": books(10, 3),
        "data/validation-00000-of-00001-ab.parquet": books(20, 2),
        "data/train-00000-of-00001-ab.parquet": books(30, 4),
    }
    sha = hub.commit("emozilla/pg19", files)
    got = client(tmp_path, "pg19", revision=None, splits=["test", "dev"])
    books_of = {"test": (10, 11, 12), "dev": (20, 21)}
    assert got["documents"] == [[f"{n}", f"B{n}", split, f"text {n}"] for split in books_of for n in books_of[split]]
    assert got["problems"] == []
    assert not any("train" in request for request in hub.requests if "/resolve/" in request)
    lock = json.loads((tmp_path / "sources.lock.json").read_bytes())["pg19"]
    assert lock["revision"] == sha and set(lock["files"]) == {p for p in files if "test" in p or "valid" in p}
    manifest = json.loads((tmp_path / "raw/SOURCE.json").read_bytes())
    assert manifest["revision"] == sha
    assert manifest["downloads"][0]["url"].startswith(f"hf://datasets/emozilla/pg19@{sha}/data/")

    hub.commit("emozilla/pg19", {**files, "data/test-00000-of-00001-ab.parquet": books(90, 3)})
    assert client(tmp_path, "pg19", revision=None, splits=["test", "dev"]) == got  # main has moved on, the lock has not


def test_hub_source(hub, client, tmp_path):
    files = {"data/a.parquet": parquet([{"key": i, "body": f"text {i}"} for i in range(4)])}
    files["data/b.parquet"] = parquet([{"key": 9, "body": "nine"}])
    hub.commit("lab/law", files)
    options = {"repo": "lab/law", "text_column": "body", "id_column": "key"}
    got = client(tmp_path, "hub", **options)
    assert [row[0] for row in got["documents"]] == ["0", "1", "2", "3", "9"] and got["problems"] == []
    second = hub.commit("lab/law", {"data/a.parquet": files["data/b.parquet"]})
    pinned = client(tmp_path / "two", "hub", **options, revision=second)
    assert [row[0] for row in pinned["documents"]] == ["9"]
    assert set(json.loads((tmp_path / "two/sources.lock.json").read_bytes())) == {f"hub:lab/law@{second}"}


@pytest.mark.parametrize("kind", ["pg19", pytest.param("hub", marks=pytest.mark.slow)])
def test_a_hub_in_trouble_gives_the_files_or_names_the_fault_and_poisons_nothing(hub, client, tmp_path, kind):
    hub.commit("emozilla/pg19", {"data/test-00000-of-00001-ab.parquet": books(10, 3), "notes.md": b"x"})
    options = {"revision": None} | ({} if kind == "pg19" else {"repo": "emozilla/pg19", "text_column": "text"})
    found = client(tmp_path / "sound", kind, **options)
    assert len(found["documents"]) == 3
    files = "*/resolve/*"
    hub.faults = [Fault(files, status=503), Fault(files, cut=100), Fault("*/tree/*", status=503)]
    assert client(tmp_path / "trouble", kind, **options) == found
    assert all(not fault.times for fault in hub.faults), "every fault has struck"
    faults = [
        (Fault(files, served=lambda data: PAGE), "web page|wrong size"),
        (Fault(files, served=lambda data: data[:-9]), "wrong size|cut short|wrong checksum"),
        (Fault(files, times=99, status=503), r"cannot be reached \(status 503\).*HF_TOKEN"),
    ]
    for number, (fault, message) in enumerate(faults):
        root = tmp_path / str(number)
        hub.faults = [fault]
        line = client(root, kind, **options)["error"]
        assert re.search(message, line) and "\n" not in line
        assert not (root / "raw").exists() and not (root / "sources.lock.json").exists()
        hub.faults = []
        assert client(root, kind, **options) == found
