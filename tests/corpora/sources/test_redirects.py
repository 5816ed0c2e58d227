"""Redirects obey the rules of first addresses at each hop; nothing is asked of where they must not lead."""

from __future__ import annotations

import pytest

from corpora.sources.base import RawFile
from corpora.sources.transport.fetch import fetch_file
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import check_hop
from tests.errors import refused

BAD = [
    "http://example.invalid/a", "HTTP://EXAMPLE.INVALID/a", "//example.invalid/a", "http://127.0.0.1@example.invalid/a",
    "http://127.0.0.1.example.invalid/a", "http://localhost\\@example.invalid/a", "http://2130706433/a",
    "http://[::ffff:8.8.8.8]/a", "file:///etc/hostname", "ftp://127.0.0.1/a", "gopher://127.0.0.1:PORT/a", "data:,x",
    "s3://bucket/a", "mirror:a", "http:///a", "http://[::1", "simplecache::http://127.0.0.1/a",
]  # fmt: skip


def test_a_bad_target_is_refused_before_it_is_asked(web, context, tmp_path):
    web.files["/a"] = b"secret"
    for target in BAD:
        web.redirects["/old"] = target
        with refused(SourceError, "/old"):
            fetch_file(RawFile("a", f"{web.url}/old"), tmp_path / "raw", context)
    assert {each["path"] for each in web.seen} == {"/old"} and not list((tmp_path / "raw").rglob("*"))


def test_the_last_of_several_hops_is_judged_too_and_there_is_a_last_one(web, context, tmp_path):
    web.redirects |= {"/1": "/2", "/2": "http://localhost:PORT/3", "/3": "http://example.invalid/a"}
    with refused(SourceError, "/3", "http://example.invalid/a"):
        fetch_file(RawFile("a", f"{web.url}/1"), tmp_path / "raw", context)
    web.redirects["/3"] = "/1"
    with refused(SourceError, "", "redirects"):
        fetch_file(RawFile("a", f"{web.url}/1"), tmp_path / "raw", context)


def test_a_secure_host_may_send_us_on_to_secure_ones_alone():
    check_hop("https://a.org/x", "https://b.org/y")
    check_hop("https://a.org/x", "//b.org/y")
    check_hop("http://127.0.0.1/x", "https://b.org/y")
    check_hop("http://[::1]:8/x", "http://localhost/y")
    for to in ("http://me:secret@a.org/x?key=secret", "http://127.0.0.1/x", "ftp://a.org/x"):
        with pytest.raises(SourceError) as caught:
            check_hop("https://a.org/x?key=secret", to)
        assert "secret" not in str(caught.value)
