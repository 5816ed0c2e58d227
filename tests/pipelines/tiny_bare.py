"""A project with one input and one task that reads no input: it builds in a second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipelines.project import Project
from tests.pipelines import tiny

CHANGES: dict[str, Any] = {
    "sources": {},
    "corpora": {},
    "suites": {"synthetic": {"tasks": {"json_kv": {"lengths": {"4k": 6}}}}},
}


def make(root: Path, **changes: Any) -> Project:
    """A project folder without the sources, the corpus and the suite of the tiny release."""
    return tiny.make(root, **CHANGES | changes)
