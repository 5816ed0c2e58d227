"""Fixed shards, any number of workers, here or on a Ray cluster: the same bytes.

A job writes its files into a private folder; when it is done the folder gets a receipt (`done.json`: sizes and checksums,
what the job returned, and a digest of both) and its final name. A killed run therefore leaves whole shards or nothing, and the next run takes up the whole ones.
Which shards exist depends on the parameters alone, never on the worker count.
"""

from __future__ import annotations

import concurrent.futures
import importlib
import json
import multiprocessing
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haymaker.errors import EnvironmentProblem
from haymaker.extras import demand_extra
from haymaker.files import disk_errors, locked, sha256_file, temporary_name, write_json
from haymaker.rng import digest
from pipelines import on_ray, warm
from pipelines.progress import Progress
from pipelines.signals import signals_wait, watch, without_ctrl_c

WORKERS_VARIABLE = "HAYMAKER_WORKERS"
EXECUTOR_VARIABLE = "HAYMAKER_EXECUTOR"
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


def is_on_ray() -> bool:
    """Whether shards go to a Ray cluster: HAYMAKER_EXECUTOR is `ray`, not `local` or unset.

    Raises:
        EnvironmentProblem: it is something else, or Ray is not installed.
    """
    given = os.environ.get(EXECUTOR_VARIABLE, "local")
    if given not in ("local", "ray"):
        raise EnvironmentProblem(f"{EXECUTOR_VARIABLE}={given!r} is neither local nor ray", fix="unset it")
    if given == "ray":
        demand_extra("ray", "ray")
    return given == "ray"


def connect() -> None:
    """Be connected to Ray; Ctrl-C and SIGTERM are ours afterwards, and its processes here get no Ctrl-C.

    Raises:
        EnvironmentProblem: it cannot be.
    """
    with signals_wait(), without_ctrl_c():
        on_ray.connect(worker_count())


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
        workers: processes of this machine to use; None goes by the environment, and there alone may be Ray.

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
                for job, shard in _execute(todo, work, workers):
                    done[job.key] = shard
                    progress.advance(job.cost)
            finally:
                _sweep(work)  # a worker that was stopped in the middle cannot tidy up
    return [done[job.key] for job in jobs]


def _execute(todo: Sequence[Job], work: Path, workers: int | None) -> Iterable[tuple[Job, Done]]:
    """Each job when it is done, dearest first, so that no long shard is left for the end."""
    order = sorted(todo, key=lambda job: (-job.cost, job.key))
    if workers is None and is_on_ray() and len(todo) > 1:
        connect()
        return on_ray.execute(order, work, _perform)
    workers = min(workers or worker_count(), len(todo))
    return _in_pool(order, work, workers) if workers > 1 else ((job, _perform(job, work)) for job in todo)


def _in_pool(order: Sequence[Job], work: Path, workers: int) -> Iterator[tuple[Job, Done]]:
    pool = concurrent.futures.ProcessPoolExecutor(
        workers, mp_context=warm.context(), initializer=_begin, initargs=(os.getpid(), dict(os.environ))
    )
    try:
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


def _begin(parent: int, environment: dict[str, str]) -> None:
    """In a new worker."""
    warm.take(environment)
    watch(parent)


def _perform(job: Job, work: Path) -> Done:
    """Run one job; its folder appears under its final name only when whole."""
    module, _, name = job.function.partition(":")
    function: Callable[[Any, Path], Any] = getattr(importlib.import_module(module), name)
    # Processes of several machines may have one number.
    temporary, final = temporary_name(work / f"{job.key}.{uuid.uuid4().hex}"), work / job.key
    with disk_errors(work):
        temporary.mkdir(parents=True)
        try:
            result = function(job.payload, temporary)
            files = {
                path.name: {"bytes": path.stat().st_size, "sha256": sha256_file(path)}
                for path in sorted(temporary.iterdir())
            }
            write_json(temporary / _RECEIPT, {"files": files, "result": result, "digest": _seal(files, result)})
            try:
                temporary.rename(final)
            except OSError:  # something is there; what another attempt finished stays, for it may be in use
                if shard := _finished(work, job.key):
                    return shard
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
