"""Shards as tasks of a Ray cluster: Ray alone says where each runs, and does it again when its node is lost.

Every node has the same Haymaker, and sees the project's folder under one path or is given what it needs (pipelines/away.py); both are
looked at before a shard is begun. A shard is done by the function that does it here, so its bytes, its receipt and what a kill leaves are
the same.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import haymaker
from haymaker.errors import EnvironmentProblem, HaymakerError
from haymaker.files import sha256_file, write_text
from haymaker.rng import digest
from pipelines import cluster

Shard = TypeVar("Shard")
Done = TypeVar("Done")

_MARK = ".ray"  # in a work folder: what this run wrote there, for nodes to find
_PACKAGES = ("haymaker", "worlds", "corpora", "generators", "scoring", "pipelines")
_READ = (".py", ".yaml", ".json", ".txt")
_LOST = 3  # times that a shard is begun again because its node or process was lost
_CANCEL_S = 10.0  # until a task that was stopped is given up
_LOOK_S, _SILENT = 5.0, 4  # how often the first machine is asked whether it is there, and how often it may be silent


def execute(
    shards: Sequence[Shard], work: Path, perform: Callable[[Shard, Path], Done],
    elsewhere: Callable[[Shard], Callable[[Shard, Path], Done]] | None = None, *,
    gpu: Callable[[Shard], bool] = lambda _: False,
) -> Iterator[tuple[Shard, Done]]:  # fmt: skip
    """Do shards on the cluster that we are connected to; each is given back when it is done.

    Args:
        shards: in the order in which they are to be begun.
        work: folder that all nodes see, but for those that `elsewhere` serves.
        perform: does one.
        elsewhere: for a shard, what does it on a node that does not see the folder; None: such a node ends the run.
        gpu: whether one takes a GPU; the process that did it keeps it, and its model, for the next.

    Raises:
        HaymakerError: what a shard raised, which is not tried again; a node differs from this machine; or nodes were lost time and again.
    """
    import ray

    mark = uuid.uuid4().hex
    write_text(work / _MARK, mark)
    takes = {"num_cpus": 1, "max_calls": 0, "max_retries": _LOST, "retry_exceptions": False}
    task = {needs: ray.remote(**takes, num_gpus=int(needs))(_attempt) for needs in (False, True)}
    versions = _versions()
    running: dict[Future[Done], tuple[Any, Shard]] = {}
    ended: SimpleQueue[Future[Done]] = SimpleQueue()
    try:
        for shard in shards:
            ref = task[gpu(shard)].remote(perform, shard, work, mark, versions, elsewhere(shard) if elsewhere else None)
            running[future := ref.future()] = ref, shard
            future.add_done_callback(ended.put)
        for future in _each(ended, len(running)):
            _, shard = running.pop(future)
            yield shard, _result(future, work)
    finally:
        _stop([ref for ref, _ in running.values()])


def _each(ended: SimpleQueue[Future[Done]], count: int) -> Iterator[Future[Done]]:
    """Tasks as they end.

    Raises:
        EnvironmentProblem: the first machine of the cluster is gone. Ray would try for a minute, then end this process without a word of ours.
    """
    looked, silent = time.monotonic(), 0
    while count:
        with contextlib.suppress(Empty):
            yield ended.get(timeout=_LOOK_S)
            count -= 1
        if time.monotonic() - looked >= _LOOK_S:
            silent = 0 if cluster.answers() else silent + 1
            looked = time.monotonic()
        if silent == _SILENT:
            fix = "start Ray again there and on the others, then run again; finished shards are kept"
            raise EnvironmentProblem("its first machine does not answer any more", where="Ray", fix=fix)


def _result(future: Future[Done], work: Path) -> Done:
    from ray.exceptions import LocalRayletDiedError, RayError, RaySystemError, RayTaskError

    try:
        return future.result()
    except RayTaskError as error:
        if isinstance(error.cause, ModuleNotFoundError | RaySystemError):
            raise _not_understood(error.cause) from None
        known = isinstance(error.cause, HaymakerError)  # of a mistake of ours the node's own traceback is wanted
        raise error.cause from None if known else error
    except LocalRayletDiedError:
        fix = "ray start here, then run again; finished shards are kept"
        raise EnvironmentProblem("ended on this machine", where="Ray", fix=fix) from None
    except RayError as error:
        raise EnvironmentProblem(
            f"a worker process died (killed, or out of memory), and again {_LOST} times ({type(error).__name__})",
            where=str(work), fix="run again; finished shards are kept",
        ) from None  # fmt: skip


def _not_understood(error: Exception) -> EnvironmentProblem:
    """A node lacks a module that its task names or needs, or has another one by that name."""
    reason = str(error).splitlines()[0].removeprefix("System error: ")
    fix = "install the same Haymaker, with the same extras, on every node"
    return EnvironmentProblem(f"a node cannot do what it is asked: {reason}", where="Ray", fix=fix)


def _stop(running: list[Any]) -> None:
    """End tasks at once, and wait until they are: what they leave is swept up next. Without a first machine they end by themselves."""
    import ray

    if not running or not cluster.answers():
        return
    for ref in running:
        with contextlib.suppress(Exception):  # of a cluster that is gone too
            ray.cancel(ref, force=True)
    with contextlib.suppress(Exception):
        ray.wait(running, num_returns=len(running), timeout=_CANCEL_S, fetch_local=False)


def _attempt(
    perform: Callable[[Shard, Path], Done], shard: Shard, work: Path, mark: str, versions: dict[str, str],
    elsewhere: Callable[[Shard, Path], Done] | None = None,
) -> Done:  # fmt: skip
    """One shard, on a node that has the files, or is given them, and the versions of the machine that asked.

    Raises:
        EnvironmentProblem: it has not.
    """
    where = f"node {platform.node()}"
    for name, version in versions.items():
        if (mine := _versions()[name]) != version:
            what = f"has {name} {mine}, the run {version}"
            raise EnvironmentProblem(what, where=where, fix="install the same versions on every node")
    try:
        seen = (work / _MARK).read_text(encoding="utf-8")
    except OSError:
        seen = ""
    if seen == mark:
        return perform(shard, work)
    if elsewhere is None:
        fix = "put the project on a file system that all nodes see under one path, or set HAYMAKER_STORE"
        raise EnvironmentProblem(f"does not see {work}", where=where, fix=fix)
    return elsewhere(shard, work)


def _versions() -> dict[str, str]:
    """What must be the same for the same bytes."""
    libraries = {name: importlib.metadata.version(name) for name in ("pyarrow", "numpy")}
    return {"Haymaker": f"{haymaker.__version__} ({_code()})", "Python": platform.python_version(), **libraries}


@cache
def _code() -> str:
    """Digest of our own packages, as they are when a process first asks: many commits have one version."""
    root = Path(haymaker.__file__).parents[1]
    found = (path for name in _PACKAGES for path in (root / name).rglob("*") if path.suffix in _READ)
    named = sorted((path.relative_to(root).as_posix(), sha256_file(path)) for path in found)
    return digest(*(part for pair in named for part in pair), size=4).hex()
