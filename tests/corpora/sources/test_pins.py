"""Every production source is pinned: by commit, by digest, or by an entry of sources.lock.json that says it will be at the first download."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from corpora import sources
from corpora.sources import labelled_sets
from corpora.sources.base import FetchContext, RawFile, Source
from corpora.sources.transport.staging import fetch_locked
from haymaker.core.errors import SourceError
from haymaker.core.files.yaml_file import mapping
from pipelines.expanded import expanded
from tests.corpora.sources.faults import Wrong, serving
from tests.errors import refused

LOCK = Path("sources.lock.json")
_COMMIT = re.compile(r"[0-9a-f]{40}")
RELEASES = [path.stem for path in sorted(Path("params").glob("*.yaml")) if path.stem in ("full", "babilong", "helmet")]


def real_sources(release: str) -> dict[str, Source]:
    given = mapping(expanded(Path(), f"params/{release}.yaml"), name=release)["sources"]
    made = {}
    for name, block in given.items():
        options = {key: value for key, value in block.items() if key not in Source.beside}
        made[name] = sources.create(name, block["kind"], options, where=name)
    return {name: source for name, source in made.items() if source.info.edition == "real"}


def is_pinned(source: Source, context: FetchContext) -> bool:
    revision = getattr(source, "revision", None)
    if revision and _COMMIT.fullmatch(str(revision)):
        return True
    files = source.files() if hasattr(source, "files") else source.raw_files(context)
    return all(file.sha256 or file.md5 or _COMMIT.search(file.url) for file in files)


@pytest.mark.parametrize("release", RELEASES)
def test_every_source_is_pinned_or_says_that_it_will_be(release, tmp_path):
    context = FetchContext(None, tmp_path, tmp_path / "lock.json")
    promised = {
        key for key, entry in json.loads(LOCK.read_bytes()).items() if entry.get("resolved") == "first download"
    }
    for name, source in real_sources(release).items():
        assert source.lock_key() in promised or is_pinned(source, context), name


def test_a_second_address_is_asked_when_the_first_host_is_away(tmp_path, context):
    with serving() as away, serving() as there:
        away.wrong, there.files["/a.label"] = [Wrong(503)], b"NUM:date When ?\n"
        file = RawFile("a.label", f"{away.url}/a.label", also=(f"{there.url}/a.label",))
        assert fetch_locked(file, tmp_path / "stage", context, "key").size == 16
        gone = RawFile("b.label", f"{away.url}/b.label", also=(f"{there.url}/b.label",))
        with refused(SourceError, "", there.url):
            fetch_locked(gone, tmp_path / "stage", context, "key")
    assert all(len(file.also) == 1 and file.md5 for file in labelled_sets.Trec().files())
