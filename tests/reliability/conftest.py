"""One finished project for all: built by a run that nobody disturbs."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.extras import Once
from tests.reliability import small
from tests.reliability.killing import Run


@dataclass
class Alone:
    """A run that nobody disturbed: its folder (to be read only), its bytes, and how long each phase took."""

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
    """The project, and beside it how long each phase took."""
    run = Run(small.make(folder / "project").root)
    run.wait(lambda: False)
    assert run.process.returncode == 0, run.output()
    lengths = run.lengths | {run.phase: time.monotonic() - run.since}
    (folder / "lengths.json").write_text(json.dumps(lengths))
