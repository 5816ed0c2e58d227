"""Fixed shards, any number of workers, the same bytes.

A job writes its files into a private folder; when it is done the folder gets a receipt (`done.json`: sizes and checksums,
what the job returned, and a digest of both) and its final name. A killed run therefore leaves whole shards or nothing, and the next run takes up the whole ones.
Which shards exist depends on the parameters alone, never on the worker count.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import importlib
import json
import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haymaker.errors import EnvironmentProblem
from haymaker.files import alive, disk_errors, locked, sha256_file, temporary_name, write_json
from haymaker.rng import digest
from pipelines.progress import Progress

WORKERS_VARIABLE = "HAYMAKER_WORKERS"
_RECEIPT = "done.json"


@dataclass(frozen=True, slots=True)
class Job:
    """One shard.

    Attributes:
        key: name of its folder below the work folder; unique in a run.
        function: "module:function" called as function(payload, folder); it writes files into `folder` and returns JSON.
        payload: what it needs, picklable and small.
        cost: share of the whole work, in any unit; for the progress line.
    """

    key: str
    function: str
    payload: Any
    cost: float = 1.0


@dataclass(frozen=True, slots=True)
class Done:
    """A finished shard: its folder, its files with size and SHA-256, and what the job returned."""

    key: str
    folder: Path
    files: dict[str, dict[str, Any]]
    result: Any
    resumed: bool = field(default=False, compare=False)


def worker_count() -> int:
    """Workers to use: HAYMAKER_WORKERS, else the processors this process may run on.

    Raises:
        EnvironmentProblem: the variable is not a whole number from 1 to 1024.
    """
    given = os.environ.get(WORKERS_VARIABLE)
    if given is None:
        return len(os.sched_getaffinity(0))
    if not given.isdecimal() or not 1 <= int(given) <= 1024:
        raise EnvironmentProblem(f"{WORKERS_VARIABLE}={given!r} is not a number from 1 to 1024", fix="unset it")
    return int(given)


def run(
    jobs: Sequence[Job], work: Path, *, title: str, unit: str = "", fresh: bool = False, workers: int | None = None
) -> list[Done]:
    """Do what is not yet done, in `work`, and return all shards in the order of `jobs`.

    Args:
        jobs: all shards of the run.
        work: folder that belongs to this run's parameters and inputs alone.
        title: for the progress lines.
        unit: what costs are counted in, for the rate.
        fresh: forget what earlier runs left.
        workers: processes to use; None reads the environment.

    Raises:
        HaymakerError: whatever a job raised, or the work folder is held by a live process.
    """
    with locked(work):
        _sweep(work, everything=fresh)
        done = {job.key: shard for job in jobs if (shard := _finished(work, job.key))}
        todo = [job for job in jobs if job.key not in done]
        with Progress(title, total=sum(job.cost for job in jobs), shards=len(jobs), unit=unit) as progress:
            for job in jobs:
                if job.key in done:
                    progress.advance(job.cost, resumed=True)
            try:
                for job, shard in _execute(todo, work, min(workers or worker_count(), len(todo))):
                    done[job.key] = shard
                    progress.advance(job.cost)
            finally:
                _sweep(work)  # a worker that was stopped in the middle cannot tidy up
    return [done[job.key] for job in jobs]


def _execute(todo: Sequence[Job], work: Path, workers: int) -> Iterable[tuple[Job, Done]]:
    if workers <= 1:
        for job in todo:
            yield job, _perform(job, work)
        return
    pool = concurrent.futures.ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=watch_parent, initargs=(os.getpid(),)
    )
    try:
        # Dearest first, so that no long shard is left for the end.
        order = sorted(todo, key=lambda job: (-job.cost, job.key))
        with without_ctrl_c():
            futures = {pool.submit(_perform, job, work): job for job in order}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], future.result()
    except concurrent.futures.process.BrokenProcessPool:
        raise EnvironmentProblem(
            "a worker process died (killed, or out of memory)",
            where=str(work),
            fix="run again; finished shards are kept",
        ) from None
    finally:
        # Ctrl-C or a failed shard: nobody goes on in the background. After the last shard: a worker that was killed while
        # it waited holds the queue's lock, and the others would wait for it for ever.
        for worker in multiprocessing.active_children():
            worker.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _perform(job: Job, work: Path) -> Done:
    """Run one job; its folder appears under its final name only when whole."""
    module, _, name = job.function.partition(":")
    function: Callable[[Any, Path], Any] = getattr(importlib.import_module(module), name)
    temporary = temporary_name(work / job.key)
    with disk_errors(work):
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        try:
            result = function(job.payload, temporary)
            files = {
                path.name: {"bytes": path.stat().st_size, "sha256": sha256_file(path)}
                for path in sorted(temporary.iterdir())
            }
            write_json(temporary / _RECEIPT, {"files": files, "result": result, "digest": _seal(files, result)})
            final = work / job.key
            shutil.rmtree(final, ignore_errors=True)
            temporary.rename(final)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return Done(job.key, final, files, result)


def _finished(work: Path, key: str) -> Done | None:
    """The shard if it is there, whole and unchanged; a damaged one is built again."""
    folder = work / key
    try:
        receipt = json.loads((folder / _RECEIPT).read_text(encoding="utf-8"))
        files: dict[str, dict[str, Any]] = receipt["files"]
        if receipt["digest"] != _seal(files, receipt["result"]):
            return None
        for name, facts in files.items():
            path = folder / name
            if path.stat().st_size != facts["bytes"] or sha256_file(path) != facts["sha256"]:
                return None
        return Done(key, folder, files, receipt["result"], resumed=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _seal(files: dict[str, dict[str, Any]], result: Any) -> str:
    """Digest of what a receipt says, as JSON gives it back."""
    content = json.loads(json.dumps([files, result]))
    return digest(json.dumps(content, sort_keys=True)).hex()


def _sweep(work: Path, *, everything: bool = False) -> None:
    """Remove what dead attempts left behind, or all shards (the lock is ours, so nobody else is writing)."""
    for path in work.glob("[!.]*") if everything else work.glob(".*.tmp"):
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Processes that are started meanwhile do not get Ctrl-C, not even while they load; `main` alone listens again.

    They inherit that it is held back, and that it is ignored, for libraries that let it through. Our own waits.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    main = threading.current_thread() is threading.main_thread()
    ours = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, ours)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait: a library that is stopped while it loads tells so in words of its own, or stays broken."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda *_: came.append(0)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


def watch_parent(parent: int, run: int | None = None) -> None:
    """Leave at once when `parent` is no longer our parent or `run` no longer lives: an orphan must not go on writing.

    Args:
        parent: process id of the parent.
        run: process id of the `haymaker run` above it; shells and DVC stand between and would outlive it.
    """

    def watch() -> None:
        while os.getppid() == parent and (run is None or alive(run)):
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
