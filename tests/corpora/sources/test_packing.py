"""Packed files of a user: unpacked once at download, in any letter case, by their content, for every kind."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError
from tests.errors import refused

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}
LINES = b"".join(json.dumps({"id": i, "title": "T", "text": f"text {i}"}).encode() + b"\n" for i in range(3000))


def jsonl(path: object, tmp_path: Path, context: FetchContext, kind: str = "jsonl") -> list[str]:
    options = {"text_key": "text", "id_key": "id"} if kind == "jsonl" else {}
    source = create("mine", kind, {"path": path, **options}, where="w")
    source.fetch(tmp_path / "raw", context)
    assert source.verify(tmp_path / "raw", context) == []
    read = source.read if kind == "jsonl" else source.articles
    found = [each for batch in source.batches(tmp_path / "raw") for each in read(tmp_path / "raw", batch)]
    return [each.doc_id if kind == "jsonl" else each.article_id for each in found]


@pytest.mark.parametrize(
    ("kind", "name"), [("gz", "a.jsonl.gz"), ("bz2", "A.JSONL.BZ2"), ("xz", "a.jsonl"), ("zst", "a.jsonl.zst")]
)
def test_lines_are_read_by_content_whatever_the_name(kind, name, tmp_path, context):
    (tmp_path / name).write_bytes(PACK[kind](LINES[:9000]) + PACK[kind](LINES[9000:]))  # two streams
    assert jsonl(str(tmp_path / name), tmp_path, context) == [str(i) for i in range(3000)]
    assert [path.name for path in (tmp_path / "raw/files").iterdir()] == [name[:7]]
    (tmp_path / name).write_bytes(LINES)  # a server may have unpacked it
    assert len(jsonl(str(tmp_path / name), tmp_path, context)) == 3000


def test_zstandard_with_a_long_window(tmp_path, context):
    options = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=options).compressobj()
    (tmp_path / "a.jsonl.zst").write_bytes(packer.compress(LINES) + packer.flush())
    assert len(jsonl(str(tmp_path / "a.jsonl.zst"), tmp_path, context)) == 3000


@pytest.mark.parametrize("kind", PACK)
def test_damaged_and_truncated_files_are_one_line(kind, tmp_path, context):
    data, path = PACK[kind](LINES), tmp_path / f"a.jsonl.{kind}"
    for damaged in (data[:-9], data[:40] + b"\xff" * 40 + data[80:]):
        path.write_bytes(damaged)
        with refused(SourceError, f"a.jsonl.{kind}", fix="again"):
            jsonl(str(path), tmp_path, context)
        assert not (tmp_path / "raw").exists() and not list(tmp_path.rglob("a.jsonl"))


@pytest.mark.parametrize(
    ("name", "data", "command"),
    [
        ("a.jsonl.zip", b"", "unzip"),
        ("a.jsonl", b"PK\x03\x04 ...", "unzip"),
        ("a.jsonl.gz", b"\x04\x22\x4d\x18 ...", "lz4 -d"),
        ("a.jsonl.gz", gzip.compress(gzip.compress(LINES)), "unpack it first"),
        ("a.jsonl.gz", gzip.compress(b"a.jsonl".ljust(257, b"\0") + b"ustar\0"), "unpack it first"),
    ],
)
def test_other_packings_are_refused_with_the_command(name, data, command, tmp_path, context):
    (tmp_path / name).write_bytes(data)
    with refused(SourceError, name, fix=command):
        jsonl(str(tmp_path / name), tmp_path, context)


def test_a_plain_and_a_packed_file_of_one_name(tmp_path, context):
    half = len(LINES) - len(LINES.partition(b'{"id": 1500')[2]) - 11
    (tmp_path / "a.jsonl").write_bytes(LINES[:half])
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(LINES[half:]))
    paths = [str(tmp_path / "a.jsonl"), str(tmp_path / "a.jsonl.gz")]
    assert jsonl(paths, tmp_path, context) == [str(i) for i in range(3000)], "listed files get numbers"
    for kind in ("jsonl", "articles_jsonl"):  # in a folder one is a copy of the other
        with refused(SourceError, "a.jsonl.gz", "same name as a.jsonl"):
            jsonl(str(tmp_path), tmp_path, context, kind)
