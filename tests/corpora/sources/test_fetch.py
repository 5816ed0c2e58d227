"""Downloads: whole or not at all, resumed, checked, locked, and refused with one clear line."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from corpora.sources.base import RawFile
from corpora.sources.transport import remote
from corpora.sources.transport.fetch import fetch_file
from corpora.sources.transport.lock import FileLock, read_lock, write_lock
from haymaker.core.errors import HaymakerError, SourceError
from tests.corpora.sources.faults import Wrong
from tests.errors import refused

DATA = b"".join(b"%07d\n" % i for i in range(5000))
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.mark.parametrize("known", ["sha256", "md5", "tag"])
def test_a_later_run_resumes_where_the_download_broke(web, context, tmp_path, known):
    web.files["/a.txt"], web.wrong = DATA, [Wrong(cut=15_000, times=1), Wrong(503)]
    digest = {} if known == "tag" else {known: hashlib.new(known, DATA).hexdigest()}
    file = RawFile("a.txt", f"{web.url}/a.txt?key=secret", len(DATA), **digest)
    with refused(SourceError, "", "15,000", "40,000", fix="resumes") as caught:
        fetch_file(file, tmp_path / "raw", context)
    assert "secret" not in str(caught.value) and not (tmp_path / "raw/a.txt").exists()
    web.wrong = []
    web.seen.clear()
    assert fetch_file(file, tmp_path / "raw", context).sha256 == SHA
    assert web.starts() == [15_000] and (tmp_path / "raw/a.txt").read_bytes() == DATA


def test_a_file_of_unknown_digest_is_not_glued_together_without_a_tag(web, context, tmp_path):
    web.files["/a.txt"], web.tags, web.wrong = DATA, False, [Wrong(cut=20_000, times=1), Wrong(503)]
    file = RawFile("a.txt", f"{web.url}/a.txt")
    with pytest.raises(SourceError):
        fetch_file(file, tmp_path / "raw", context)
    web.files["/a.txt"], web.wrong = DATA.replace(b"0", b"x"), []
    fetch_file(file, tmp_path / "raw", context)
    assert (tmp_path / "raw/a.txt").read_bytes() == web.files["/a.txt"]


def test_a_store_is_read_in_blocks_and_a_broken_download_resumes(context, tmp_path, monkeypatch):
    import fsspec

    store, reads = fsspec.filesystem("memory"), []
    store.pipe_file("/bucket/a.txt", DATA)

    def broken(path: str, start: int, end: int) -> bytes:
        reads.append(start)
        if len(reads) == 2:
            raise TimeoutError("slow")
        return DATA[start:end]

    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url: (store, "/bucket/a.txt"))
    monkeypatch.setattr(store, "cat_file", broken)
    monkeypatch.setattr(remote, "_BLOCK_BYTES", 16_000)
    assert fetch_file(RawFile("a.txt", "s3://bucket/a.txt", sha256=SHA), tmp_path / "raw", context).size == 40_000
    assert reads == [0, 16_000, 16_000, 32_000]


def test_what_is_no_address_no_path_and_no_network_is_one_line(context, tmp_path):
    for url in ("ftp://x/a", "http://example.org/a", "/etc/passwd", "simplecache::https://x/a", "memory://a", "a.txt"):
        with refused(SourceError, "", "allowed"):
            fetch_file(RawFile("a", url), tmp_path / "raw", context)
    for path in ("/abs", "../up", "a/../../b", "a\\b", ""):
        with refused(SourceError, "", "outside"):
            fetch_file(RawFile(path, "https://example.org/a"), tmp_path / "raw", context)
    with refused(SourceError, "", "cannot"):
        fetch_file(RawFile("a", "http://127.0.0.1:9/a"), tmp_path / "raw", context)


def test_files_of_the_mirror_are_those_of_its_list(context, tmp_path):
    with refused(SourceError, "mirror", fix="HAYMAKER_MIRROR"):
        fetch_file(RawFile("a.txt", "mirror:x/a.txt"), tmp_path / "raw", context)
    root = tmp_path / "mirror"
    (root / "x").mkdir(parents=True)
    for name in ("a", "b", "changed"):
        (root / f"x/{name}.txt").write_bytes(DATA[::-1] if name == "changed" else DATA)
    (root / "SHA256SUMS").write_text("".join(f"{SHA}  x/{name}.txt\n" for name in ("a", "gone", "changed")))
    real = replace(context, mirror=root)
    assert fetch_file(RawFile("a.txt", "mirror:x/a.txt"), tmp_path / "raw", real).sha256 == SHA
    for name in ("gone", "b"):  # missing, and not in the list
        with refused(SourceError, "HAYMAKER_MIRROR", f"x/{name}.txt"):
            fetch_file(RawFile("a.txt", f"mirror:x/{name}.txt"), tmp_path / "other", real)
    with refused(SourceError, "changed.txt from file:changed.txt"):
        fetch_file(RawFile("changed.txt", "mirror:x/changed.txt"), tmp_path / "other", real)
    with refused(SourceError, "", "outside"):
        fetch_file(RawFile("a.txt", "mirror:../sources.lock.json"), tmp_path / "other", real)


def test_the_lock_file_has_the_same_bytes_whatever_the_order_and_binds(tmp_path):
    one, two = tmp_path / "1.json", tmp_path / "2.json"
    a, b = {"f": FileLock(1, "aa")}, {"e": FileLock(2, "bb")}
    write_lock(one, "x", revision="r")
    write_lock(one, "x", files=a)
    write_lock(one, "w", files=b)
    write_lock(two, "w", files=b)
    write_lock(two, "x", files=a, revision="r")
    assert one.read_bytes() == two.read_bytes()
    assert json.loads(one.read_bytes())["x"] == {"files": {"f": {"sha256": "aa", "size": 1}}, "revision": "r"}
    with refused(SourceError, "x", "1.json"):
        write_lock(one, "x", revision="s")
    with refused(SourceError, "x"):
        write_lock(one, "x", files={"f": FileLock(1, "bb")})
    one.write_text('{"x": {"files": {"f": {}}}}')
    with refused(HaymakerError, "1.json"):
        read_lock(one, "x")


@pytest.mark.parametrize("damaged", [False, True])
def test_an_etag_that_no_request_can_contain_is_ignored(web, context, tmp_path, damaged):
    """Before, every later run failed: the ETag could not be sent, or its file could not be read."""
    web.files["/a.txt"], web.tags = DATA, damaged
    tag = {} if damaged else {"ETag": '"caf\xe9"'}
    web.wrong = [Wrong(cut=15_000, times=1, headers=tag), Wrong(503)]
    file = RawFile("a.txt", f"{web.url}/a.txt")
    with pytest.raises(SourceError):
        fetch_file(file, tmp_path / "raw", context)
    [note] = context.cache.rglob("*.tag")
    if damaged:
        note.write_bytes(b"\xff\0\n")
    web.wrong = []
    assert fetch_file(file, tmp_path / "raw", context).sha256 == SHA
