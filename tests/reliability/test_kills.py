"""A run that is killed at any moment goes on from there, and ends with the bytes of one that was left alone."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from haymaker.rng import Stream
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.killing import PHASES, STAGES, Run

SAYS = {"SIGTERM": "stopped", "SIGINT": "stopped", "SIGTERM to run": "stopped", "worker": "run again"}


def kill_once(root: Path, alone: Alone, phase: str, share: float, how: str) -> str:
    """Run, and kill at a share of a phase's length; the phase that it hit, or nothing if the run was quicker."""
    run = Run(root)
    if not run.wait(lambda: PHASES.index(run.phase) >= PHASES.index(phase)):
        return ""
    moment = run.since + share * alone.lengths.get(phase, 0.1)
    run.wait(lambda: time.monotonic() >= moment)
    if not run.wait(lambda: run.kill(how)):
        return ""
    hit = run.phase
    left = run.end()
    assert not left, (how, phase, left)
    if run.process.returncode == 0:
        return ""  # what was killed had done its work
    if how in ("group", "run"):
        assert run.process.returncode == -9
    elif " is ready: " in run.output():
        assert run.process.returncode in (2, -15), "stopped after its last word, while Python was ending"
    else:
        lines = [line for line in run.output().splitlines() if line.startswith("haymaker: ")]
        assert run.process.returncode == 2, (how, hit, run.process.returncode, run.output())
        assert len(lines) == 1 and SAYS.get(how, "") in lines[0], (how, hit, run.output())
    assert "Traceback" not in run.output(), (how, hit, run.output())
    assert not small.half_written(root), (how, hit)
    return hit


def recover(root: Path, alone: Alone) -> set[str]:
    """Run to the end, compare everything; what lies in data/work that an undisturbed run does not leave."""
    done = tiny.haymaker(root, "run", HAYMAKER_WORKERS="2")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    found = small.promised(root)
    assert found == alone.bytes, {k for k in found.keys() | alone.bytes.keys() if found.get(k) != alone.bytes.get(k)}
    assert not tiny.leftovers(root)
    return small.work(root) - alone.work


@pytest.mark.slow
def test_killed_again_and_again(alone: Alone, tmp_path: Path) -> None:
    """One project, killed again and again on its way; then left alone. Every stage, every way to kill: the long form."""
    root = small.make(tmp_path / "project").root
    stream, hits = Stream("reliability", "chain"), Counter[str]()
    for phase, how in (
        ("background", "dvc"),
        ("after generate", "group"),
        ("validate", "run"),
    ):
        hit = kill_once(root, alone, phase, stream.unit(), how)
        hits[hit] += 1
        if not hit:  # the run was quicker, and another one would have nothing to do
            root = small.make(tmp_path / f"after-{hits.total()}" / "project").root
    assert sum(hits.values()) - hits[""] >= 2, hits
    assert recover(root, alone) == set()
    small.note("kills-short", {"kills": hits})


HOWS = ("group", "group", "dvc", "stage", "worker", "run", "SIGTERM", "SIGINT", "SIGTERM to run")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_hundred_kills(alone: Alone, tmp_path: Path, part: int) -> None:
    """Four in a row: a run that has come to a phase is killed in it, so are the next three; the fifth runs to the end."""
    before = stopped_before_each(tmp_path, alone)
    stream, hits, ways, remains = Stream("reliability", "hundred", part), Counter[str](), Counter[str](), Counter[str]()
    groups = 0
    while sum(hits.values()) < 25:
        first = (part + 4 * groups) % len(PHASES)
        root = tmp_path / "trial" / "project"
        shutil.rmtree(root.parent, ignore_errors=True)
        shutil.copytree(before[PHASES[first].removeprefix("after ")], root)
        struck = Counter[str]()
        for _ in range(4):
            how = way(stream, PHASES[first])
            hit = kill_once(root, alone, PHASES[first], stream.unit(), how)
            struck[hit] += 1
            ways[how] += bool(hit)
            first = stream.between(first, min(first + 4, len(PHASES) - 1))
        del struck[""]  # the run was quicker
        remains.update(recover(root, alone))
        hits.update(struck)
        groups += 1
        figures = {"kills": hits, "ways": ways, "recovered": sum(hits.values()), "groups": groups, "remains": remains}
        small.note(f"kills-{part}", figures)


def way(stream: Stream, phase: str) -> str:
    """How to kill; not all that can be killed is there in every phase."""
    how = stream.choice(HOWS)
    if how == "worker" and phase not in ("generate", "validate"):
        return "group"
    if how == "stage" and phase not in STAGES:
        return "dvc" if phase != "start" else "run"
    return "group" if phase == "start" and how not in ("group", "run") else how  # nobody listens while Python loads


def stopped_before_each(tmp_path: Path, alone: Alone) -> dict[str, Path]:
    """Stage -> a project whose run was killed as that stage began."""
    root = small.make(tmp_path / "walk" / "project").root
    found = {"start": tmp_path / "before" / "start" / "project"}
    shutil.copytree(root, found["start"])
    for stage in STAGES:
        kill_once(root, alone, stage, 0.0, "group")
        found[stage] = tmp_path / "before" / stage / "project"
        shutil.copytree(root, found[stage])
    assert recover(root, alone) == set()
    return found
