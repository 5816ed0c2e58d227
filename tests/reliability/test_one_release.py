"""One run, one set of parameters: whoever edits them, or starts another run, gets a right release or an error."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from haymaker.core.rng import Stream
from pipelines import stages
from pipelines.project import Project
from tests.extras import Once
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.killing import DVC, PHASES, Run
from tests.reliability.test_kills import HOWS, kill_once, recover

EDITS: dict[str, dict[str, Any]] = {
    "alone": {},
    "seed": {"release.seed": 8},
    "cleaning": {"corpora.books.clean.max_tokens": 40, "release.seed": 9},
}
"""Edits of params.yaml; "alone" is the project as it is built for all tests."""
CHANGED = "params.yaml: changed while the release was being built"
Clean = Callable[[str], dict[str, str]]
"""Name of an edit -> bytes of an undisturbed build with those parameters."""


def edit(root: Path, name: str) -> None:
    """Write params.yaml as an editor does."""
    text = yaml.safe_dump(tiny.params(**small.PARAMS, **EDITS[name]), sort_keys=False)
    (root / "params.yaml").write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def clean(alone: Alone, once: Once) -> Clean:
    """Build each when it is first needed."""

    def build(name: str) -> dict[str, str]:
        def make(folder: Path) -> None:
            root = small.make(folder / "project").root
            edit(root, name)
            assert tiny.haymaker(root, "run", HAYMAKER_WORKERS="2").returncode == 0

        return alone.bytes if name == "alone" else small.promised(once(f"clean {name}", make) / "project")

    return build


def test_dvc_has_noted_parameters_that_no_stage_read(alone: Alone, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an edit between a stage and DVC's own work: DVC takes the stage for up to date, and the next stage refuses to read it."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    edit(mine, "cleaning")
    stages.run(Project(mine), "prepare")
    edit(mine, "alone")
    subprocess.run(["dvc", "commit", "--force", "--quiet", "prepare"], cwd=mine, env=tiny.environment(), check=True)
    tiny.one_line(tiny.called(mine, "validate"), "data/stages/prepare.json", "parameters", fix="haymaker run", code=1)
    recover(mine, alone.bytes)


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("command", [(), DVC], ids=["run", "repro"])
def test_an_edit_in_every_phase(
    alone: Alone, clean: Clean, tmp_path: Path, phase: str, command: tuple[str, ...]
) -> None:
    """Whatever becomes of the run or a plain `dvc repro`, `haymaker validate` accepts only a release of the parameters in force."""
    root, name = small.make(tmp_path / "project").root, "seed" if command else "cleaning"
    run = Run(root, *command)
    run.reach(phase)
    edit(root, name)
    code = run.finish()
    found = {key: value for key, value in small.promised(root).items() if key != "dvc.lock"} if code == 0 else {}
    if code and not command:
        assert code == 2 and CHANGED in run.output(), run.output()
    right = found.items() == {key: value for key, value in clean(name).items() if key != "dvc.lock"}.items()
    done = tiny.haymaker(root, "validate")
    assert (done.returncode == 0 and "verified: all " in done.stderr) == right, (code, run.output(), done.stderr)
    recover(root, clean(name))


# ------------------------------------------------------------------------------------------------------- two at the same time

OTHERS = (("run", "other"), ("dev", "stage", "prepare"), ("validate",))
"""Commands that are refused; each waits two seconds for the process at work."""


def with_other(root: Path) -> Path:
    values = tiny.params(**small.PARAMS, **EDITS["seed"])
    (root / "params/other.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return root


def refuse_others(run: Run, root: Path, owner: str, others: tuple[tuple[str, ...], ...] = OTHERS) -> None:
    """Every other command ends with one line about the process at work; `params.yaml` stays as it is."""
    before = (root / "params.yaml").read_bytes()
    with run.held():  # a project this small would be finished before another command has loaded
        for other in others:
            tiny.one_line(tiny.called(root, *other), "", owner)
    assert (root / "params.yaml").read_bytes() == before


def test_others_and_an_edit_while_a_run_is_at_work(alone: Alone, rowless: Path, tmp_path: Path) -> None:
    """Others are refused, plain `dvc repro` too; an edit ends the run with one line and nothing that passes as validated."""
    root = with_other(rowless)
    run = Run(root)
    assert run.reach("generate")
    refuse_others(run, root, f"another run (process {run.process.pid}, haymaker run, since ", OTHERS[:2])
    with run.held():
        assert Run(root, *DVC, log=tmp_path / "other").finish() != 0
        edit(root, "seed")
    assert run.finish() == 2 and run.output().splitlines()[-1].startswith(f"haymaker: {CHANGED}"), run.output()
    done = tiny.called(root, "validate")
    assert done.returncode in (1, 2), "2 before any row is built"
    tiny.one_line(done, code=done.returncode)
    edit(root, "alone")
    recover(root, alone.bytes)


def test_others_while_plain_dvc_repro_is_at_work(rowless: Path) -> None:
    """What plain `dvc repro` builds is in tests/pipelines/test_dvc.py."""
    root = with_other(rowless)
    run, owner = Run(root, *DVC), root / "data/work/locks/stage/.lock"
    assert run.wait(lambda: owner.is_file() and "haymaker dev stage generate" in owner.read_text())
    refuse_others(run, root, "haymaker dev stage generate, since ", OTHERS[2:])
    assert run.kill("group") and not run.end()


@pytest.mark.slow
def test_others_in_every_phase(alone: Alone, tmp_path: Path) -> None:
    root = with_other(small.make(tmp_path / "project").root)
    run, counts = Run(root), Counter[str]()
    for phase in PHASES[1:-1]:
        if run.reach(phase):
            refuse_others(run, root, f"another run (process {run.process.pid}, haymaker run, since ")
            counts[run.phase] += 1
    assert run.finish() == 0, run.output()
    assert not small.differing(root, alone.bytes)
    assert counts.total() >= 8, counts


@pytest.mark.slow
@pytest.mark.parametrize("command", [(), DVC], ids=["run", "repro"])
def test_a_run_ends_as_if_nothing_had_happened(alone: Alone, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Others were refused, `dvc repro` too; and it builds the same release as `haymaker run`, dvc.lock included."""
    root = with_other(small.make(tmp_path / "project").root)
    run = Run(root, *command)
    lock, owner = ("stage", "haymaker dev stage prepare") if command else ("run", "haymaker run")
    file = root / f"data/work/locks/{lock}/.lock"
    assert run.reach("prepare") and run.wait(lambda: file.is_file() and owner in file.read_text())
    refuse_others(run, root, owner)
    assert Run(root, *DVC, log=tmp_path / "other").finish() != 0
    assert run.finish() == 0, run.output()
    assert not small.differing(root, alone.bytes)


