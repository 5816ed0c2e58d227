"""Fixtures: the tiny release, built once for all test processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny


@pytest.fixture(autouse=True)
def _one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")


@pytest.fixture(scope="session")
def built_root(once: Once) -> Path:
    """Folder of the finished tiny project; to be read only."""
    return once("tiny project", lambda root: tiny.run_alone(tiny.make(root)))


@pytest.fixture
def built(built_root: Path) -> Project:
    """The finished tiny project; to be read only."""
    return Project(built_root)


@pytest.fixture
def mine(built_root: Path, tmp_path: Path) -> Project:
    """A copy of the finished tiny project, to be damaged."""
    return tiny.copy(built_root, tmp_path / "mine")


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """A tiny project of which nothing is built."""
    return tiny.make(tmp_path / "fresh")
