"""Run shards as tasks of a Ray cluster. Ray chooses the node of each shard, and repeats a shard when its node is lost.

Every node needs the same Haymaker and must see the project folder under the same path; each task checks both first.
Shards are built by the same function as in a local process: bytes, records and the state after a kill are the same.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import haymaker
from haymaker.core.errors import EnvironmentProblem, HaymakerError
from haymaker.core.files.disk import sha256_file, write_text
from haymaker.core.rng import digest
from pipelines.execution import ray_cluster
from pipelines.execution.shards import Done, Job, make_shard

_MARK = ".ray"  # file in the work folder that identifies the folder of this run
_PACKAGES = ("haymaker", "worlds", "corpora", "generators", "pipelines")
_READ = (".py", ".yaml", ".json", ".txt")
_LOST = 3  # retries of a shard whose node or process was lost
_CANCEL_S = 10.0  # how long to wait for a cancelled task
_LOOK_S, _SILENT = 5.0, 4  # seconds between checks of the head node, and failed checks in a row that stop the run
_MOUNT = "mount the project folder at the same path on every node (NFS, FSx, a mounted bucket)"


def execute(jobs: Sequence[Job], work: Path) -> Iterator[tuple[Job, Done]]:
    """Run jobs on the connected cluster and yield each when it is done.

    If the cluster has GPUs, a job with `gpu` takes one; its process keeps the GPU and the loaded model for the next such job.

    Args:
        jobs: jobs in start order.
        work: work folder, visible to every node.

    Raises:
        HaymakerError: a job raised it (it is not repeated), a node differs from this machine or does not see the folder, or nodes were
            lost repeatedly.
    """
    import ray

    mark, has_gpus, versions = uuid.uuid4().hex, bool(ray_cluster.gpus()), _versions()
    write_text(work / _MARK, mark)
    takes = {"num_cpus": 1, "max_calls": 0, "max_retries": _LOST, "retry_exceptions": False}
    task = {gpus: ray.remote(**takes, num_gpus=gpus)(_attempt) for gpus in (0, 1)}
    running: dict[Future[Done], tuple[Any, Job]] = {}
    ended: SimpleQueue[Future[Done]] = SimpleQueue()
    try:
        for job in jobs:
            ref = task[int(has_gpus and job.gpu)].remote(job, work, mark, versions)
            running[future := ref.future()] = ref, job
            future.add_done_callback(ended.put)
        for future in _each(ended, len(running)):
            _, job = running.pop(future)
            yield job, _result(future, work)
    finally:
        _stop([ref for ref, _ in running.values()])


def _each(ended: SimpleQueue[Future[Done]], count: int) -> Iterator[Future[Done]]:
    """Yield tasks as they end.

    Raises:
        EnvironmentProblem: the head node does not respond. Ray itself would retry for a minute, then end this process.
    """
    looked, silent = time.monotonic(), 0
    while count:
        with contextlib.suppress(Empty):
            yield ended.get(timeout=_LOOK_S)
            count -= 1
        if time.monotonic() - looked >= _LOOK_S:
            silent = 0 if ray_cluster.is_reachable() else silent + 1
            looked = time.monotonic()
        if silent == _SILENT:
            fix = "start Ray again there and on the others, then run again; finished shards are kept"
            raise EnvironmentProblem("the head node does not answer any more", where="Ray", fix=fix)


def _result(future: Future[Done], work: Path) -> Done:
    from ray.exceptions import LocalRayletDiedError, RayError, RaySystemError, RayTaskError

    try:
        return future.result()
    except RayTaskError as error:
        if isinstance(error.cause, ModuleNotFoundError | RaySystemError):
            raise _not_understood(error.cause) from None
        known = isinstance(error.cause, HaymakerError)  # for any other error, keep the traceback of the node
        raise error.cause from None if known else error
    except LocalRayletDiedError:
        fix = "run ray start here, then run again; finished shards are kept"
        raise EnvironmentProblem("ended on this machine", where="Ray", fix=fix) from None
    except RayError as error:
        raise EnvironmentProblem(
            f"a worker process died (killed, or out of memory), and again {_LOST} times ({type(error).__name__})",
            where=str(work), fix="run again; finished shards are kept",
        ) from None  # fmt: skip


def _not_understood(error: Exception) -> EnvironmentProblem:
    """Return the error for a node that lacks a module of its task, or has a different module of that name."""
    reason = str(error).splitlines()[0].removeprefix("System error: ")
    fix = "install the same Haymaker, with the same extras, on every node"
    return EnvironmentProblem(f"a node cannot run its task: {reason}", where="Ray", fix=fix)


def _stop(running: list[Any]) -> None:
    """Cancel tasks and wait until they have ended; the caller then removes their temporary files.

    If the head node is gone, the tasks end by themselves.
    """
    import ray

    if not running or not ray_cluster.is_reachable():
        return
    for ref in running:
        with contextlib.suppress(Exception):  # the cluster may be gone too
            ray.cancel(ref, force=True)
    with contextlib.suppress(Exception):
        ray.wait(running, num_returns=len(running), timeout=_CANCEL_S, fetch_local=False)


def _attempt(job: Job, work: Path, mark: str, versions: dict[str, str]) -> Done:
    """Run one job on a node, after checking the versions and the work folder.

    Raises:
        EnvironmentProblem: the node has other versions or does not see the work folder.
    """
    where = f"node {platform.node()}"
    for name, version in versions.items():
        if (mine := _versions()[name]) != version:
            what = f"has {name} {mine}, but the run uses {version}"
            raise EnvironmentProblem(what, where=where, fix="install the same versions on every node")
    try:
        seen = (work / _MARK).read_text(encoding="utf-8")
    except OSError:
        seen = ""
    if seen != mark:
        raise EnvironmentProblem(f"cannot read {work}", where=where, fix=_MOUNT)
    return make_shard(job, work)


def _versions() -> dict[str, str]:
    """Return the versions that must match for identical bytes."""
    libraries = {name: importlib.metadata.version(name) for name in ("pyarrow", "numpy")}
    return {"Haymaker": f"{haymaker.__version__} ({_code()})", "Python": platform.python_version(), **libraries}


@cache
def _code() -> str:
    """Return a digest of the Haymaker packages at first use in this process: many commits have the same version."""
    root = Path(haymaker.__file__).parents[1]
    found = (path for name in _PACKAGES for path in (root / name).rglob("*") if path.suffix in _READ)
    named = sorted((path.relative_to(root).as_posix(), sha256_file(path)) for path in found)
    return digest(*(part for pair in named for part in pair), size=4).hex()
