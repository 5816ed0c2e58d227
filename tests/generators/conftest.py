"""A corpus that tests of several suites read."""

from __future__ import annotations

from pathlib import Path

import pytest

from generators.suite import ReleaseSuite
from tests.extras import Once
from tests.generators.kit import Built, Row, Rows, by_table
from tests.generators.pages import small


@pytest.fixture(scope="module")
def built(suite: ReleaseSuite) -> Built:
    """All rows of the module's suite."""
    return by_table(suite)


@pytest.fixture(scope="module")
def rows(built: Built) -> Rows:
    """The same by task, length and split."""
    return {(table.task, table.length, table.split): found for table, found in built.items()}


@pytest.fixture(scope="module")
def whole(built: Built) -> dict[str, Row]:
    """The last row of each of its tasks."""
    return {table.task: found[-1] for table, found in built.items()}


@pytest.fixture(scope="module")
def corpus(once: Once) -> Path:
    """900 passages that differ: 545 of split test, all but a tenth long enough."""
    tokenizers = ("tekken", "gpt2")
    return once("paragraphs", lambda folder: small.data(folder / "data", small.plain(), tokenizers=tokenizers)) / "data"
