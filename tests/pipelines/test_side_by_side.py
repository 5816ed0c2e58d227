"""Releases side by side: building one, or going back to one, changes nothing of another."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from haymaker.rng import Stream
from pipelines import shelf
from pipelines.lockfile import Entry
from tests.extras import Once
from tests.pipelines import tiny
from tests.pipelines.test_dvc import Result, dvc, ran

OTHER = tiny.params(**{
    "release.name": "other", "sources.stories.seed": 4, "suites.babilong.buckets": {"0k": 4, "1k": 4},
    "suites.babilong.tasks": {"qa1": {}},
})  # fmt: skip
OWN = ("data/releases/{}", "data/reports/{}", "data/work/generate/{}")
SHARED = ("data/raw", "data/corpora", "data/prepared", "data/counts", "data/tokenizers")


def of(root: Path, name: str) -> dict[str, dict[str, str]]:
    """Bytes of all that is one release's alone."""
    return {place: tiny.digests(root, place.format(name)) for place in OWN}


def state(root: Path) -> dict[str, object]:
    """What must be there again whenever a release is chosen again, and what must not change meanwhile."""
    shared = {place: tiny.digests(root, place) for place in SHARED}
    lock, active = (root / "dvc.lock").read_bytes(), (root / "params.yaml").read_bytes()
    return {"lock": lock, "active": active, **shared, "tiny": of(root, "tiny"), "other": of(root, "other")}


@pytest.fixture(scope="module")
def both(once: Once, first: tuple[Path, Result]) -> Path:
    """A project that has built `tiny`, then `other`; to be read only."""

    def make(folder: Path) -> None:
        subprocess.run(["cp", "-a", str(first[0]), str(folder)], check=True)
        text = yaml.safe_dump(OTHER, sort_keys=False)
        (folder / "params/other.yaml").write_text(text, encoding="utf-8")
        done = tiny.haymaker(folder, "run", "--release", "other")
        assert "Release other 0.1.0 is ready: data/releases/other" in done.stderr, done.stderr

    return once("both releases", make)


@pytest.fixture
def mine(both: Path, tmp_path: Path) -> Path:
    subprocess.run(["cp", "-a", str(both), str(tmp_path / "mine")], check=True)
    return tmp_path / "mine"


def choose(root: Path, name: str) -> Result:
    done = tiny.haymaker(root, "run", "--release", name)
    assert ran(done) == set(), "nothing is built that is here"
    assert f"Release {name} 0.1.0 is ready" in done.stderr
    return done


def test_back_and_forth(first: tuple[Path, Result], mine: Path) -> None:
    assert of(mine, "tiny") == of(first[0], "tiny"), "the build of another release"
    other = state(mine)
    notes = [mine / f"data/work/releases/{name}/mini.json" for name in ("tiny", "other")]
    noted = [note.stat().st_mtime_ns for note in notes]
    done = choose(mine, "tiny")
    assert [note.stat().st_mtime_ns for note in notes] == noted, "the rows of the whole release were read"
    assert "dvc.lock and inputs of tiny are put back" in done.stderr
    back = state(mine)
    assert back["lock"] == (first[0] / "dvc.lock").read_bytes()
    assert {place: back[place] for place in SHARED} == {place: tiny.digests(first[0], place) for place in SHARED}
    assert (back["tiny"], back["other"]) == (other["tiny"], other["other"])
    assert dvc(mine, "status").stdout.strip() == "Data and pipelines are up to date."
    dvc(mine, "checkout")  # which removes all that it knows and dvc.lock does not
    assert state(mine) == back
    choose(mine, "other")
    assert state(mine) == other


def test_git_checkout_by_hand_is_no_damage(first: tuple[Path, Result], mine: Path) -> None:
    """Nor is DVC asked to go through the stages: for a release of many that takes minutes."""
    for name in ("params.yaml", "dvc.lock"):
        shutil.copyfile(first[0] / name, mine / name)
    done = tiny.haymaker(mine, "run")
    assert "inputs are another release's: those of tiny are put back" in done.stderr
    assert "building it again" not in done.stderr and ran(done) == set()
    assert {place: tiny.digests(mine, place) for place in SHARED} == {
        place: tiny.digests(first[0], place) for place in SHARED
    }
    assert (mine / "dvc.lock").read_bytes() == (first[0] / "dvc.lock").read_bytes()


@pytest.mark.slow
def test_a_plain_dvc_repro_of_edited_parameters(mine: Path) -> None:
    choose(mine, "tiny")
    wanted = state(mine)
    shutil.copyfile(mine / "params/other.yaml", mine / "params.yaml")
    dvc(mine, "repro")
    assert (state(mine)["tiny"], state(mine)["other"]) == (wanted["tiny"], wanted["other"])
    choose(mine, "tiny")
    assert state(mine) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("lost", [".dvc/cache", "data/work/releases", "data/work", "dvc.lock", "data/releases/tiny"])
