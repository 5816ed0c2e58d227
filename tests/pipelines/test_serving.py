"""Stages in warm processes: as in an interpreter of their own, and gone when nobody waits for them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing import forkserver
from pathlib import Path

import pytest

from haymaker.errors import HaymakerError
from pipelines import warm
from pipelines.asking import VARIABLE
from pipelines.dvcrun import ERROR_VARIABLE
from pipelines.project import Project
from pipelines.serving import serving
from tests.pipelines import tiny


def asking(project: Project, *arguments: str, **more: str) -> subprocess.Popen[str]:
    """`haymaker stage`, as DVC starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli", "stage", *arguments],
        cwd=project.root, env=tiny.environment(**more), text=True, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_a_stage_is_done_for_whoever_asks(fresh: Project, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What it makes, says and ends with is that of the stage by itself; what only the asking process has set counts."""
    told = tmp_path / "error.txt"
    told.write_bytes(b" " * 500)
    forkserver._forkserver._stop()  # one of an earlier test would write where that test read
    with serving() as served:
        assert asking(fresh, "download", "stories", **served).wait(60) == 0
        assert "download stories: 7 files" in capfd.readouterr().err
        assert asking(fresh, "download", "storys", **served, **{ERROR_VARIABLE: str(told)}).wait(60) == 2
    assert "unknown name 'storys'" in told.read_text()
    made = tiny.digests(fresh.root, "data/raw/stories")
    alone = asking(tiny.make(tmp_path / "alone"), "download", "stories")
    assert alone.wait(60) == 0 and "download stories" in alone.communicate()[1]
    assert made == tiny.digests(tmp_path / "alone", "data/raw/stories")


@pytest.mark.parametrize("who", ["asks", "serves"])
def test_a_stage_ends_with_whoever_waits_for_it(fresh: Project, who: str) -> None:
    tiny.write_params(fresh.root, tiny.params(**{"sources.novels.words": 9_000_000}))
    with serving() as served:
        asking_process = asking(fresh, "download", "novels", **served)
        deadline = time.monotonic() + 60
        while not list((fresh.work / "simulated").glob(".novels*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        stages = multiprocessing.active_children()
        assert stages, "the stage is at work"
        if who == "asks":
            asking_process.send_signal(signal.SIGKILL)
            for stage in stages:
                stage.join(30)
    assert not any(stage.is_alive() for stage in stages)
    assert asking_process.wait(30) == (-signal.SIGKILL if who == "asks" else 1)


def test_a_server_that_has_gone_is_not_missed(fresh: Project) -> None:
    with serving() as served:
        pass
    alone = asking(fresh, "download", "stories", **served)
    assert alone.wait(60) == 0, alone.communicate()
    assert served[VARIABLE]


def test_a_long_name_of_the_folder_for_temporary_files_is_no_hindrance(fresh: Project, tmp_path: Path) -> None:
    """Names of sockets are short."""
    folder = tmp_path / ("long" * 25)
    folder.mkdir()
    serve = "from pipelines.serving import serving\nwith serving(): pass"
    serves = subprocess.run([sys.executable, "-c", serve], env=tiny.environment(TMPDIR=str(folder)), check=False)
    stage = asking(fresh, "download", "stories", TMPDIR=str(folder), HAYMAKER_WORKERS="2")
    assert serves.returncode == stage.wait(60) == 0, stage.communicate()
    assert not list(folder.iterdir())


def test_a_worker_has_the_environment_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server has that of its start."""
    warm.begin()
    monkeypatch.setenv("HAYMAKER_TEST", "later")
    environment = dict(os.environ)
    asked = warm.context().Process(target=_demand, args=(environment,))
    asked.start()
    asked.join(60)
    assert asked.exitcode == 0


def _demand(environment: dict[str, str]) -> None:
    warm.take(environment)
    if os.environ.get("HAYMAKER_TEST") != "later":
        raise HaymakerError("another environment")


def test_workers_of_a_stage_come_from_the_server_of_the_stage() -> None:
    """Another server would load everything again."""
    asking_process = warm.context().Process(target=_demand_one_server, args=(dict(os.environ),))
    asking_process.start()
    asking_process.join(60)
    assert asking_process.exitcode == 0


def _demand_one_server(environment: dict[str, str]) -> None:
    warm.take(environment)
    worker = warm.context().Process(target=_demand_parent, args=(os.getppid(),))
    worker.start()
    worker.join(60)
    sys.exit(worker.exitcode)


def _demand_parent(server: int) -> None:
    sys.exit(os.getppid() != server)
