"""Run shards on any number of local workers or on a Ray cluster, with identical results.

The set of shards depends only on the parameters, not on the worker count. Finished shards are reused (shards.py).
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import require_extra
from haymaker.core.files.disk import locked, remove
from haymaker.core.progress import Progress
from pipelines.execution import ray_cluster, ray_executor
from pipelines.execution.shards import RECEIPT, Done, Job, complete, finished_shards, make_shard, perform_in_turn
from pipelines.execution.signals import signals_wait, watch, without_ctrl_c

__all__ = [
    "Done",
    "Job",
    "cluster_gpus",
    "complete",
    "connect",
    "finished_shards",
    "forget_others",
    "is_on_ray",
    "run",
    "shared_workers",
    "worker_count",
]

WORKERS_VARIABLE = "HAYMAKER_WORKERS"
EXECUTOR_VARIABLE = "HAYMAKER_EXECUTOR"
_BUNDLES = 16  # minimum number per worker
_pools: dict[int, concurrent.futures.ProcessPoolExecutor] = {}
_is_shared = False


def worker_count() -> int:
    """Return the number of workers: HAYMAKER_WORKERS, or the number of processors available to this process.

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
    """Return whether shards run on a Ray cluster: HAYMAKER_EXECUTOR is `ray`, not `local` or unset.

    Raises:
        EnvironmentProblem: the variable has another value, or Ray is not installed.
    """
    given = os.environ.get(EXECUTOR_VARIABLE, "local")
    if given not in ("local", "ray"):
        raise EnvironmentProblem(f"{EXECUTOR_VARIABLE}={given!r} is neither local nor ray", fix="unset it")
    if given == "ray":
        require_extra("ray", "ray")
    return given == "ray"


def connect() -> None:
    """Connect to Ray. The signal handlers of this process are kept, and local Ray processes do not receive Ctrl-C.

    Raises:
        EnvironmentProblem: Ray cannot be reached.
    """
    with signals_wait(), without_ctrl_c():
        ray_cluster.connect(worker_count())


def cluster_gpus() -> int:
    """Return the number of GPUs of the Ray cluster; 0 if shards run on this machine.

    Raises:
        EnvironmentProblem: Ray cannot be reached.
    """
    if not is_on_ray():
        return 0
    connect()
    return ray_cluster.gpus()


def run(
    jobs: Sequence[Job], work: Path, *, title: str, unit: str = "", fresh: bool = False, workers: int | None = None
) -> list[Done]:
    """Run the unfinished jobs and return all shards in the order of `jobs`.

    Args:
        jobs: all shards of the run.
        work: parent folder of the shards; the key of a job identifies everything that determines its bytes.
        title: title of the progress lines.
        unit: unit of the job costs, for the rate in the progress lines.
        fresh: run all jobs again.
        workers: number of local processes; None = as set in the environment, which may select Ray.

    Raises:
        HaymakerError: any error raised by a job, or the work folder is locked by a live process.
    """
    if not jobs:
        return []
    with locked(work):
        _sweep(work, jobs, everything=fresh)
        done = {job.key: shard for job in jobs if (shard := finished_shards(work, job.key))}
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
                _sweep(work, jobs)  # a worker that was stopped cannot remove its temporary files
    return [done[job.key] for job in jobs]


def _execute(todo: Sequence[Job], work: Path, workers: int | None) -> Iterable[tuple[Job, Done]]:
    """Return an iterable of jobs and their shards, in the order in which they finish."""
    order = sorted(todo, key=lambda job: (-job.cost, job.key))
    if workers is None and is_on_ray() and (len(todo) > 1 or any(job.gpu and cluster_gpus() for job in todo)):
        connect()
        return ray_executor.execute(order, work)
    workers = max(1, min(workers or worker_count(), len(todo)))
    bundles = _bundles(order, workers)
    return (
        _in_pool(bundles, work, workers)
        if workers > 1
        else ((job, make_shard(job, work)) for each in bundles for job in each)
    )


