"""Processes that begin with everything loaded: a server that has imported the stages and read the project forks them.

A fresh interpreter takes one to two seconds for imports, parameters and tokenizers; a fork of the server a hundredth of that.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext

from pipelines.signals import without_ctrl_c

_PRELOADED = "pipelines.preloaded"


def context() -> ForkServerContext:
    """Where processes come from; its server starts with the first of them, or with `begin`."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload([_PRELOADED])
    return found


def begin() -> None:
    """Have the server load while this process does something else."""
    context()
    with without_ctrl_c():  # what it forks inherits that
        forkserver.ensure_running()


def take(environment: Mapping[str, str]) -> None:
    """In a new process: the environment of whoever asked for it; the server has an older one."""
    os.environ.clear()
    os.environ.update(environment)
    _share_server()


def _share_server() -> None:
    """Have processes of a process that was forked come from the same server.

    Python says that they do, and starts another server: it takes a server that this process has not started itself for none
    (`ForkServer.ensure_running`, until 3.13). Of later versions nobody has looked; a second server is right, and slower.
    """
    server = getattr(forkserver, "_forkserver", None)
    if sys.version_info < (3, 14) and getattr(server, "_forkserver_address", None):
        vars(server)["ensure_running"] = lambda: None
