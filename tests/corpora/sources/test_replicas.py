"""Every kind of source that is fetched from the web, from a host that does things wrong: it arrives or names the fault in one line.

Then the same host does well, and what a sound fetch gives is there, to the byte: files, SOURCE.json and sources.lock.json.
"""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Collection, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from corpora import sources
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError
from tests.corpora.sources.faults import PAGE, Server, Wrong, packed, serving
from tests.corpora.sources.replicas import ON_THE_HUB, PINNED, REPLICAS, Replica
from tests.extras import LONG

SORRY, GZIP = b"We will be back soon. Sorry!", b"\x1f\x8b"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as state:
        yield state


@cache
def replica_of(kind: str) -> Replica:
    """Built once: archives contain the time at which they are packed."""
    return REPLICAS[kind]()


@pytest.fixture
def kind(request: pytest.FixtureRequest, server: Server) -> str:
    """A kind whose files the server has."""
    server.wrong, server.moved = [], False
    server.files = {f"/{name}": data for name, data in replica_of(request.param).files.items()}
    return str(request.param)


def outcome(kind: str, server: Server, root: Path) -> dict[str, bytes]:
    """Fetch; every file that is there then, and the lock file."""
    context, replica = FetchContext(None, root / "work", root / "sources.lock.json"), replica_of(kind)
    options = {"url": server.url + replica.at, **replica.options}
    sources.create("mine", kind, options, where="w").fetch(root / "raw", context)
    assert [path.name for path in context.cache.iterdir() if path.suffix != ".lock"] == []
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in there(root)}


def there(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and "work" not in path.parts]


SOUND: dict[str, dict[str, bytes]] = {}
"""The result of a fetch without faults, by kind."""


@pytest.fixture
def sound(kind: str, server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    if kind not in SOUND:
        SOUND[kind] = outcome(kind, server, tmp_path_factory.mktemp(kind))
    assert len(SOUND[kind]) >= 3 and all(SOUND[kind].values())
    return SOUND[kind]


def hollow(data: bytes) -> bytes:
    """An archive of the same members, packed file or plain file that says nothing."""
    out = io.BytesIO()
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                new.writestr(name, SORRY)
    elif tarfile.is_tarfile(io.BytesIO(data)):
        mode = "w:gz" if data.startswith(GZIP) else "w"
        with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=out, mode=mode) as new:
            for member in old:
                member.size = len(SORRY)
                new.addfile(member, io.BytesIO(SORRY))
    else:
        return packed(SORRY) if data.startswith(GZIP) else SORRY
    return out.getvalue()


def once_each() -> Any:
    """Strikes the first request for every file."""
    seen: set[str] = set()

    def first(request: BaseHTTPRequestHandler) -> bool:
        new = request.path not in seen
        seen.add(request.path)
        return new

    return first


def as_packed(data: bytes) -> bytes:
    """What a host sends as packed: what it has packed already it does not pack again."""
    return data if data.startswith(GZIP) else packed(data)


ARRIVE = {
    "503": lambda: Wrong(503, when=once_each()),
    "cut": lambda: Wrong(cut=20, when=once_each()),
    "packed": lambda: Wrong(headers={"Content-Encoding": "gzip"}, body=as_packed),
    "no parts": lambda: Wrong(cut=20, whole=True, when=once_each()),
    "redirect": lambda: "moved",
}
NAMED = {
    "page": lambda: Wrong(body=lambda data: PAGE),
    "apology": lambda: Wrong(body=lambda data: SORRY),
    "apology inside": lambda: Wrong(body=hollow),
    "nothing": lambda: Wrong(body=lambda data: b""),
    "page at the last file": lambda: Wrong(body=lambda data: PAGE),
    "always busy": lambda: Wrong(503),
}


def pairs(faults: Collection[str]) -> pytest.MarkDecorator:
    """Pairs of kind and fault: a tenth of them, all in a long run."""
    every = [*ARRIVE, *NAMED]
    chosen = [
        (kind, fault)
        for at, kind in enumerate(sorted(REPLICAS))
        for fault in faults
        if os.environ.get(LONG) or (at + every.index(fault)) % 10 == 0
    ]
    return pytest.mark.parametrize(("kind", "fault"), chosen, indirect=["kind"])


@pairs(ARRIVE)
def test_it_arrives(kind: str, server: Server, sound: dict[str, bytes], tmp_path: Path, fault: str) -> None:
    wrong = ARRIVE[fault]()
    server.wrong, server.moved = ([wrong], False) if isinstance(wrong, Wrong) else ([], True)
    assert outcome(kind, server, tmp_path) == sound


@pairs(NAMED)
def test_it_is_named_and_the_next_run_works(
    kind: str, server: Server, sound: dict[str, bytes], tmp_path: Path, fault: str
) -> None:
    wrong = NAMED[fault]()
    if fault == "page at the last file":
        wrong.when = lambda request: request.path == list(server.files)[-1]
    server.wrong = [wrong]
    with pytest.raises(SourceError) as caught:
        outcome(kind, server, tmp_path)
    server.wrong = []
    assert "\n" not in str(caught.value) and there(tmp_path) == []
    assert outcome(kind, server, tmp_path) == sound


def test_every_kind_from_the_web_has_a_replica() -> None:
    """But a user's own files: what he gives as an address is fetched by the same code."""
    fetched = {kind for kind in sources.kinds() if not kind.endswith("_mirror") and not kind.startswith("simulated_")}
    own = {kind for kind in fetched if {"path", "package"} & set(sources.source_class(kind).model_fields)}
    assert fetched - own == {*REPLICAS, *ON_THE_HUB, *PINNED}
