"""A Hub and a process that publishes to it, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.project import Project
from tests.hub_uploads import UploadHub
from tests.pipelines import tiny
from tests.pipelines.forks import Programs
from tests.pipelines.hub.publisher import READER, TOKEN, Publisher


@pytest.fixture(scope="session")
def hub() -> Iterator[UploadHub]:
    with UploadHub().serving() as served:
        served.tokens = {TOKEN: "write", READER: "read"}
        yield served


@pytest.fixture(scope="session")
def publish(hub: UploadHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Publisher]:
    programs = Programs(hub, tmp_path_factory.mktemp("home"))
    yield Publisher(hub, programs)
    programs.close()


@pytest.fixture(scope="module")
def here(built_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished project that was not published yet."""
    return tiny.copy(built_root, tmp_path_factory.mktemp("project") / "mine")
