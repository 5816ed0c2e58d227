"""Shards as tasks of a Ray cluster: Ray alone says where each runs, and does it again when its node is lost.

Every node has the same Haymaker, and sees the project's folder under one path or is given what it needs (pipelines/away.py); both are
looked at before a shard is begun. A shard is done by the function that does it here, so its bytes, its receipt and what a kill leaves are
the same.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import importlib.metadata
import logging
import os
import platform
import shutil
import socket
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import haymaker
from haymaker.errors import EnvironmentProblem, HaymakerError
from haymaker.extras import demand_extra
from haymaker.files import sha256_file, write_text
from haymaker.rng import digest

Shard = TypeVar("Shard")
Done = TypeVar("Done")

ADDRESS_VARIABLE = "RAY_ADDRESS"
_MARK = ".ray"  # in a work folder: what this run wrote there, for nodes to find
_PACKAGES = ("haymaker", "worlds", "corpora", "generators", "scoring", "pipelines")
_READ = (".py", ".yaml", ".json", ".txt")
_LOST = 3  # times that a shard is begun again because its node or process was lost
_KNOCK_S = 5.0
_CANCEL_S = 10.0  # until a task that was stopped is given up
_STORE_BYTES = 200_000_000  # of a Ray started here: results are small


def connect(processors: int) -> None:
    """Join the cluster that RAY_ADDRESS names, or start Ray here; once a process.

    Args:
        processors: how many a Ray started here may use.

    Raises:
        EnvironmentProblem: Ray is not installed, cannot be reached, or has no processor.
    """
    demand_extra("ray", "ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # read when it is loaded
    import ray

    address = os.environ.get(ADDRESS_VARIABLE, "")
    if address.startswith("ray://"):
        what = f"{ADDRESS_VARIABLE}={address} names a client's port"
        raise EnvironmentProblem(what, fix=f"run on a node of the cluster with {ADDRESS_VARIABLE}=HOST:6379")
    if ray.is_initialized():
        return
    # Ray would print what it logs of lost nodes and processes, tens of lines each, among our results: no option says no.
    ray._private.worker._worker_logs_enabled = False
    try:
        if address:
            _knock(address)
            ray.init(log_to_driver=False, logging_level=logging.CRITICAL)
        else:
            _start(processors)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise EnvironmentProblem(
            f"cannot be reached: {reason}", where=f"Ray at {address or 'this machine'}",
            fix="ray status on the head node, or docs/tutorial/cluster.md",
        ) from None  # fmt: skip
    if not ray.cluster_resources().get("CPU"):
        raise EnvironmentProblem("no node has a processor to give", where="Ray", fix="ray start on the workers")


def _knock(address: str) -> None:
    """Ask whether anybody answers there: Ray itself would try for many minutes.

    Raises:
        OSError: nobody does.
    """
    host, _, port = address.rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK_S).close()


def _start(processors: int) -> None:
    """Ray on this machine alone, until this process ends; what it writes is removed then."""
    import ray

    folder = tempfile.mkdtemp(prefix="haymaker-ray-", dir="/tmp")
    atexit.register(_end, folder)
    ray.init(
        "local", num_cpus=processors, include_dashboard=False, object_store_memory=_STORE_BYTES, _temp_dir=folder,
        log_to_driver=False, logging_level=logging.CRITICAL,
    )  # fmt: skip


def _end(folder: str) -> None:
    import ray

    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def size() -> tuple[int, int]:
    """Nodes and processors of the cluster that we are connected to."""
    import ray

    return sum(node["Alive"] for node in ray.nodes()), int(ray.cluster_resources().get("CPU", 0))


def gpus() -> int:
    """GPUs of the cluster that we are connected to."""
    import ray

    return int(ray.cluster_resources().get("GPU", 0))


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
    asked: dict[Any, Shard] = {}
    running: dict[concurrent.futures.Future[Done], Any] = {}
    try:
        for shard in shards:
            ref = task[gpu(shard)].remote(perform, shard, work, mark, versions, elsewhere(shard) if elsewhere else None)
            asked[ref], running[ref.future()] = shard, ref
        for future in concurrent.futures.as_completed(list(running)):
            yield asked.pop(running.pop(future)), _result(future, work)
    finally:
        _stop(list(running.values()))


def _result(future: concurrent.futures.Future[Done], work: Path) -> Done:
    from ray.exceptions import LocalRayletDiedError, RayError, RayTaskError

    try:
        return future.result()
    except RayTaskError as error:
        if isinstance(error.cause, ModuleNotFoundError):
            what = f"a node has no {error.cause.name}"
            raise EnvironmentProblem(what, where="Ray", fix="install Haymaker on every node") from None
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


def _stop(running: list[Any]) -> None:
    """End tasks at once, and wait until they are: what they leave is swept up next."""
    import ray

    for ref in running:
        with contextlib.suppress(Exception):  # of a cluster that is gone too
            ray.cancel(ref, force=True)
    if running:
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
