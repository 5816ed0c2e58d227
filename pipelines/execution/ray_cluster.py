"""Connect to a Ray cluster or start Ray on this machine; report cluster size and whether the head node responds."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import tempfile
import uuid

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import require_extra

ADDRESS_VARIABLE = "RAY_ADDRESS"
_AUTHENTICATION, _TOKENS = "RAY_AUTH_MODE", ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_FOLDER = "RAY_TMPDIR"  # read by Ray: folder for sockets and logs
_KNOCK_S = 5.0
_STORE_BYTES = 200_000_000  # object store of a Ray started here; results are small


def connect(processors: int) -> None:
    """Join the cluster named by RAY_ADDRESS, or start Ray on this machine; once per process.

    Args:
        processors: number of processors for a Ray started here.

    Raises:
        EnvironmentProblem: Ray is not installed, cannot be reached, or has no processor.
    """
    require_extra("ray", "ray")
    address = os.environ.get(ADDRESS_VARIABLE, "")
    os.environ.update(_settings(address))  # Ray reads them on import
    import ray

    if address.startswith("ray://"):
        what = f"{ADDRESS_VARIABLE}={address} is the port of a Ray client"
        raise EnvironmentProblem(what, fix=f"run on a node of the cluster with {ADDRESS_VARIABLE}=HOST:6379")
    if ray.is_initialized():
        return
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
            fix=f"check {ADDRESS_VARIABLE}; start Ray on this machine too, with {_AUTHENTICATION} and the token of the head node (docs/tutorial/cluster.md)",
        ) from None  # fmt: skip
    if not ray.cluster_resources().get("CPU"):
        raise EnvironmentProblem("no node provides a processor", where="Ray", fix="run ray start on the worker nodes")


def _settings(address: str) -> dict[str, str]:
    """Return the environment variables of Ray to set.

    A Ray that is started here gets a random token. Otherwise Ray would write one into the user's home, and from then on `ray start` would
    demand it from machines that do not have it.
    """
    wanted = {"RAY_USAGE_STATS_ENABLED": "0"}
    if not address and os.environ.get(_AUTHENTICATION, "token") == "token":
        wanted |= {_AUTHENTICATION: "token"}
        if not any(name in os.environ for name in _TOKENS):
            wanted |= {_TOKENS[0]: uuid.uuid4().hex}
    return wanted


def _knock(address: str) -> None:
    """Check that the address accepts connections: Ray itself would retry for many minutes.

    Raises:
        OSError: the connection fails.
    """
    host, _, port = address.rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK_S).close()


def _start(processors: int) -> None:
    """Start Ray on this machine; Ray and its session files are removed when this process ends."""
    import ray

    folder = tempfile.mkdtemp(prefix="haymaker-ray-", dir="/tmp")
    os.environ[_FOLDER] = folder
    atexit.register(_end, folder)
    ray.init(
        "local", num_cpus=processors, include_dashboard=False, object_store_memory=_STORE_BYTES, log_to_driver=False,
        logging_level=logging.CRITICAL,
    )  # fmt: skip


def _end(folder: str) -> None:
    import ray

    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def size() -> tuple[int, int]:
    """Return the number of live nodes and of processors of the cluster."""
    import ray

    return sum(node["Alive"] for node in ray.nodes()), int(ray.cluster_resources().get("CPU", 0))


def gpus() -> int:
    """Return the number of GPUs of the cluster."""
    import ray

    return int(ray.cluster_resources().get("GPU", 0))


def is_reachable() -> bool:
    """Return whether the head node of the cluster accepts connections."""
    import ray

    try:
        _knock(ray.get_runtime_context().gcs_address)
    except OSError:
        return False
    return True