def _bundles(order: Sequence[Job], workers: int) -> list[list[Job]]:
    """Group jobs of the same kin that one process runs in sequence, most expensive bundles first.

    A bundle is a small share of the work of one worker, unless it is a single large job.
    """
    most = sum(job.cost for job in order) / (workers * _BUNDLES)
    bundles: list[list[Job]] = []
    open_ones: dict[str, tuple[list[Job], float]] = {}  # by kin: the last bundle and its cost
    for job in order:
        bundle, cost = open_ones.get(job.kin, ([], 0.0))
        if not (bundle and job.kin and cost + job.cost <= most):
            bundles.append(bundle := [])
            cost = 0.0
        bundle.append(job)
        open_ones[job.kin] = bundle, cost + job.cost
    return sorted(bundles, key=lambda each: -sum(job.cost for job in each))


def _in_pool(bundles: Sequence[Sequence[Job]], work: Path, workers: int) -> Iterator[tuple[Job, Done]]:
    pool = _pools.get(workers) or _new_pool(workers, bundles)
    try:
        with without_ctrl_c():
            futures = {pool.submit(perform_in_turn, bundle, work): bundle for bundle in bundles}
        for future in concurrent.futures.as_completed(futures):
            yield from zip(futures[future], future.result(), strict=True)
    except BaseException as error:
        stop_workers()
        if not isinstance(error, concurrent.futures.process.BrokenProcessPool):
            raise
        raise EnvironmentProblem(
            "a worker process died (killed, or out of memory)",
            where=str(work),
            fix="run again; finished shards are kept",
        ) from None
    finally:
        if not _is_shared:
            stop_workers()


def _new_pool(workers: int, bundles: Sequence[Sequence[Job]]) -> concurrent.futures.ProcessPoolExecutor:
    """Start a pool whose processes are forked from a server that has imported the modules of the jobs."""
    stop_workers()
    context = multiprocessing.get_context("forkserver")
    modules = {job.function.partition(":")[0] for bundle in bundles for job in bundle}
    context.set_forkserver_preload(sorted(modules))
    _pools[workers] = concurrent.futures.ProcessPoolExecutor(
        workers, mp_context=context, initializer=watch, initargs=(os.getpid(),)
    )
    return _pools[workers]


def forget_others(work: Path, below: str, jobs: Iterable[Job]) -> None:
    """Remove the shards in a folder below `work` that belong to none of these jobs (made with other parameters)."""
    wanted = {work / job.key for job in jobs}
    for receipt in [*(work / below).rglob(RECEIPT)]:
        if receipt.parent not in wanted:
            remove(receipt.parent)


@contextmanager
def shared_workers() -> Iterator[None]:
    """Keep worker processes alive between calls of `run`."""
    global _is_shared  # noqa: PLW0603  (one pool per process)
    _is_shared = True
    try:
        yield
    finally:
        _is_shared = False
        stop_workers()


def stop_workers() -> None:
    """Stop all workers, so that none continues in the background after Ctrl-C or a failed shard."""
    pools = list(_pools.values())
    _pools.clear()
    if pools:
        # A worker killed while waiting still holds the lock of the queue, and the others would wait forever.
        for worker in multiprocessing.active_children():
            worker.terminate()
    for pool in pools:
        pool.shutdown(wait=True, cancel_futures=True)


def _sweep(work: Path, jobs: Iterable[Job], *, everything: bool = False) -> None:
    """Remove temporary files of earlier attempts, or all shards; safe because the caller holds the lock."""
    places = [work / job.key for job in jobs]
    for path in [left for folder in {place.parent for place in places} for left in folder.glob(".*.tmp")]:
        shutil.rmtree(path, ignore_errors=True)
    for path in places if everything else ():
        shutil.rmtree(path, ignore_errors=True)
