"""Fixtures for corpora: sources fetched from the mirror, once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from corpora.sources import create, reviews
from corpora.sources.base import FetchContext, Source
from tests.extras import Once

REVIEWS = reviews.FOLDER
Held = Callable[[str], tuple[Source, Path]]
"""The type of the fixture `held`: a kind gives a source and the folder of its raw files."""


@pytest.fixture(scope="session")
def held(mirror: Path, once: Once) -> Held:
    """Sources of the mirror by kind, with default options; their raw files are fetched once and must not be changed."""

    def make(kind: str, folder: Path) -> None:
        folder.mkdir()
        source, context = create("s", kind, {}, where="w"), FetchContext(mirror, folder / "cache", folder / "lock.json")
        with pytest.MonkeyPatch.context() as patched:  # the first test that needs a kind may read it as published
            patched.setattr(reviews, "FOLDER", REVIEWS)
            source.fetch(folder / "raw", context)
            assert source.verify(folder / "raw", context) == []

    def get(kind: str) -> tuple[Source, Path]:
        return create("s", kind, {}, where="w"), once(kind, lambda folder: make(kind, folder)) / "raw"

    return get
