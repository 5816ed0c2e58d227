"""Files at known addresses: pinned there, refused when damaged."""

from __future__ import annotations

import hashlib

import pytest

from corpora.sources import create
from corpora.sources.base import RawFile
from corpora.sources.transport.fetch import fetch_file
from haymaker.core.errors import SourceError
from tests.errors import refused

KILT = "f966d6f09c4ff91656db5c56c384f136b0c495c7083c043586b8cb1033c389a5"
DPR, MSMARCO = "612fe66e0b6b41ee28f806140226c563", "31644046b18952c1386cd4564ba2ae69"
URL = "https://dl.fbaipublicfiles.com"
HOST = "https://msmarco.z22.web.core.windows.net/msmarcoranking"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("kilt_wikipedia", [("kilt_knowledgesource.json", f"{URL}/KILT/", 37_318_876_722, KILT, None)]),
        ("kilt_passages", [("psgs_w100.tsv.gz", f"{URL}/ur/wikipedia_split/", None, None, None)]),
        ("dpr_passages", [("psgs_w100.tsv.gz", f"{URL}/dpr/wikipedia_split/", 4_694_541_059, None, DPR)]),
        ("msmarco_passages", [("collectionandqueries.tar.gz", f"{HOST}/", 1_057_717_952, None, MSMARCO)]),
    ],
)
def test_publishers_files_are_pinned_by_what_is_known(context, kind, expected):
    source = create("s", kind, {}, where="w")
    found = source.raw_files(context)
    assert [(f.path, f.url.removesuffix(f.path), f.size_bytes, f.sha256, f.md5) for f in found] == expected
    assert source.lock_key() == kind


def test_a_wrong_md5_is_refused(web, context, tmp_path):
    web.files["/a.txt"] = b"abc"
    good = hashlib.md5(b"abc").hexdigest()
    got = fetch_file(RawFile("a.txt", f"{web.url}/a.txt", md5=good), tmp_path / "raw", context)
    assert (got.sha256, got.md5) == (hashlib.sha256(b"abc").hexdigest(), good)
    web.files["/a.txt"] = b"abd"
    with refused(SourceError, "/a.txt", hashlib.md5(b"abd").hexdigest()[:12], good[:12]):
        fetch_file(RawFile("b.txt", f"{web.url}/a.txt", 3, md5=good), tmp_path / "raw", context)
    assert not (tmp_path / "raw/b.txt").exists()
