"""Fixtures for raw sources: fetch contexts, a local Hub with client processes, and a web server with faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from corpora.sources import reviews
from corpora.sources.base import FetchContext
from tests.corpora.sources.faults import Server, serving
from tests.forks import Forks
from tests.hub import LocalHub


@pytest.fixture
def as_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read sources as published: made-up questions may have the ids of reviewed ones."""
    monkeypatch.setattr(reviews, "FOLDER", tmp_path / "no reviews")


@pytest.fixture
def context(tmp_path: Path) -> FetchContext:
    return FetchContext(None, tmp_path / "work" / "downloads", tmp_path / "sources.lock.json")


@pytest.fixture
def real(mirror: Path, tmp_path: Path) -> FetchContext:
    return FetchContext(mirror, tmp_path / "work" / "downloads", tmp_path / "sources.lock.json")


@pytest.fixture(scope="session")
def _served() -> Iterator[LocalHub]:
    with LocalHub().serving() as hub:
        yield hub


@pytest.fixture
def hub(_served: LocalHub) -> LocalHub:
    """A local Hub: empty, without faults or recorded requests."""
    vars(_served).update(vars(LocalHub()) | {"url": _served.url})
    return _served


@pytest.fixture(scope="session")
def programs(_served: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Client programs in separate processes that use the local Hub."""
    imports = ("corpora.sources", "huggingface_hub.hf_api", "pyarrow.parquet")
    with closing(Forks(imports, _served.environment(tmp_path_factory.mktemp("home")))) as forks:
        yield forks


@pytest.fixture
def web() -> Iterator[Server]:
    """A web server with faults on request."""
    with serving() as state:
        yield state