@pytest.mark.slow
def test_two_runs_at_once(alone: Alone, clean: Clean, tmp_path: Path) -> None:
    """Started in the same moment: one is refused, the other builds a complete release."""
    root = with_other(small.make(tmp_path / "project").root)
    other = (sys.executable, "-m", "haymaker.cli.main", "run", "other")
    runs = [Run(root), Run(root, *other, log=tmp_path / "other.stderr")]
    codes = [run.finish() for run in runs]
    assert sorted(codes) == [0, 2], [run.output() for run in runs]
    assert not small.differing(root, alone.bytes if codes[0] == 0 else clean("seed"))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_killed_with_other_parameters_each_time(alone: Alone, clean: Clean, tmp_path: Path, number: int) -> None:
    root = small.make(tmp_path / "project").root
    stream, name = Stream("reliability", "changed", number), "alone"
    for name in ("alone", "cleaning", "alone", "seed"):
        edit(root, name)
        how = stream.choice([how for how in HOWS if how not in ("worker", "stage")])
        kill_once(root, alone, stream.choice(PHASES[1:]), stream.unit(), how)
    recover(root, clean(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITS)
def test_an_older_data_work_restored(alone: Alone, clean: Clean, tmp_path: Path, name: str) -> None:
    """data/work comes from a backup that was made at another moment, with other parameters."""
    root, kept = small.make(tmp_path / "project").root, tmp_path / "work"
    kill_once(root, alone, "generate", 0.5, "group")
    shutil.copytree(root / "data/work", kept)
    edit(root, "cleaning" if name == "alone" else "seed")
    assert tiny.haymaker(root, "run").returncode == 0
    shutil.rmtree(root / "data/work")
    shutil.copytree(kept, root / "data/work")
    edit(root, name)
    recover(root, clean(name))
