"""Releases in stores: published as they were built, resumed after a kill, never changed, pulled file by file, read in place."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.disk import json_text, sha256_file
from haymaker.releases import manifest
from haymaker.releases.pulled.partial_pull import read_note
from haymaker.releases.remote.store_backend import StoreBackend
from pipelines.project import Project
from tests.pipelines import tiny
from tests.pipelines.hub.publisher import rendered
from tests.pipelines.s3_server import s3, with_s3

QA1 = "data/babilong/qa1/4k/test-00000-of-00001.parquet"
FILES = 27
_KILLED = """
import os, signal, sys
from haymaker.cli.main import main
from haymaker.releases.remote.store_backend import StoreBackend

left, upload = [int(sys.argv.pop(1))], StoreBackend.upload

def counted(self, folder, names, *more):
    for name in names:
        upload(self, folder, [name], *more)
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
    return more[-1]

StoreBackend.upload = counted
main()
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def publish(project: Project, store: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return tiny.called(project.root, "publish", f"file://{store}", "--yes", *more)


def pull(home: Path, store: Path | str, *more: str) -> subprocess.CompletedProcess[str]:
    home.mkdir(exist_ok=True)
    address = store if isinstance(store, str) else f"file://{store}"
    return tiny.called(home, "pull", address, *more, HAYMAKER_HOME=str(home / "cache"))


def published(project: Project, store: Path, *more: str) -> str:
    done = publish(project, store, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def killed(at: int, project: Project, address: str, **more: str) -> bool:
    """Publish, killed when so many files are sent."""
    command = [sys.executable, "-c", _KILLED, str(at), "publish", address, "--yes"]
    done = subprocess.run(command, cwd=project.root, check=False, env=tiny.environment(**more))
    return done.returncode == -signal.SIGKILL


def built_files(project: Project) -> dict[str, str]:
    return {name: sha256 for name, sha256 in tiny.digests(project.root).items() if not name.endswith(".gitignore")}


# ------------------------------------------------------------------------------------------------------- published


def test_a_store_holds_the_release_as_it_was_built(mine: Project, store: Path) -> None:
    looked = tiny.called(mine.root, "publish", f"file://{store}")
    assert looked.returncode == 0 and not store.exists()
    assert "\n  new\n" in looked.stdout and f"to upload: {FILES} files" in looked.stdout
    assert f"Next: haymaker publish file://{store} --yes" in looked.stdout
    assert f"v0.1.0 is published: {FILES} files, all compared" in published(mine, store)
    assert tiny.digests(store, "0.1.0") == built_files(mine)
    record = json.loads((mine.root / "data/work/published.json").read_text())["tiny"]
    assert (record["repo"], record["version"]) == (f"file://{store}", "0.1.0")
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    assert "is already published with the same files; nothing was uploaded" in published(mine, store)
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before


def test_a_published_version_is_never_changed(mine: Project, store: Path) -> None:
    published(mine, store)
    held = tiny.digests(store, ".")
    for changes, said in (
        ({"title": "Another title"}, "v0.1.0 is already published with other bytes"),
        ({"version": "0.0.9"}, "0.0.9 is lower than the published version 0.1.0"),
        ({"name": "other", "version": "0.2.0"}, "contains the release tiny, not other"),
    ):
        rendered(mine, **changes)
        assert said in tiny.one_line(publish(mine, store))
    assert tiny.digests(store, ".") == held
    rendered(mine, name="tiny")
    assert "newest version: 0.1.0" in published(mine, store)
    assert {name: sha for name, sha in tiny.digests(store, ".").items() if name.startswith("0.1.0/")} == held
    assert tiny.digests(store, "0.2.0") == built_files(mine)
    (store / "0.2.0" / QA1).write_bytes(b"cut")
    assert f"is already published with other bytes, first difference in {QA1}" in tiny.one_line(publish(mine, store))


def test_what_is_not_verified_or_was_changed_is_not_published(mine: Project, store: Path) -> None:
    def line(**changes: object) -> str:
        rendered(mine, **changes)
        return tiny.one_line(publish(mine, store))

    said = json.loads((mine.release / "manifest.json").read_text())
    checked = said["verification"]
    assert "2 rows fail the check FILL" in line(verification=checked | {"failed": {"FILL": 2}})
    assert "70 of 74 rows" in line(verification=checked | {"rows": 70})
    words = "would contain a token or a folder of this machine"
    assert words in line(verification=checked, title=f"Built in {mine.root}/data")
    rendered(mine, title=said["title"])
    card, old = (mine.release / "README.md").read_text(), sha256_file(mine.release / "manifest.json")
    del said["verification"]
    (mine.release / "manifest.json").write_text(json_text(said))
    new = sha256_file(mine.release / "manifest.json")
    (mine.release / "README.md").write_text(card.replace(old, new))
    assert "rows were not checked" in tiny.one_line(publish(mine, store))
    with (mine.release / QA1).open("ab") as file:
        file.write(b"x")
    assert f"{QA1}: changed since it was released" in line(verification=checked)
    assert not store.exists()


@pytest.mark.parametrize("at", [5, FILES - 1])
def test_killed_in_the_middle_it_goes_on(at: int, mine: Project, store: Path, tmp_path: Path) -> None:
    assert killed(at, mine, f"file://{store}")
    assert "no version is published" in tiny.one_line(pull(tmp_path / "home", store))
    looked = tiny.called(mine.root, "publish", f"file://{store}").stdout
    assert f"to upload: {FILES - at} files" in looked, looked
    kept = {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")}
    published(mine, store)
    assert tiny.digests(store, "0.1.0") == built_files(mine)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "nothing is sent twice"


# ------------------------------------------------------------------------------------------------------------ pulled


@pytest.fixture
def there(mine: Project, store: Path) -> Path:
    """A store with the release."""
    published(mine, store)
    return store


def test_a_part_comes_and_more_is_added(there: Path, tmp_path: Path) -> None:
    home, address = tmp_path / "home", f"file://{there}"
    done = pull(home, there, "--tasks", "qa1", "--lengths", "4k")
    assert done.returncode == 0 and "0.1.0 is the newest of 1 versions" in done.stderr, done.stderr
    folder = home / "cache/releases" / address / "0.1.0"
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")] == [QA1]
    what = read_note(folder)
    assert what is not None and (what.repo, what.version) == (address, "0.1.0")
    more = {"HAYMAKER_HOME": str(home / "cache")}
    assert tiny.called(home, "show", "qa1", "--release", address, **more).returncode == 0
    line = tiny.one_line(tiny.called(home, "show", "qa1", "--length", "1k", "--release", f"{address}@0.1.0", **more))
    assert line.endswith(f"Next: haymaker pull {address}@0.1.0 --tasks babilong/qa1 --lengths 1k")
    listed = tiny.called(home, "releases", **more).stdout.splitlines()
    whole = "".join(line.strip().partition("  ")[0] for line in listed)
    assert address in whole, "a long name goes on in the next line"
    done = pull(home, f"{address}@0.1.0", "--split", "all", "--mini")
    assert done.returncode == 0 and "already here: 1 files" in done.stderr, done.stderr
    manifest.verify(folder)
    held = {name: sha256 for name, sha256 in tiny.digests(folder, ".").items() if not name.startswith(".")}
    assert held == tiny.digests(there, "0.1.0")


def test_a_store_that_is_no_disk(mine: Project, tmp_path: Path) -> None:
    place, names = StoreBackend(f"memory://{tmp_path.name}"), list(built_files(mine))
    rows = [name for name in names if name != "manifest.json"]
    place.upload(mine.release, rows, (), "", "0.1.0")
    assert place.versions() == {} and set(place.listing("0.1.0")) == set(rows)
    place.mark_version(mine.release, "0.1.0", "0.1.0")
    with pytest.raises(EnvironmentProblem, match="FileExistsError"):  # two publish at once
        place.mark_version(mine.release, "0.1.0", "0.1.0")
    place.download([*names, "absent"], "0.1.0", tmp_path)
    assert {name: file.sha256 for name, file in place.listing("0.1.0").items()} == built_files(mine)
    assert {name: sha256_file(tmp_path / name) for name in names} == built_files(mine)


# --------------------------------------------------------------------------------------------------------------- S3


@with_s3
def test_a_bucket_of_s3(mine: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address, home = "s3://hay/releases/tiny", tmp_path / "home"
    with s3() as credentials:
        for name, value in credentials.items():
            monkeypatch.setenv(name, value)
        assert killed(7, mine, address, **credentials)
        assert "no version is published" in tiny.one_line(pull(home, address))
        sent = tiny.called(mine.root, "publish", address, "--yes")
        assert sent.returncode == 0 and f"to upload: {FILES - 7} files" in sent.stdout, sent.stdout + sent.stderr
        assert "already published" in tiny.called(mine.root, "publish", address, "--yes").stdout
        assert pull(home, address, "--split", "all", "--mini").returncode == 0
        folder = home / "cache/releases" / address / "0.1.0"
        held = {name: sha256 for name, sha256 in tiny.digests(folder, ".").items() if not name.startswith(".")}
        assert held == built_files(mine)
        with pytest.raises(EnvironmentProblem, match="cannot be used: FileExistsError"):  # two publish at once
            StoreBackend(address).mark_version(mine.release, "0.1.0", "0.1.0")
        line = tiny.one_line(tiny.called(mine.root, "publish", "s3://nobody/x", "--yes"))
        assert line.startswith("haymaker: s3://nobody/x: cannot be used: ") and "secret" not in line
