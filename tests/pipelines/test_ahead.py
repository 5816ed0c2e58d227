"""Stages worked ahead of DVC: what they make and say is that of the stage in its turn; one that fails is run again, and told."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import yaml

from haymaker.files import remove
from pipelines import asking, stages
from pipelines.ahead import Coming, coming
from pipelines.dvcrun import ERROR_VARIABLE
from pipelines.hashes import Looked
from pipelines.project import Project
from pipelines.serving import serving
from tests.pipelines import tiny, tiny_passages

PATIENCE_S = 60.0


@pytest.fixture
def project(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Sources are here, nothing else; this process is a DVC in it."""
    monkeypatch.chdir(fresh.root)
    monkeypatch.setenv("HAYMAKER_WORKERS", "2")
    for name in fresh.params.sources:
        stages.run(fresh, "download", name)
    return fresh


def served(project: Project, what: Collection[str] = ()) -> AbstractContextManager[dict[str, str]]:
    """What DVC has to do is all but the downloads, or what is named."""
    stages = [each for each in project.stages.values() if each.address in what or not (what or "raw" in each.outs[0])]
    return serving(Coming(tuple(stages), frozenset(each.address for each in stages)), project.root, os.environ)


def comes(project: Project, planned_s: float = 60.0) -> tuple[set[str], set[str]]:
    """Addresses of what DVC has to do, and of what may be worked ahead."""
    found = coming(project, Looked(project.root), planned_s)
    return {each.address for each in found.stages}, set(found.certain)


def test_what_dvc_comes_to_is_made_or_left_to_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    old = project.data / "tokenizers" / "old.json"
    old.parent.mkdir()
    old.write_text("{}")
    with served(project) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        assert asking.is_made("tokenizers")
        assert not old.exists(), "what DVC would remove before"
        assert "counting rule proved" in capfd.readouterr().err, "told in its turn"
        assert all((project.root / out).exists() for out in project.stages["tokenizers"].outs)
        assert not asking.is_made("background@books"), "it reads what was not noted until now"
        assert asking.ask("background", "books") == 0
        assert not asking.is_made("validate"), "so does each that follows"


def test_nothing_is_worked_ahead_of_what_it_reads(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(project):
        deadline = time.monotonic() + PATIENCE_S
        while not (project.data / "prepared" / "tokenizers.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)  # enough to begin another
        assert (project.data / "tokenizers").exists() and not (project.data / "corpora").exists()


def test_while_dvc_waits_for_one_the_next_begins(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Side by side, each with its own lock."""
    tiny.write_params(project.root, tiny.params(**{"corpora.other": tiny.PARAMS["corpora"]["books"]}))
    two = Project(project.root)
    stages.run(two, "tokenizers", None)
    both = ["background@books", "background@other"]
    with served(two, both) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        assert [asking.is_made(address) for address in both] == [True, True]


def test_one_that_fails_is_run_again_and_told(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    stages.run(project, "tokenizers", None)
    told = tmp_path / "error.txt"
    told.write_bytes(b" " * 500)
    next((project.data / "raw" / "novels").rglob("*.txt")).unlink()
    capfd.readouterr()
    with served(project, ["background@books"]) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        assert not asking.is_made("background@books")
        monkeypatch.setenv(ERROR_VARIABLE, str(told))
        assert asking.ask("background", "books") == 2
    assert "data/raw/novels" in told.read_text()


def test_one_that_is_killed_is_run_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stages.run(project, "tokenizers", None)
    with served(project, ["background@books"]) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        deadline = time.monotonic() + PATIENCE_S
        while not (begun := multiprocessing.active_children()) and time.monotonic() < deadline:
            time.sleep(0.01)
        begun[0].kill()
        assert not asking.is_made("background@books")
        assert asking.ask("background", "books") == 0
    assert (project.data / "corpora" / "books" / "meta.json").exists()


def test_what_is_worked_ahead_ends_with_the_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stages.run(project, "tokenizers", None)
    with served(project, ["background@books"]) as environment:
        pass
    monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
    with pytest.raises(SystemExit):  # DVC, which goes on for a moment, begins nothing more
        asking.is_made("background@books")
    stages.run(project, "background", "books")  # its folders are nobody's


def test_a_folder_that_is_not_ours_to_write_is_left_to_the_stage(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages.run(project, "tokenizers", None)
    remove(project.counts)
    project.counts.write_text("a file where a folder should be")
    with served(project, ["background@books"]) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        assert not asking.is_made("background@books")


def test_only_what_dvc_will_run_for_certain(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    everything, certain = comes(project)
    assert everything == set(project.stages), "nothing is noted"
    assert certain == {name for name in everything if not name.startswith("download@")}
    assert not comes(project, planned_s=1e5)[0], "a long run has no need of it"
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    assert not comes(project)[0]


def test_nothing_is_worked_ahead_where_others_have_stages(project: Project) -> None:
    declared = yaml.safe_load((project.root / "dvc.yaml").read_text())
    declared["stages"]["mine_own"] = {"cmd": "true"}
    (project.root / "dvc.yaml").write_text(yaml.safe_dump(declared, sort_keys=False))
    assert not comes(Project(project.root))[0]


def test_nothing_is_worked_ahead_where_stages_want_the_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_WORKERS", "2")
    assert comes(tiny_passages.make(tmp_path / "words"))[0]
    dense = {"model": "somebody/model", "revision": "0" * 40, "dimensions": 16}
    assert not comes(tiny_passages.make(tmp_path / "vectors", **{"indexes.encyclopaedia.dense": dense}))[0]


def test_what_dvc_may_run_is_waited_for(again: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed source: its corpus is noted as it is declared, and will be another. Rows that are asked for anew come after it."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "2")
    assert comes(Project(again)) == (set(), set()), "everything is here"
    changes: Any = {"sources.novels.seed": 8, "suites.babilong.tasks": {"qa1": {}}}
    tiny.write_params(again, tiny.params(**changes))
    project = Project(again)
    remove(project.root / "data" / "tokenizers")
    everything, certain = comes(project)
    assert everything == set(project.stages) - {"download@stories"}
    assert certain == {"generate@babilong", "validate", "card"}
    rows = project.release / "data" / "babilong"
    with serving(coming(project, Looked(again), 60.0), again, os.environ) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        monkeypatch.chdir(again)
        for address in ("download@novels", "tokenizers", "background@books"):
            assert not asking.is_made(address)
            assert asking.ask(*address.split("@")) == 0
            assert rows.exists(), f"not begun beside {address}"


def test_what_has_read_something_else_than_is_here_may_be_run(again: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a kill between two stages leaves it."""
    monkeypatch.setenv("HAYMAKER_WORKERS", "2")
    lock = yaml.safe_load((again / "dvc.lock").read_text())
    lock["stages"]["background@books"]["deps"][0]["md5"] = "0" * 32 + ".dir"
    (again / "dvc.lock").write_text(yaml.safe_dump(lock))
    everything, certain = comes(Project(again))
    assert everything == {"background@books", "generate@babilong", "validate", "card"} and not certain
