"""Releases side by side: building one, or going back to one, changes nothing of another and builds nothing twice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from pipelines.project import Project
from pipelines.run import runner
from tests.extras import Once
from tests.pipelines import tiny
from tests.pipelines.test_dvc import Result, dvc, looks

OTHER = tiny.params(**{
    "release.name": "other", "sources.stories.seed": 4, "suites.babilong.lengths": {"0k": 4, "1k": 4},
    "suites.babilong.tasks": {"qa1": {}},
})  # fmt: skip
SHARED = ("data/raw", "data/corpora", "data/stages", "data/counts", "data/tokenizers")
KEPT = ("work/inputs", "work/generate", "work/validate", "work/shortcuts", "work/mini")


def of(root: Path, name: str) -> dict[str, dict[str, str]]:
    """Bytes of all that is one release's alone."""
    return {place: tiny.digests(root, f"data/{place}/{name}") for place in ("releases", "reports", "work/generate")}


def state(root: Path) -> dict[str, object]:
    """What must be there again whenever a release is chosen again."""
    shared = {place: tiny.digests(root, place) for place in SHARED}
    files = {name: (root / name).read_bytes() for name in ("dvc.lock", "params.yaml")}
    reports = {name: of(root, name) for name in ("tiny", "other")}
    for each in reports.values():
        each["reports"].pop("build.json", None)  # it has a time
    return {**files, **shared, **reports}


@pytest.fixture(scope="module")
def both(once: Once, first: tuple[Path, Result]) -> Path:
    """A project that has built `tiny`, then `other`; to be read only."""

    def make(folder: Path) -> None:
        subprocess.run(["cp", "-a", str(first[0]), str(folder)], check=True)
        text = yaml.safe_dump(OTHER, sort_keys=False)
        (folder / "params/other.yaml").write_text(text, encoding="utf-8")
        done = tiny.haymaker(folder, "run", "other")
        assert "Release other 0.1.0 is ready: data/releases/other" in done.stderr, done.stderr

    return once("both releases", make)


@pytest.fixture
def mine(both: Path, tmp_path: Path) -> Path:
    subprocess.run(["cp", "-a", str(both), str(tmp_path / "mine")], check=True)
    return tmp_path / "mine"


def choose(root: Path, name: str) -> Result:
    """Go back to a release that was built; no shard and no input is made again."""
    before = looks(root, *KEPT)
    done = tiny.haymaker(root, "run", name)
    assert done.returncode == 0 and f"Release {name} 0.1.0 is ready" in done.stderr, done.stderr
    assert looks(root, *KEPT).keys() == before.keys()
    assert {path: look[0] for path, look in looks(root, *KEPT).items()} == {p: look[0] for p, look in before.items()}
    return done


@pytest.mark.slow
def test_back(first: tuple[Path, Result], mine: Path) -> None:
    assert of(mine, "tiny") == of(first[0], "tiny"), "the build of another release"
    other = state(mine)
    choose(mine, "tiny")
    back = state(mine)
    assert back["dvc.lock"] == (first[0] / "dvc.lock").read_bytes()
    assert {place: back[place] for place in SHARED} == {place: tiny.digests(first[0], place) for place in SHARED}
    assert (back["tiny"], back["other"]) == (other["tiny"], other["other"])
    assert dvc(mine, "status").stdout.strip() == "Data and pipelines are up to date."


def test_stages_of_another_release_and_back_change_nothing(
    built_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a release of the same name and version that has other parameters is said to be replaced."""
    mine = tiny.copy(built_root, tmp_path / "mine")
    before, text = of(mine.root, "tiny"), (mine.root / "params.yaml").read_bytes()
    (mine.root / "params.yaml").write_text(yaml.safe_dump(OTHER), encoding="utf-8")
    tiny.run(mine)
    assert of(mine.root, "tiny") == before
    other = of(mine.root, "other")
    assert len(other["releases"]) > 4
    (mine.root / "params.yaml").write_bytes(text)
    tiny.run(mine)
    assert {place: of(mine.root, "tiny")[place] for place in ("releases", "reports")} == {
        place: before[place] for place in ("releases", "reports")
    }
    assert of(mine.root, "other") == other
    capsys.readouterr()
    runner._say_replaced(Project(mine.root))
    assert capsys.readouterr().err == ""
    tiny.write_params(mine.root, tiny.params(**{"release.seed": 8}))
    runner._say_replaced(Project(mine.root))
    assert "tiny 0.1.0 exists already, built with other parameters or code" in capsys.readouterr().err
