"""haymaker releases: what is here, as it says of itself; and every command finds a release by folder or name."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import write_json
from haymaker.releases.folder import release_folder
from tests.errors import refused
from tests.pipelines import tiny


@pytest.fixture
def here(built_root: Path, tmp_path: Path) -> Path:
    """A project with a built release, by links: files are replaced, never written into."""
    root = tmp_path / "here"
    shutil.copytree(built_root / "data/releases", root / "data/releases", copy_function=os.link)
    for name in ("params.yaml", "params"):
        copy = shutil.copytree if (built_root / name).is_dir() else shutil.copyfile
        copy(built_root / name, root / name)
    return root


def lines(root: Path, home: Path) -> list[list[str]]:
    """Cells of the table below its head."""
    done = tiny.called(root, "releases", HAYMAKER_HOME=str(home))
    assert done.returncode == 0, done.stderr
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in done.stdout.splitlines()[1:]]


def test_built_and_pulled(here: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert lines(tmp_path, home) == []
    pulled = home / "releases/some-lab/tiny/0.1.0"
    shutil.copytree(here / "data/releases/tiny", pulled, copy_function=os.link)
    rows = ["0.1.0", "simulated", "74", "175.0 k", "0.5 MB", "yes"]
    assert lines(here, home) == [["*", "tiny", *rows, "no"], ["some-lab/tiny", *rows, "pulled"]]
    assert lines(tmp_path, home) == [["some-lab/tiny", *rows, "pulled"]], "outside of a project"
    next(pulled.rglob("*.parquet")).unlink()
    assert lines(tmp_path, home)[0][-2] == "yes, 17 of 18 files here"
    for command in (["validate"], ["show", "qa1"]):
        release = str(here / "data/releases/tiny")
        assert tiny.called(tmp_path, *command, "--release", release).returncode == 0


def test_damage_is_named(here: Path, tmp_path: Path) -> None:
    release = here / "data/releases/tiny"
    file, said = next(release.rglob("*.parquet")), json.loads((release / "manifest.json").read_bytes())
    kept = file.read_bytes()
    for change in (file.unlink, lambda: file.write_bytes(kept[:-1])):
        change()
        assert lines(here, tmp_path)[0][-2] == f"damaged: {file.relative_to(release).as_posix()}"
    file.write_bytes(kept)
    failed = said | {"verification": said["verification"] | {"failed": {"FILL": 1}}}
    for broken, words in ((failed, "no"), (said | {"files": []}, "damaged: manifest.json")):
        write_json(release / "manifest.json", broken)
        assert words in lines(here, tmp_path)[0]
    (release / "manifest.json").unlink()
    assert lines(here, tmp_path)[0] == ["*", "tiny", "not finished: haymaker run"]


def test_a_release_by_folder_and_by_name(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    (here / "params/tiny.yaml").rename(here / "params/small.yaml")
    release = Path("data/releases/tiny")
    for given in (None, "tiny", "small", "data/releases/tiny", str(here / release)):
        assert release_folder(given).resolve() == here / release, given
    for given, where, fix in (
        ("tinny", "--release", "tiny"),
        ("../data", "--release", "tiny"),
        ("params", "params", ("README.md", "data/")),
    ):
        with refused(ReleaseError, where, given, fix=fix):
            release_folder(given)
    (here / "params.yaml").write_text("release: {name: other}\n")
    with refused(ReleaseError, "data/releases/other", fix=("haymaker run", "--release", "tiny")):
        release_folder(None)
    monkeypatch.chdir(tmp_path)
    with refused(ReleaseError, "--release", "tiny", fix="haymaker releases"):
        release_folder("tiny")
