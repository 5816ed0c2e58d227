"""haymaker sources check: every address asked, each fault named in its line, exit status 1, nothing written."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from haymaker.core.errors import CheckFailed
from pipelines.plan import check_urls
from pipelines.project import Project
from tests.corpora.sources.faults import PAGE, Server, Wrong, serving
from tests.errors import refused


def parquet(**columns: list[object]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


GOOD = {
    "a.jsonl": (b'{"question": "q", "answers": ["a"]}\n{"broken', "keys question, answers"),
    "a.json": (b'{\n "a": 1}', "JSON"),
    "a.jsonl.gz": (gzip.compress(b'{"text": "t"}\n' * 9), "packed keys text"),
    "a.tsv.gz": (gzip.compress(b"1\tx\n"), "packed tsv"),
    "a.zip": (b"PK\x03\x04...", "zip"),
    "a.parquet": (parquet(text=["x"] * 9, label=[1] * 9), "columns text, label"),
    "a.csv": (b"text,label\n", "csv"),
}
BAD = {
    "b.jsonl": (b"sorry\n", "is not JSON"),
    "b.parquet": (PAGE, "web page"),
    "b.zip": (b"{}", "does not start like a .zip file"),
    "b.gz": (b"\x1f\x8bnonsense", "is damaged"),
    "c.parquet": (b"PAR1 and no end", "is not a Parquet file"),
    "b.txt": (b"", "is empty"),
}
TROUBLE = [(Wrong(404), "no such file"), (Wrong(503), "status 503"), (Wrong(403), "refused"), (Wrong(cut=0), "reached")]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        yield state


class Files(Addressed):
    """A source of files at some place."""

    kind: ClassVar[str] = "files"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Files", homepage="", licence="CC0-1.0", roles=("questions",), download_bytes=10
    )


def checked(folder: Path, name: str, address: str, *pinned: Any) -> check_urls.UrlCheck:
    context = FetchContext(None, folder, folder / "l")
    return check_urls.check_address(Files(), RawFile(name, address, *pinned), context)


def test_what_is_there_is_described(server, tmp_path):
    """A table on this machine is not asked of the web: before, a user's own Parquet file was called broken."""
    for name, (data, seen) in GOOD.items():
        server.files[f"/{name}?key=secret"] = data
        found = checked(tmp_path, name, f"{server.url}/{name}?key=secret")
        assert (found.fault, found.seen, found.size, found.pinned) == ("", seen, len(data), "first download")
        assert "secret" not in found.address and not list(tmp_path.iterdir())
    (tmp_path / "a.parquet").write_bytes(GOOD["a.parquet"][0])
    found = checked(tmp_path, "a.parquet", (tmp_path / "a.parquet").as_uri())
    assert (found.fault, found.seen, found.pinned) == ("", "parquet", "user")


def test_what_is_not_the_file_is_named(server, tmp_path):
    for name, (data, fault) in BAD.items():
        server.files[f"/{name}"] = data
        assert fault in checked(tmp_path, name, f"{server.url}/{name}").fault
    server.files["/a.csv"] = b"text,label\n"
    found = checked(tmp_path, "a.csv", f"{server.url}/a.csv", 12, "0" * 64)
    assert found.fault == "11 bytes, not 12" and found.pinned == "sha256"
    for wrong, fault in TROUBLE:
        server.wrong = [wrong]
        assert fault in checked(tmp_path, "a.csv", f"{server.url}/a.csv").fault


def test_the_table_names_every_address_and_one_broken_one_is_status_1(server, tmp_path, monkeypatch, capsys):
    root = tmp_path / "project"
    root.mkdir()
    (root / "dvc.yaml").write_text(Path("dvc.yaml").read_text())
    text = Path("params/demo.yaml").read_text()
    (root / "params.yaml").write_text(
        text.replace("sources:\n", f"sources:\n  far: {{kind: trec, url: '{server.url}'}}\n", 1)
    )
    server.files |= {"/train_5500.label": b"NUM:date When ?\n", "/TREC_10.label": b"NUM:date When ?\n"}
    monkeypatch.chdir(root)
    check_urls.check(Project.here())
    shown = capsys.readouterr().out
    assert "train_5500.label" in shown and "TREC_10.label" in shown and "BROKEN" not in shown
    del server.files["/TREC_10.label"]
    with refused(CheckFailed, "", 1, 2, "TREC_10.label"):
        check_urls.check(Project.here())
    assert "BROKEN: no such file" in capsys.readouterr().out
    assert sorted(path.name for path in root.iterdir()) == ["dvc.yaml", "params.yaml"]
