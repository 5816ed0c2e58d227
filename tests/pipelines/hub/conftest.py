"""A Hub and a process that publishes to it, for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub_uploads import UploadHub
from tests.pipelines.hub.publisher import READER, TOKEN, Publisher


@pytest.fixture(scope="module")
def hub() -> Iterator[UploadHub]:
    with UploadHub().serving() as served:
        served.tokens = {TOKEN: "write", READER: "read"}
        yield served


@pytest.fixture(scope="module")
def publish(hub: UploadHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Publisher]:
    publisher = Publisher(hub, tmp_path_factory.mktemp("home"))
    yield publisher
    publisher.close()
