"""Machines that share no folder with the project, played truthfully on one: each node of the cluster runs where the folder is empty."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines import tiny

HIDDEN = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""Begins the command of a program with a view of the files of its own."""
_PATIENCE_S = 120.0


@cache
def _can_hide() -> bool:
    """Whether this user may give a process a view of the files of its own."""
    if shutil.which("unshare") is None:
        return False
    asked = [*HIDDEN, "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


with_s3 = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("s3fs", "moto", "flask")),
    reason="NOT RUN: needs haymaker[s3] and a server to try it with (moto[server])",
)
with_far_nodes = pytest.mark.skipif(not _can_hide(), reason="NOT RUN: needs the right to unshare (root on Linux)")


@contextlib.contextmanager
def far_nodes(
    made: Any, count: int, hidden: Path, folder: Path, gpus: int = 0, **more: str
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many nodes of one processor each join a cluster; `hidden` is an empty folder to them, and each has its own for temporary files.

    A node is one process: killed, all that runs on it is gone at once.
    """
    nodes = []
    try:
        for number in range(count):
            own = folder / f"node-{number}"
            own.mkdir(parents=True, exist_ok=True)
            join = f"ray start --address={made.address} --num-cpus=1 --num-gpus={gpus} --disable-usage-stats --block"
            environment = tiny.environment(**more, TMPDIR=str(own), RAY_USAGE_STATS_ENABLED="0")
            inside = ["sh", "-c", f"mount -t tmpfs none {hidden} && exec {join}"]
            said = (own / "said.txt").open("wb")
            nodes.append(subprocess.Popen([*HIDDEN, *inside], env=environment, stdout=said, stderr=subprocess.STDOUT))
            deadline = time.monotonic() + _PATIENCE_S
            while sum(node["Alive"] for node in made.global_state.node_table()) < number + 2:
                told = (own / "said.txt").read_text()
                assert time.monotonic() < deadline and nodes[-1].poll() is None, told
                time.sleep(0.1)
        yield nodes
    finally:
        for node in nodes:
            node.kill()
            node.wait()


@contextlib.contextmanager
def s3() -> Iterator[dict[str, str]]:
    """An S3 server of this machine with a bucket `hay`; yields what the environment of its users must hold."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = f"from moto.server import main; main(['--host', '127.0.0.1', '--port', '{port}'])"
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not _answers(port):
            assert time.monotonic() < deadline and server.poll() is None
            time.sleep(0.1)
        given = {
            "AWS_ACCESS_KEY_ID": "us", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }  # fmt: skip
        made = "import fsspec; fsspec.filesystem('s3').mkdir('hay')"
        subprocess.run([sys.executable, "-c", made], env=os.environ | given, check=True)
        yield given
    finally:
        server.kill()
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0
