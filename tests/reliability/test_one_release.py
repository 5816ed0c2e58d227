"""One run, one set of parameters: whoever edits them, or starts another run, gets a right release or a no."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from haymaker.rng import Stream
from tests.extras import Once
from tests.pipelines import tiny
from tests.reliability import small
from tests.reliability.conftest import Alone
from tests.reliability.killing import PHASES, Run
from tests.reliability.test_kills import HOWS, kill_once

EDITS: dict[str, dict[str, Any]] = {"seed": {"release.seed": 8}, "cleaning": {"corpora.books.clean.max_tokens": 40}}
"""What is edited in the middle of a run."""
DVC = ("dvc", "repro", "--quiet")


def edit(root: Path, **changes: Any) -> None:
    """params.yaml alone, as an editor does it."""
    text = yaml.safe_dump(tiny.params(**small.PARAMS, **changes), sort_keys=False)
    (root / "params.yaml").write_text(text, encoding="utf-8")


Clean = Callable[[str], dict[str, str]]
"""Name of an edit -> bytes of a build by those parameters that nobody disturbed; "alone" for no edit."""


@pytest.fixture(scope="session")
def clean(alone: Alone, once: Once) -> Clean:
    """Builds each when it is first asked for."""

    def build(name: str) -> dict[str, str]:
        def make(folder: Path) -> None:
            root = small.make(folder / "project").root
            edit(root, **EDITS[name])
            assert tiny.haymaker(root, "run", HAYMAKER_WORKERS="2").returncode == 0

        return alone.bytes if name == "alone" else small.promised(once(f"clean {name}", make) / "project")

    return build


def edited_in(root: Path, phase: str, changes: dict[str, Any], command: Iterable[str] | None = None) -> tuple[int, str]:
    """Exit status and last words of a run whose parameters are edited once, in a phase."""
    run = Run(root, **({"command": tuple(command)} if command else {}))
    run.wait(lambda: PHASES.index(run.phase) >= PHASES.index(phase))
    edit(root, **changes)
    run.wait(lambda: False)
    assert not run.end()
    assert "Traceback" not in run.output()
    return run.process.returncode, run.output()


def hold(root: Path, phase: str, name: str, alone: Alone, clean: Clean) -> str:
    """An edit in a phase: the run says no, or its bytes are of what the card says; the next one is of the edit."""
    code, said = edited_in(root, phase, EDITS[name])
    outcome = "no"
    if code == 0:
        outcome = "before" if small.promised(root) == alone.bytes else "after"
        assert small.promised(root) in (alone.bytes, clean(name)), (phase, name)
        assert tiny.haymaker(root, "validate").returncode == (2 if outcome == "before" else 0)
    else:
        assert code == 2 and "params.yaml: changed while the release was being built" in said, said
        tiny.one_line(tiny.haymaker(root, "validate"))
    heal(root, clean(name))
    return outcome


def heal(root: Path, wanted: dict[str, str]) -> None:
    """One more run, nothing forced."""
    done = tiny.haymaker(root, "run", HAYMAKER_WORKERS="2")
    assert done.returncode == 0, done.stderr
    found = small.promised(root)
    assert found == wanted, sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
    assert not tiny.leftovers(root)


@pytest.mark.slow
def test_another_run_and_an_edit_while_one_is_at_work(alone: Alone, tmp_path: Path) -> None:
    """The other is told who is at work, the edit is refused; undone, the next run ends as if nobody had come. All else: the long forms."""
    root = with_other(small.make(tmp_path / "project").root)
    before = (root / "params.yaml").read_bytes()
    run = Run(root)
    assert start_other(run, root, "background") == "busy"
    run.wait(lambda: PHASES.index(run.phase) >= PHASES.index("generate"))
    edit(root, **EDITS["seed"])
    run.wait(lambda: False)
    assert not run.end()
    assert run.process.returncode == 2, run.output()
    assert "params.yaml: changed while the release was being built" in run.output() and "Traceback" not in run.output()
    tiny.one_line(tiny.called(root, "validate"))
    (root / "params.yaml").write_bytes(before)
    heal(root, alone.bytes)


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_in_every_phase(alone: Alone, clean: Clean, tmp_path: Path, phase: str, name: str) -> None:
    hold(small.make(tmp_path / "project").root, phase, name, alone, clean)


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
def test_an_edit_under_a_plain_dvc_repro(alone: Alone, clean: Clean, tmp_path: Path, phase: str) -> None:
    """DVC notes parameters when a stage ends: whatever came of it, the next command says so, and a run makes it right."""
    root = small.make(tmp_path / "project").root
    code, said = edited_in(root, phase, EDITS["seed"], DVC)
    built = {k: v for k, v in small.promised(root).items() if k != "dvc.lock"} if code == 0 else {}
    right = built == {k: v for k, v in clean("seed").items() if k != "dvc.lock"}
    validated = tiny.haymaker(root, "validate")
    assert validated.returncode == (0 if right else 2), (code, said, validated.stderr)
    assert ("proved: all " in validated.stderr) == right
    heal(root, clean("seed"))


def start_others(root: Path, phases: Iterable[str]) -> Counter[str]:
    """A run, and at each of the phases another one, of another release; what became of those."""
    outcomes, run = Counter[str](), Run(root)
    for phase in phases:
        outcome = start_other(run, root, phase)
        outcomes[outcome] += bool(outcome)
        if outcome == "later":
            break
    run.wait(lambda: False)
    assert run.process.returncode == 0, run.output()
    return outcomes


def start_other(run: Run, root: Path, phase: str) -> str:
    """Another run when one has come to a phase: "busy", "later" if the one had ended meanwhile, or nothing if it had before.

    The one is held meanwhile: this small, it would have ended before the other has loaded.
    """
    before = (root / "params.yaml").read_bytes()
    if not run.wait(lambda: PHASES.index(run.phase) >= PHASES.index(phase)):
        return ""
    with run.held():
        done = tiny.haymaker(root, "run", "--release", "other")
    if done.returncode == 0:
        return "later"
    line = tiny.one_line(done)
    assert f"another run (process {run.process.pid}, haymaker run, since " in line, line
    assert (root / "params.yaml").read_bytes() == before
    return "busy"


def with_other(root: Path) -> Path:
    values = tiny.params(**small.PARAMS, **EDITS["seed"])
    (root / "params/other.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return root


@pytest.mark.slow
def test_another_release_at_ten_moments(alone: Alone, clean: Clean, tmp_path: Path) -> None:
    counts = Counter[str]()
    for number, phase in enumerate([*PHASES[1:-3], "background", "generate", "validate"]):
        root = with_other(small.make(tmp_path / str(number) / "project").root)
        found = start_others(root, [phase])
        assert small.promised(root) == (clean("seed") if found["later"] else alone.bytes)
        counts += found
    small.note("others", dict(counts))
    assert counts["busy"] >= 10, counts


@pytest.mark.slow
def test_two_runs_at_once(alone: Alone, clean: Clean, tmp_path: Path) -> None:
    """Started in the same moment: one wins, and its release is whole."""
    root = with_other(small.make(tmp_path / "project").root)
    other = (sys.executable, "-m", "pipelines.cli", "run", "--release", "other")
    runs = [Run(root), Run(root, command=other, log=tmp_path / "other.stderr")]
    for run in runs:
        run.wait(lambda: False)
    assert sorted(run.process.returncode for run in runs) == [0, 2], [run.output() for run in runs]
    assert small.promised(root) == (alone.bytes if runs[0].process.returncode == 0 else clean("seed"))


# ------------------------------------------------------------------------------ kills, with parameters that change between


def change_and_kill(root: Path, alone: Alone, clean: Clean, stream: Stream, kills: int) -> Counter[str]:
    """Runs that are killed, other parameters before each; then a run that is left alone."""
    hits, name = Counter[str](), "alone"
    for name in ("alone", "cleaning", "alone", "seed")[-kills:]:
        edit(root, **EDITS.get(name, {}))
        hit = kill_once(root, alone, stream.choice(PHASES), stream.unit(), stream.choice(HOWS))
        if not hit:
            shutil.rmtree(root / "data/releases/tiny", ignore_errors=True)
        hits[hit or "quicker"] += 1
    heal(root, clean(name))
    return hits


@pytest.mark.slow
def test_killed_with_other_parameters_each_time(alone: Alone, clean: Clean, tmp_path: Path) -> None:
    change_and_kill(small.make(tmp_path / "project").root, alone, clean, Stream("reliability", "changed"), 2)


@pytest.mark.slow
def test_twenty_kills_with_other_parameters_each_time(alone: Alone, clean: Clean, tmp_path: Path) -> None:
    hits = Counter[str]()
    for number in range(5):
        root = small.make(tmp_path / str(number) / "project").root
        hits += change_and_kill(root, alone, clean, Stream("reliability", "changed", number), 4)
    small.note("kills-changed", dict(hits))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alone", *EDITS])
def test_an_older_data_work_restored(alone: Alone, clean: Clean, tmp_path: Path, name: str) -> None:
    """From a backup, as it was at another moment and for other parameters."""
    root, kept = small.make(tmp_path / "project").root, tmp_path / "work"
    kill_once(root, alone, "generate", 0.5, "group")
    shutil.copytree(root / "data/work", kept)
    edit(root, **EDITS["cleaning" if name == "alone" else "seed"])
    assert tiny.haymaker(root, "run").returncode == 0
    shutil.rmtree(root / "data/work")
    shutil.copytree(kept, root / "data/work")
    edit(root, **EDITS.get(name, {}))
    heal(root, clean(name))
