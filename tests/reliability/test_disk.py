"""A disk that is full or may not be written: one clear line, nothing half-written, and the next run ends well."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.killing import PHASES, STAGES, Run


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of one's own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("NOT RUN: may not mount a disk here")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)  # what a run had begun ends within a moment


def fill(disk: Path) -> None:
    """To the last byte."""
    with suppress(OSError), (disk / "ballast").open("ab", buffering=0) as file:
        while file.write(bytes(1 << 12)):
            pass


def refused(run: Run, words: str) -> str:
    """The one line in which a run said why it stopped."""
    assert not run.end(60)
    output = run.output()
    lines = [line for line in output.splitlines() if line.startswith("haymaker: ")]
    assert run.process.returncode == 2, (run.process.returncode, output)
    assert "Traceback" not in output and len(lines) == 1 and output.strip().endswith(lines[0]), output
    assert re.search(words, lines[0]), output
    return lines[0]


def recovered(root: Path, alone: Alone) -> None:
    done = tiny.haymaker(root, "run", HAYMAKER_WORKERS="2")
    assert done.returncode == 0, done.stderr
    assert small.promised(root) == alone.bytes
    assert not [name for name in tiny.leftovers(root) if not name.startswith(".dvc/")]


@pytest.mark.slow  # test_mistakes.py fills the disk of one stage, while it downloads and while it generates
@pytest.mark.parametrize("phase", PHASES)
def test_a_full_disk(disk: Path, alone: Alone, phase: str) -> None:
    """It is full as soon as a phase begins."""
    root = small.make(disk / "project").root
    run = Run(root, log=disk.parent / "log")
    assert run.wait(lambda: PHASES.index(run.phase) >= PHASES.index(phase))
    fill(disk)
    if phase in STAGES[:-1]:
        refused(run, "disk is full|No space left")
    else:  # DVC's own work, or so little that it may still fit
        assert not run.end(60)
        assert run.process.returncode in (0, 2) and "Traceback" not in run.output(), run.output()
    assert not small.half_written(root)
    (disk / "ballast").unlink()
    recovered(root, alone)


def test_a_disk_that_may_not_be_written(disk: Path) -> None:
    """What is to be recovered is what was there: nothing is built, so no run is needed to see it."""
    root = small.make(disk / "project").root
    before = tiny.digests(root, ".")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    line = refused(Run(root, log=disk.parent / "log"), r"cannot write here \(Read-only file system\)")
    assert str(root / ".dvc/tmp") in line, "where the lock of the project lies"
    assert tiny.digests(root, ".") == before


@pytest.mark.skipif(os.geteuid() == 0, reason="NOT RUN: root may write everywhere")
def test_a_folder_that_is_not_ours(tmp_path: Path, alone: Alone) -> None:
    root = small.make(tmp_path / "project").root
    (root / "data").mkdir()
    (root / "data").chmod(0o555)
    refused(Run(root), r"cannot write here \(Permission denied\)")
    (root / "data").chmod(0o755)
    recovered(root, alone)
