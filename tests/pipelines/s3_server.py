"""A local S3 server for tests of releases in stores."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

_PATIENCE_S = 120.0

with_s3 = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("s3fs", "moto", "flask")),
    reason="NOT RUN: needs haymaker[s3] and a server to try it with (moto[server])",
)


@contextlib.contextmanager
def s3() -> Iterator[dict[str, str]]:
    """Start an S3 server with a bucket `hay`; yields the environment variables that its users need."""
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
