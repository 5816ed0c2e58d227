"""Every production kind with files at addresses: they come from a host that does everything wrong, or the fault is named; nothing stays behind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from corpora import sources
from corpora.sources.base import FetchContext, RawFile, Source
from corpora.sources.transport import web
from corpora.sources.transport.staging import fetch_locked
from haymaker.errors import HaymakerError, SourceError
from tests.corpora.sources.faults import PAGE, Server, Wrong, packed, serving

FAULTS = {
    "429": [Wrong(429, {"Retry-After": "0"}, times=2)],
    "503": [Wrong(503, times=2)],
    "cut": [Wrong(cut=9_000, times=2)],
    "packed": [Wrong(headers={"Content-Encoding": "gzip"}, body=packed)],
}


def at(kind: str, url: str) -> tuple[Source, list[RawFile]] | None:
    """A source of a kind with its files at another address; None for kinds that take none."""
    try:
        place = f"{url}/tasks.zip" if kind == "babi" else url  # of its one file, not of a folder
        source = sources.create(kind, kind, {"url": place}, where=kind)
        files = source.raw_files(FetchContext(None, Path("nowhere"), Path("nowhere/lock")))
    except HaymakerError:
        return None
    far = [file for file in files if file.url.startswith(url)]
    return (source, far) if far else None


KINDS = [kind for kind in sources.kinds() if at(kind, "http://127.0.0.1:9")]


def content(file: RawFile) -> bytes:
    """Some bytes of its own for every file."""
    return hashlib.shake_256(file.path.encode()).digest(20_000)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(web, "CHUNK_BYTES", 1 << 12)
    with serving() as state:
        yield state


def test_most_production_kinds_are_asked() -> None:
    assert len(KINDS) >= 29, KINDS


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_every_kind_arrive(
    server: Server, context: FetchContext, tmp_path: Path, kind: str, fault: str
) -> None:
    found = at(kind, server.url)
    assert found is not None
    source, files = found
    server.files = {urlsplit(file.url).path: content(file) for file in files}
    for file in files[:3]:
        if fault == "packed" and file.path.endswith((".gz", ".tgz")):
            continue  # its packing is the file's own
        server.wrong = [Wrong(**vars(each)) for each in FAULTS[fault]]
        plain = RawFile(file.path, file.url)
        fetch_locked(plain, tmp_path / "stage", context, source.lock_key())
        assert (tmp_path / "stage" / file.path).read_bytes() == content(file)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_instead_of_a_file_is_named_and_the_next_run_works(
    server: Server, context: FetchContext, tmp_path: Path, kind: str
) -> None:
    found = at(kind, server.url)
    assert found is not None
    source, (file, *_) = found
    server.files, server.wrong = {urlsplit(file.url).path: content(file)}, [Wrong(body=lambda data: PAGE)]
    plain = RawFile(file.path, file.url)
    with pytest.raises(SourceError, match="a web page instead of the file"):
        fetch_locked(plain, tmp_path / "stage", context, source.lock_key())
    assert not context.lock_file.exists() and not (tmp_path / "stage" / file.path).exists()
    server.wrong = []
    fetch_locked(plain, tmp_path / "stage", context, source.lock_key())
    assert (tmp_path / "stage" / file.path).read_bytes() == content(file)
