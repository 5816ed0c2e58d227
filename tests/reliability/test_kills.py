"""A run that is killed at any moment resumes, and ends with the same bytes as an undisturbed run."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from haymaker.core.rng import Stream
from pipelines.stages.stage_table import STAGES
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.killing import DVC, PHASES, Run

SAYS = {"SIGTERM": "stopped", "SIGINT": "stopped", "SIGTERM to run": "stopped", "worker": "run again"}
CODES = {"SIGTERM": 143, "SIGINT": 130, "SIGTERM to run": 143}
HOWS = ("group", "group", "dvc", "stage", "worker", "run", "SIGTERM", "SIGINT", "SIGTERM to run")
SHORT = (("generate", "worker"), ("after validate", "run"))


def follow_advice(root: Path) -> None:
    """A kill may cut DVC's file of locks short: `haymaker run` then prints which file to remove, and here it is removed."""
    place = root / ".dvc/tmp/rwlock"
    with suppress(FileNotFoundError):
        try:
            json.loads(place.read_bytes())
        except ValueError:
            tiny.one_line(tiny.haymaker(root, "run"), fix="rm .dvc/tmp/rwlock")
            place.unlink()


def kill_once(root: Path, alone: Alone, phase: str, share: float, how: str, *command: str) -> str:
    """Run, and kill at a share of a phase's length; the phase of the kill, or an empty string if the run was quicker.

    Finished inputs must stay as they are, and no half-written file may have a final name.
    """
    follow_advice(root)
    kept, run = small.finished(root), Run(root, *command)
    if not run.reach(phase):
        return ""
    moment = run.since + share * alone.lengths.get(phase, 0.1)
    run.wait(lambda: time.monotonic() >= moment)
    if not run.wait(lambda: run.kill(how)):
        return ""
    hit, left = run.phase, run.end()
    assert not left, (how, phase, left)
    assert not small.half_written(root), (how, hit)
    assert kept.items() <= small.finished(root).items(), (how, hit)
    if run.process.returncode == 0:
        return ""  # the victim had finished its work
    if command:
        return hit
    if how in ("group", "run"):
        assert run.process.returncode == -9
    elif " is ready: " in run.output():
        assert run.process.returncode in (130, 143, -15), "stopped after its last line, while Python was ending"
    else:
        lines = [line for line in run.output().splitlines() if line.startswith("haymaker: ")]
        assert run.process.returncode == CODES.get(how, 2), (how, hit, run.process.returncode, run.output())
        assert len(lines) == 1 and SAYS.get(how, "") in lines[0], (how, hit, run.output())
    assert "Traceback" not in run.output(), (how, hit, run.output())
    return hit


def recover(root: Path, wanted: dict[str, str]) -> None:
    """Run to the end: the bytes are the wanted ones, and inputs that were finished were not built again."""
    follow_advice(root)
    kept = small.finished(root)
    done = tiny.haymaker(root, "run", HAYMAKER_WORKERS="2")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert not small.differing(root, wanted)
    assert kept.items() <= small.finished(root).items()
    assert not [name for name in tiny.leftovers(root) if "haymaker" in name], "DVC may leave its own"


def test_killed_again_and_again(alone: Alone, rowless: Path) -> None:
    """One project is killed twice; the next run completes it. `test_fifty_kills` kills every process in every phase."""
    hits = Counter[str]()
    for phase, how in SHORT:
        hits[kill_once(rowless, alone, phase, 0.5, how)] += 1
    recover(rowless, alone.bytes)
    assert small.work(rowless) == alone.work
    assert not hits[""], hits


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_fifty_kills(alone: Alone, tmp_path: Path, part: int) -> None:
    """Kills in a row, of `haymaker run` and plain `dvc repro`, in every phase; then one run to the end."""
    stream, hits = Stream("reliability", "kills", part), Counter[str]()
    for first in range(part, len(PHASES), 4):
        root = small.make(tmp_path / "trial" / "project").root
        for at in (first, first, min(first + 2, len(PHASES) - 1), min(first + 3, len(PHASES) - 1)):
            command = DVC if stream.below(4) == 0 else ()
            how = way(stream, PHASES[at], bool(command))
            hits[kill_once(root, alone, PHASES[at], stream.unit(), how, *command)] += 1
        recover(root, alone.bytes)
        assert small.work(root) <= alone.work
        shutil.rmtree(root.parent)
    assert hits.total() - hits[""] >= 8, hits


def way(stream: Stream, phase: str, is_dvc: bool) -> str:
    """How to kill; not every process exists in every phase."""
    how = stream.choice(HOWS)
    if how == "worker" and phase not in ("download", "prepare", "generate", "validate"):
        return "group"
    if how == "stage" and phase not in STAGES:
        return "group" if phase == "start" else "dvc"
    return "group" if (phase == "start" and how != "run") or (is_dvc and how.startswith("SIG")) else how
