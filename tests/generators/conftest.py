"""A corpus that tests of several suites read."""

from __future__ import annotations

from pathlib import Path

import pytest

from generators.suite import ReleaseSuite
from tests.extras import Once
from tests.generators.kit import Built, Row, Rows, by_place, by_table
from tests.generators.pages import small


@pytest.fixture(scope="module")
def built(suite: ReleaseSuite) -> Built:
    """All rows of the module's suite."""
    return by_table(suite)


@pytest.fixture(scope="module")
def rows(suite: ReleaseSuite) -> Rows:
    """The same by task, length and split."""
    return by_place(suite)


@pytest.fixture(scope="module")
def whole(suite: ReleaseSuite) -> dict[str, Row]:
    """The last row of each task of the module's suite."""
    return {table.task: found[-1] for table, found in by_table(suite).items()}


@pytest.fixture(scope="module")
def corpus(once: Once) -> Path:
    """900 passages that differ: 545 of split test, all but a tenth long enough."""
    tokenizers = ("tekken", "gpt2")
    return once("paragraphs", lambda folder: small.data(folder / "data", small.plain(), tokenizers=tokenizers)) / "data"
