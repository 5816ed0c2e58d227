"""A full or read-only disk: one clear line, nothing half-written, and the next run succeeds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pipelines.stages.stage_table import STAGES
from tests.extras import LONG
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.killing import PHASES, Run
from tests.reliability.test_kills import recover


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(place)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("NOT RUN: no permission to mount a disk here")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk: Path) -> None:
    """Write until no byte is free."""
    with suppress(OSError), (disk / "ballast").open("ab", buffering=0) as file:
        while file.write(bytes(1 << 12)):
            pass


def refused(run: Run, words: str) -> str:
    """The one line that says why a run stopped."""
    assert run.finish() == 2, run.output()
    output = run.output()
    lines = [line for line in output.splitlines() if line.startswith("haymaker: ")]
    assert len(lines) == 1 and output.strip().endswith(lines[0]), output
    assert re.search(words, lines[0]), output
    return lines[0]


@pytest.mark.parametrize("phase", PHASES if os.environ.get(LONG) else ["generate"])
def test_a_full_disk(disk: Path, alone: Alone, phase: str) -> None:
    """The disk is full as soon as a phase begins."""
    root = small.make(disk / "project").root
    if phase == "generate":  # nothing else is to be built
        shutil.copytree(alone.root, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("cache"))
        small.without_rows(root)
    run = Run(root, log=disk.parent / "log")
    assert run.reach(phase)
    fill(disk)
    if phase in list(STAGES)[:-1]:
        refused(run, "disk is full|No space left")
    else:  # DVC's own work, or so little that it may still fit
        assert run.finish() in (0, 2), run.output()
    assert not small.half_written(root)
    (disk / "ballast").unlink()
    recover(root, alone.bytes)


def test_a_read_only_disk(disk: Path) -> None:
    root = small.make(disk / "project").root
    before = tiny.digests(root, ".")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    line = refused(Run(root, log=disk.parent / "log"), r"cannot write here \(Read-only file system\)")
    assert str(root / "data/work/locks") in line, line
    assert tiny.digests(root, ".") == before


@pytest.mark.skipif(os.geteuid() == 0, reason="NOT RUN: root may write everywhere")
def test_a_read_only_folder(tmp_path: Path, alone: Alone) -> None:
    root = small.make(tmp_path / "project").root
    (root / "data").mkdir()
    (root / "data").chmod(0o555)
    refused(Run(root), r"cannot write here \(Permission denied\)")
    (root / "data").chmod(0o755)
    recover(root, alone.bytes)
