"""Downloads: whole or not at all, resumed, checked, locked, and refused with one clear line."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.sources.base import FetchContext, RawFile
from corpora.sources.transport import remote
from corpora.sources.transport.fetch import fetch_file
from corpora.sources.transport.lock import FileLock, read_lock, write_lock
from haymaker.core.errors import HaymakerError, SourceError
from tests.errors import refused

DATA = b"".join(b"%07d\n" % i for i in range(5000))
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "CHUNK_BYTES", 1 << 16)


def test_a_file_arrives_whole_with_its_digest(web, context, tmp_path):
    web.files["/a.txt"] = DATA
    got = fetch_file(RawFile("sub/a.txt", f"{web.url}/a.txt"), tmp_path / "raw", context)
    assert (got.size, got.sha256) == (40_000, SHA)
    assert (tmp_path / "raw/sub/a.txt").read_bytes() == DATA
    assert not list(context.cache.rglob("*.part"))


def test_a_broken_download_resumes_where_it_broke(web, context, tmp_path, small_chunks):
    data = DATA * 200  # 8 MB: more than any buffer between the server and us
    sha = hashlib.sha256(data).hexdigest()
    web.files["/a.txt"], web.cut = data, 6_000_000
    file = RawFile("a.txt", f"{web.url}/a.txt?key=secret", len(data), sha)
    with pytest.raises(SourceError) as caught:
        fetch_file(file, tmp_path / "raw", context)
    line = str(caught.value)
    kept = int(re.search(r"got ([0-9,]+) of 8,000,000 bytes", line)[1].replace(",", ""))
    assert 0 < kept <= 6_000_000 and "run again: it resumes" in line and "secret" not in line
    assert not (tmp_path / "raw/a.txt").exists()
    web.cut = None
    web.seen.clear()
    assert fetch_file(file, tmp_path / "raw", context).sha256 == sha
    ranges = [requested for method, _, requested in web.seen if method == "GET"]
    assert ranges[0].startswith(f"bytes={kept}-")
    assert (tmp_path / "raw/a.txt").read_bytes() == data


def test_a_file_of_unknown_digest_is_not_glued_together_without_a_tag(web, context, tmp_path, small_chunks):
    web.files["/a.txt"], web.cut = DATA, 20_000
    file = RawFile("a.txt", f"{web.url}/a.txt")
    with pytest.raises(SourceError):
        fetch_file(file, tmp_path / "raw", context)
    changed = DATA.replace(b"0", b"x")
    web.files["/a.txt"], web.cut = changed, None
    fetch_file(file, tmp_path / "raw", context)
    assert (tmp_path / "raw/a.txt").read_bytes() == changed


def test_a_server_without_ranges_starts_over(web, context, tmp_path, small_chunks):
    web.files["/a.txt"], web.cut = DATA, 20_000
    file = RawFile("a.txt", f"{web.url}/a.txt", len(DATA), SHA)
    with pytest.raises(SourceError):
        fetch_file(file, tmp_path / "raw", context)
    web.cut, web.ranges = None, False
    assert fetch_file(file, tmp_path / "raw", context).sha256 == SHA


def test_a_wrong_checksum_names_both_digests_and_leaves_nothing(web, context, tmp_path):
    web.files["/a.txt"] = DATA[:-1] + b"X"
    with pytest.raises(SourceError) as caught:
        fetch_file(RawFile("a.txt", f"{web.url}/a.txt", len(DATA), SHA), tmp_path / "raw", context)
    other = hashlib.sha256(DATA[:-1] + b"X").hexdigest()
    line = str(caught.value)
    assert "a.txt" in line and SHA[:12] in line and other[:12] in line
    assert not list(context.cache.rglob("*.part")) and not list(tmp_path.rglob("a.txt"))


def test_a_wrong_size_is_an_error_even_without_a_digest(web, context, tmp_path):
    web.files["/a.txt"] = DATA
    with refused(SourceError, "/a.txt", "40,000", "39,999"):
        fetch_file(RawFile("a.txt", f"{web.url}/a.txt", 39_999), tmp_path / "raw", context)


def test_a_shorter_file_at_the_origin_is_not_fetched(web, context, tmp_path):
    web.files["/a.txt"] = DATA[:100]
    with refused(SourceError, "/a.txt", 100, "40,000"):
        fetch_file(RawFile("a.txt", f"{web.url}/a.txt", 40_000, SHA), tmp_path / "raw", context)


def test_a_finished_file_is_not_fetched_again(web, context, tmp_path):
    web.files["/a.txt"] = DATA
    file = RawFile("a.txt", f"{web.url}/a.txt", len(DATA), SHA)
    fetch_file(file, tmp_path / "raw", context)
    web.seen.clear()
    fetch_file(file, tmp_path / "raw", context)
    assert web.seen == []


def test_not_found_and_no_network_are_one_line_with_a_next_step(web, context, tmp_path):
    with refused(SourceError, "/missing"):
        fetch_file(RawFile("a", f"{web.url}/missing"), tmp_path / "raw", context)
    with refused(SourceError, "", "cannot"):
        fetch_file(RawFile("a", "http://127.0.0.1:9/a"), tmp_path / "raw", context)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x/a",
        "http://example.org/a",
        "/etc/passwd",
        "simplecache::https://x/a",
        "memory://a",
        "ssh://x/a",
        "a.txt",
    ],
)
def test_other_protocols_are_refused(url, context, tmp_path):
    with refused(SourceError, "", "allowed"):
        fetch_file(RawFile("a", url), tmp_path / "raw", context)


@pytest.mark.parametrize("path", ["/abs", "../up", "a/../../b", "a\\b", ""])
def test_a_path_that_leaves_its_folder_is_refused(path, context, tmp_path):
    with refused(SourceError, "", "leaves"):
        fetch_file(RawFile(path, "https://example.org/a"), tmp_path / "raw", context)


def test_local_files_are_copied_not_linked(context, tmp_path):
    source = tmp_path / "mine.txt"
    source.write_bytes(DATA)
    fetch_file(RawFile("a.txt", source.as_uri()), tmp_path / "raw", context)
    assert (tmp_path / "raw/a.txt").read_bytes() == DATA
    assert (tmp_path / "raw/a.txt").stat().st_ino != source.stat().st_ino


class TestMirror:
    @pytest.fixture
    def mirror(self, tmp_path: Path, context: FetchContext) -> FetchContext:
        root = tmp_path / "mirror"
        (root / "x").mkdir(parents=True)
        (root / "x/a.txt").write_bytes(DATA)
        (root / "SHA256SUMS").write_text(f"{SHA}  x/a.txt\n{SHA}  x/gone.txt\n")
        return replace(context, mirror=root)

    def test_listed_file(self, mirror, tmp_path):
        assert fetch_file(RawFile("a.txt", "mirror:x/a.txt"), tmp_path / "raw", mirror).sha256 == SHA

    def test_root_not_set(self, context, tmp_path):
        with refused(SourceError, "mirror", fix="HAYMAKER_MIRROR"):
            fetch_file(RawFile("a.txt", "mirror:x/a.txt"), tmp_path / "raw", context)

    def test_missing_file(self, mirror, tmp_path):
        with refused(SourceError, "HAYMAKER_MIRROR", "x/gone.txt"):
            fetch_file(RawFile("a.txt", "mirror:x/gone.txt"), tmp_path / "raw", mirror)

    def test_not_listed(self, mirror, tmp_path):
        (mirror.mirror / "x/b.txt").write_text("b")
        with refused(SourceError, "HAYMAKER_MIRROR", "x/b.txt"):
            fetch_file(RawFile("b.txt", "mirror:x/b.txt"), tmp_path / "raw", mirror)

    def test_changed_file(self, mirror, tmp_path):
        (mirror.mirror / "x/a.txt").write_bytes(DATA[::-1])
        with refused(SourceError, "a.txt from file:a.txt"):
            fetch_file(RawFile("a.txt", "mirror:x/a.txt"), tmp_path / "raw", mirror)

    def test_outside(self, mirror, tmp_path):
        with refused(SourceError, "", "leaves"):
            fetch_file(RawFile("a.txt", "mirror:../sources.lock.json"), tmp_path / "raw", mirror)


class TestLock:
    def test_same_bytes_whatever_the_order(self, tmp_path):
        one, two = tmp_path / "1.json", tmp_path / "2.json"
        a, b = {"f": FileLock(1, "aa")}, {"e": FileLock(2, "bb")}
        write_lock(one, "x", revision="r")
        write_lock(one, "x", files=a)
        write_lock(one, "w", files=b)
        write_lock(two, "w", files=b)
        write_lock(two, "x", files=a, revision="r")
        assert one.read_bytes() == two.read_bytes()
        assert json.loads(one.read_bytes())["x"] == {"files": {"f": {"sha256": "aa", "size": 1}}, "revision": "r"}

    def test_another_revision_or_file_is_refused(self, tmp_path):
        path = tmp_path / "l.json"
        write_lock(path, "x", revision="r", files={"f": FileLock(1, "aa")})
        with refused(SourceError, "x", "l.json"):
            write_lock(path, "x", revision="s")
        with refused(SourceError, "x"):
            write_lock(path, "x", files={"f": FileLock(1, "bb")})

    @pytest.mark.parametrize("text", ["{", "[]", '{"x": {"files": {"f": {}}}}', '{"x": 3}'])
    def test_a_damaged_file_is_one_line(self, tmp_path, text):
        path = tmp_path / "l.json"
        path.write_text(text)
        with refused(HaymakerError, "l.json"):
            read_lock(path, "x")
