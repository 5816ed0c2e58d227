"""Redirects obey the rules of first addresses at each hop; nothing is asked of where they must not lead."""

from __future__ import annotations

import hashlib
from array import array

import pytest

from corpora.sources.base import RawFile
from corpora.sources.transport import remote
from corpora.sources.transport.fetch import fetch_file
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import check_hop

DATA = array("I", range(2_000_000)).tobytes()
SHA = hashlib.sha256(DATA).hexdigest()
BAD = [
    "http://example.invalid/a", "HTTP://EXAMPLE.INVALID/a", "//example.invalid/a", "http://127.0.0.1@example.invalid/a",
    "http://127.0.0.1.example.invalid/a", "http://localhost\\@example.invalid/a", "http://2130706433/a", "http://[::ffff:8.8.8.8]/a",
    "file:///etc/hostname", "FILE:/etc/hostname", "ftp://127.0.0.1/a", "gopher://127.0.0.1:PORT/a", "data:,x", "s3://bucket/a",
    "mirror:a", "http:///a", "https:///a", "http://[::1", "simplecache::http://127.0.0.1/a",
]  # fmt: skip


@pytest.mark.parametrize("polite", [False, True], ids=["HEAD and GET", "GET alone"])
@pytest.mark.parametrize("target", BAD)
def test_a_bad_target_is_refused_before_it_is_asked(web, context, tmp_path, target, polite):
    web.files["/a"], web.moved["/old"], web.polite = b"secret", target, polite
    if polite:
        web.files["/old"] = b"x" * 9
    with pytest.raises(SourceError) as caught:
        fetch_file(RawFile("a", f"{web.url}/old"), tmp_path / "raw", context)
    assert "sends us on to" in str(caught.value) and "not allowed" in str(caught.value)
    assert {path for _, path, _ in web.seen} == {"/old"} and not list((tmp_path / "raw").rglob("*"))


def test_the_last_of_several_hops_is_judged_too(web, context, tmp_path):
    web.moved |= {"/1": "/2", "/2": "http://localhost:PORT/3", "/3": "http://example.invalid/a"}
    with pytest.raises(SourceError, match=r"^http://localhost:\d+/3: sends us on to 'http://example.invalid/a'"):
        fetch_file(RawFile("a", f"{web.url}/1"), tmp_path / "raw", context)


def test_what_goes_round_in_circles_ends_in_one_line(web, context, tmp_path):
    web.moved |= {"/1": "/2", "/2": "/1"}
    with pytest.raises(SourceError, match=r"^http://127.0.0.1:\d+/[12]: sends us on and on \(too many redirects\)"):
        fetch_file(RawFile("a", f"{web.url}/1"), tmp_path / "raw", context)


def test_a_good_redirect_is_followed_and_a_broken_download_goes_on_behind_it(web, context, tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "CHUNK_BYTES", 1 << 16)
    web.files["/a"], web.cut = DATA, 6_000_000
    web.moved |= {"/old": "http://localhost:PORT/new", "/new": "a"}
    file = RawFile("a", f"{web.url}/old", len(DATA), SHA)
    with pytest.raises(SourceError, match="run again: it resumes"):
        fetch_file(file, tmp_path / "raw", context)
    web.cut = None
    web.seen.clear()
    assert fetch_file(file, tmp_path / "raw", context).sha256 == SHA
    assert next(asked for method, path, asked in web.seen if (method, path) == ("GET", "/a")).startswith("bytes=")


@pytest.mark.parametrize(
    ("at", "to", "allowed"),
    [
        ("https://a.org/x", "https://b.org/y", True),
        ("https://a.org/x", "/y", True),
        ("https://a.org/x", "//b.org/y", True),
        ("http://127.0.0.1/x", "https://b.org/y", True),
        ("http://[::1]:8/x", "http://localhost/y", True),
        ("https://a.org/x", "http://a.org/x", False),
        ("https://a.org/x", "http://127.0.0.1/x", False),
        ("http://127.0.0.1/x", "http://a.org/x", False),
        ("https://a.org/x", "ftp://a.org/x", False),
        ("https://a.org/x", "file:///etc/passwd", False),
    ],
)
def test_one_hop(at, to, allowed):
    if allowed:
        return check_hop(at, to)
    with pytest.raises(SourceError, match="not allowed"):
        check_hop(at, to)


def test_a_secret_in_a_target_is_not_shown():
    with pytest.raises(SourceError) as caught:
        check_hop("https://a.org/x?key=one", "http://me:pass@a.org/x?key=two")
    assert not {"one", "two", "pass"} & set(
        str(caught.value).replace("=", " ").replace(":", " ").replace("@", " ").split()
    )
