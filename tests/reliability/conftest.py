"""One finished project for all: built by a run that nobody disturbs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

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
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """The finished project."""
    root = small.make(tmp_path_factory.mktemp("alone") / "project").root
    run = Run(root)
    run.wait(lambda: False)
    assert run.process.returncode == 0, run.output()
    lengths = run.lengths | {run.phase: time.monotonic() - run.since}
    return Alone(root, small.promised(root), small.work(root), lengths)
