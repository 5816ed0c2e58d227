"""Shards: whole or absent, the same for any worker count, taken up after a kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.errors import BuildError, EnvironmentProblem
from haymaker.core.files.disk import locked, sha256_file
from pipelines.execution import executor, shards
from pipelines.execution.executor import Job, run
from pipelines.execution.signals import signals_wait
from tests.errors import refused
from tests.reliability.killing import members

ROOT = Path(__file__).parents[2]


def jobs(count: int, **more: Any) -> list[Job]:
    return [Job(f"job-{n:03d}", "tests.pipelines.shardwork:work", {"n": n, **more}) for n in range(count)]


def contents(folder: Path) -> dict[str, str]:
    return {
        str(p.relative_to(folder)): sha256_file(p)
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != ".lock"
    }


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_any_worker_count_gives_the_same_files(tmp_path: Path) -> None:
    for workers in (1, 3):
        done = run(jobs(7), tmp_path / str(workers), title="t", workers=workers)
        assert [d.result["n"] for d in done] == list(range(7))
    assert contents(tmp_path / "1") == contents(tmp_path / "3")


def test_finished_shards_are_kept_and_damaged_ones_built_again(tmp_path: Path) -> None:
    first = run(jobs(4), tmp_path, title="t", workers=1)
    before = contents(tmp_path)
    (first[1].folder / "out.txt").write_text("x" * 201)
    (first[2].folder / "out.txt").unlink()
    (first[3].folder / "done.json").write_text("{")
    stray = tmp_path / ".job-000.77.tmp"
    stray.mkdir()
    again = run(jobs(4), tmp_path, title="t", workers=1)
    assert [d.resumed for d in again] == [True, False, False, False]
    assert contents(tmp_path) == before
    assert not stray.exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_job_is_named_and_leaves_nothing(tmp_path: Path, workers: int) -> None:
    todo = [*jobs(3), Job("bad", "tests.pipelines.shardwork:work", {"n": 9, "fail": True})]
    with refused(BuildError, "job 9", fix="less"):
        run(todo, tmp_path, title="t", workers=workers)
    assert not (tmp_path / "bad").exists()
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_killed_run_resumes_and_leaves_no_orphan(tmp_path: Path) -> None:
    """SIGKILL the parent: its workers end by themselves, whole shards stay, the next run takes them up."""
    file = tmp_path / "script.py"
    file.write_text(
        "from tests.pipelines.shardwork import slow_jobs\nfrom pipelines.execution.executor import run\nfrom pathlib import Path\n"
        f"if __name__ == '__main__':\n    run(slow_jobs(12, 0.25), Path({str(tmp_path)!r}), title='t', workers=2)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, str(file)], env=environment, start_new_session=True)
    until(lambda: (tmp_path / "job-001/done.json").exists())
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: not members(process.pid))
    for receipt in tmp_path.glob("job-*/done.json"):
        json.loads(receipt.read_text())
    done = run(jobs(12), tmp_path, title="t", workers=1)
    assert {d.resumed for d in done} == {True, False}
    assert [d.result["n"] for d in done] == list(range(12))


def test_of_two_attempts_the_first_that_is_whole_stays(tmp_path: Path) -> None:
    """Ray may begin a shard again while a node that it gave up still writes."""
    (job,) = jobs(1)
    first = shards.make_shard(job, tmp_path)
    kept = (first.folder / "out.txt").stat().st_ino
    assert shards.make_shard(job, tmp_path) == first
    assert (first.folder / "out.txt").stat().st_ino == kept
    (first.folder / "out.txt").write_text("damaged")
    assert shards.make_shard(job, tmp_path) == first
    assert (first.folder / "out.txt").read_text() == "0\n" * 100
    assert [path.name for path in tmp_path.iterdir()] == [job.key]


def test_a_work_folder_belongs_to_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that waits for the folder takes it again if its owner removed it."""
    folder = tmp_path / "folder"
    monkeypatch.setattr(executor, "locked", partial(locked, patience_s=0.01))

    def is_locked() -> bool:
        with locked(folder):
            return (folder / ".lock").is_file()

    with ThreadPoolExecutor(1) as pool:
        with locked(folder):
            with refused(EnvironmentProblem, "", os.getpid()):
                run(jobs(1), folder, title="t", workers=1)
            waiting = pool.submit(is_locked)
            time.sleep(0.1)
            shutil.rmtree(folder)
        assert waiting.result()


@pytest.mark.parametrize("which", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_worker_killed_after_the_last_shard_hangs_nobody(which: int, tmp_path: Path) -> None:
    """An idle worker holds the lock of the queue: killed then, it once left the run waiting for the others for ever."""
    code = f"""
import multiprocessing, os, signal, time
from pathlib import Path
from pipelines.execution import executor
from tests.pipelines.shardwork import slow_jobs
for n, _ in enumerate(executor._execute(slow_jobs(2, 0.5), Path({str(tmp_path)!r}), 2)):
    if n == 1:
        time.sleep(0.3)
        os.kill(multiprocessing.active_children()[{which}].pid, signal.SIGKILL)
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "ended" in done.stdout


def test_signals_wait_until_a_library_is_loaded() -> None:
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), signals_wait():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        done.append("loaded")
    assert done == ["loaded"]
    assert signal.getsignal(signal.SIGINT) is before