def test_what_was_kept_is_gone(first: tuple[Path, Result], mine: Path, lost: str) -> None:
    before = of(mine, "other")["data/releases/{}"]
    shutil.rmtree(mine / lost) if (mine / lost).is_dir() else (mine / lost).unlink()
    done = tiny.haymaker(mine, "run", "--release", "tiny")
    assert done.returncode == 0, done.stderr
    assert (mine / "dvc.lock").read_bytes() == (first[0] / "dvc.lock").read_bytes()
    for place in (*SHARED, "data/releases/tiny", "data/reports/tiny"):
        assert tiny.digests(mine, place) == tiny.digests(first[0], place), place
    assert of(mine, "other")["data/releases/{}"] == before


@pytest.mark.slow
def test_a_kept_file_that_is_damaged_is_not_used(first: tuple[Path, Result], mine: Path) -> None:
    kept = mine / "data/work/releases/tiny/dvc.lock"
    kept.write_bytes(kept.read_bytes()[:500] + b"\n: [")
    assert ran(tiny.haymaker(mine, "run", "--release", "tiny")) <= {"generate", "validate", "card"}
    assert (mine / "dvc.lock").read_bytes() == (first[0] / "dvc.lock").read_bytes() == kept.read_bytes()


def killed(root: Path, name: str, moment: Callable[[], bool]) -> bool:
    """Whether a run that chooses a release was killed, with all that it started, at a moment."""
    command = [sys.executable, "-m", "pipelines.cli", "run", "--release", name]
    process = subprocess.Popen(
        command, cwd=root, env=tiny.environment(), stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not moment() and process.poll() is None:
        time.sleep(0.001)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "the parameters are its": lambda root: b"name: tiny" in (root / "params.yaml").read_bytes(),
    "inputs of the other are gone": lambda root: not (root / "data/raw/stories").exists(),
    "dvc.lock is its": lambda root: b"releases/tiny" in (root / "dvc.lock").read_bytes(),
}


@pytest.mark.parametrize(
    "moment", [pytest.param(each, marks=pytest.mark.slow if each[0] != "d" else ()) for each in MOMENTS]
)
def test_a_kill_while_releases_change_places(mine: Path, moment: str) -> None:
    other = state(mine)
    assert killed(mine, "tiny", lambda: MOMENTS[moment](mine))
    here = state(mine)
    assert (here["tiny"], here["other"]) == (other["tiny"], other["other"])
    choose(mine, "tiny")
    back = state(mine)
    assert killed(mine, "other", lambda: (mine / "params.yaml").read_bytes() == other["active"])
    choose(mine, "other")
    assert state(mine) == other
    assert (mine / "data/work/releases/tiny/dvc.lock").read_bytes() == back["lock"]


@pytest.mark.slow
def test_kills_at_any_moment(mine: Path) -> None:
    """Thirty kills at drawn moments, up to three in a row, to and fro; then each release is what it was."""
    draw, wanted = Stream(20, "kills"), {"other": state(mine)}
    choose(mine, "tiny")
    wanted["tiny"], hits = state(mine), 0
    while hits < 30:
        for _ in range(1 + draw.below(3)):
            name, end = draw.choice(("tiny", "other")), time.monotonic() + draw.below(3000) / 1000
            hits += killed(mine, name, lambda end=end: time.monotonic() > end)
        name = draw.choice(("tiny", "other"))
        choose(mine, name)
        assert state(mine) == wanted[name]


def test_same_name_and_version_of_other_parameters_is_said(mine: Path) -> None:
    project = tiny.Project(mine)
    shelf.say_replaced(project)
    (mine / "params.yaml").write_text(yaml.safe_dump(OTHER | {"release": OTHER["release"] | {"seed": 8}}))
    done = subprocess.run([sys.executable, "-c", "from pipelines import shelf; from pipelines.project import Project; "
                           "shelf.say_replaced(Project.here())"], cwd=mine, env=tiny.environment(), capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stderr.startswith("other 0.1.0 is here already, of other parameters or code: it is replaced")


@pytest.mark.parametrize("name", ["../../tiny", "/tmp/x", "", "Tiny", None])
def test_a_name_that_is_no_name_is_no_place_to_write(name: str | None) -> None:
    entry = Entry("haymaker stage card", {"params.yaml": {"release": {"name": name}}}, (), ())
    assert shelf.noted({"card": entry}) == ""
    assert shelf.noted({}) == ""
