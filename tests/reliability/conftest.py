"""One finished project for all tests, built by an undisturbed run."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.extras import Once
from tests.reliability import small
from tests.reliability.killing import Run


@dataclass
class Alone:
    """An undisturbed run: its folder (read only), the SHA-256 of its files, the files in data/work, seconds of each phase."""

    root: Path
    bytes: dict[str, str]
    work: set[str]
    lengths: dict[str, float]


@pytest.fixture(scope="session")
def alone(once: Once) -> Alone:
    """The finished project."""
    folder = once("small project", undisturbed)
    lengths = json.loads((folder / "lengths.json").read_text())
    return Alone(folder / "project", small.promised(folder / "project"), small.work(folder / "project"), lengths)


def undisturbed(folder: Path) -> None:
    """Build the project, and write the seconds of each phase next to it."""
    run = Run(small.make(folder / "project").root)
    assert run.finish() == 0, run.output()
    lengths = run.lengths | {run.phase: time.monotonic() - run.since}
    (folder / "lengths.json").write_text(json.dumps(lengths))


@pytest.fixture
def mine(alone: Alone, tmp_path: Path) -> Path:
    """A copy of the finished project with its hard links; folder and file names contain a space and an umlaut."""
    root = tmp_path / "Größe 1" / "project"
    root.parent.mkdir()
    subprocess.run(["cp", "-a", str(alone.root), str(root)], check=True)
    return root


@pytest.fixture
def rowless(mine: Path) -> Path:
    """That copy without its rows, wherever they were kept: a run begins with the stage `generate`."""
    return small.without_rows(mine)
