"""Fixtures: the tiny release, built once for all test processes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny

Built = tuple[Path, subprocess.CompletedProcess[str]]


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


@pytest.fixture(scope="session")
def first(once: Once) -> Built:
    """A folder in which `haymaker run` has built the release, and what it said; to be read only."""

    def make(folder: Path) -> None:
        done = tiny.haymaker(tiny.make(folder / "my project").root, "run")
        (folder / "said.json").write_text(json.dumps([done.returncode, done.stdout, done.stderr]))

    folder = once("dvc", make)
    return folder / "my project", subprocess.CompletedProcess([], *json.loads((folder / "said.json").read_text()))


@pytest.fixture
def again(first: Built, tmp_path: Path) -> Path:
    """A copy of that folder, DVC's cache, links and shards of earlier work included."""
    subprocess.run(["cp", "-a", str(first[0]), str(tmp_path / "again")], check=True)
    return tmp_path / "again"
