"""Stages worked ahead of DVC: what they make and say is that of the stage in its turn; one that fails is run again, and told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from pipelines import asking, stages
from pipelines.ahead import wanted
from pipelines.dvcrun import ERROR_VARIABLE
from pipelines.graph import Stage
from pipelines.project import Project
from pipelines.serving import serving
from tests.pipelines import tiny

PATIENCE_S = 60.0


@pytest.fixture
def project(fresh: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Sources are here, nothing else; this process is a DVC in it."""
    monkeypatch.chdir(fresh.root)
    monkeypatch.setenv("HAYMAKER_WORKERS", "2")
    for name in fresh.params.sources:
        stages.run(fresh, "download", name)
    return fresh


def served(project: Project, ahead: Iterable[Stage]) -> AbstractContextManager[dict[str, str]]:
    return serving(ahead, project.root, os.environ)


def without_downloads(project: Project) -> list[Stage]:
    return [stage for stage in project.stages.values() if not stage.address.startswith("download@")]


def test_what_dvc_comes_to_is_made_or_left_to_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    old = project.data / "tokenizers" / "old.json"
    old.parent.mkdir()
    old.write_text("{}")
    with served(project, without_downloads(project)) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        assert asking.is_made("tokenizers")
        assert not old.exists(), "what DVC would remove before"
        assert "counting rule proved" in capfd.readouterr().err, "told in its turn"
        assert all((project.root / out).exists() for out in project.stages["tokenizers"].outs)
        assert not asking.is_made("background@books"), "it reads what was not noted until now"
        assert asking.ask("background", "books") == 0
        assert not asking.is_made("validate"), "so does each that follows"


def test_nothing_is_worked_ahead_of_what_it_reads(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(project, without_downloads(project)):
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
    with served(two, [two.stages[address] for address in both]) as environment:
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
    with served(project, [project.stages["background@books"]]) as environment:
        monkeypatch.setenv(asking.VARIABLE, environment[asking.VARIABLE])
        assert not asking.is_made("background@books")
        monkeypatch.setenv(ERROR_VARIABLE, str(told))
        assert asking.ask("background", "books") == 2
    assert "data/raw/novels" in told.read_text()


def test_what_is_worked_ahead_ends_with_the_run(project: Project) -> None:
    stages.run(project, "tokenizers", None)
    with served(project, [project.stages["background@books"]]):
        pass
    stages.run(project, "background", "books")  # its folders are nobody's


def test_only_what_dvc_will_run_for_certain(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [stage.address for stage in wanted(project, 60.0)] == list(project.stages), "nothing is noted"
    assert not wanted(project, 1e5), "a long run has no need of it"
    monkeypatch.setenv("HAYMAKER_WORKERS", "1")
    assert not wanted(project, 60.0)
