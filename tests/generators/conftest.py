"""A corpus that tests of several suites read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extras import Once
from tests.generators.pages import small


@pytest.fixture(scope="module")
def corpus(once: Once) -> Path:
    """900 passages that differ: 545 of split test, all but a tenth long enough."""
    tokenizers = ("tekken", "gpt2")
    return once("paragraphs", lambda folder: small.data(folder / "data", small.plain(), tokenizers=tokenizers)) / "data"
