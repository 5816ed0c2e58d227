"""Processes that begin with everything loaded: a server that has imported the stages and read the project forks them.

A fresh interpreter takes one to two seconds for imports, parameters and tokenizers; a fork of the server a hundredth of that.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import forkserver, util
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

from pipelines.signals import without_ctrl_c

_PRELOADED = "pipelines.preloaded"
_GRACE_S = 1.0
_LONGEST_FOLDER = 50
"""Bytes of a folder below which sockets have names: a name has 107 at most, of which Python and we add half."""


def context() -> ForkServerContext:
    """Where processes come from; its server starts with the first of them, or with `begin`."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload([_PRELOADED])
    folder()
    return found


def folder() -> str:
    """Folder of this process for sockets, removed at its end: below TMPDIR, or /tmp where that is too long for the name of a socket."""
    before = tempfile.tempdir
    if len(os.fsencode(tempfile.gettempdir())) > _LONGEST_FOLDER:
        tempfile.tempdir = "/tmp"  # noqa: S108  (a private folder is made in it)
    try:
        return str(util.get_temp_dir())  # asked once, it stays
    finally:
        tempfile.tempdir = before


def begin() -> None:
    """Have the server load while this process does something else."""
    context()
    with without_ctrl_c():  # what it forks inherits that
        forkserver.ensure_running()


def end(*processes: BaseProcess) -> None:
    """Have them end by a signal that they got with us, else by ours, else at once: what they tidy up nobody else does."""
    for stop in (BaseProcess.terminate, BaseProcess.kill):
        for process in processes:
            process.join(_GRACE_S)
            if process.is_alive():
                stop(process)
    for process in processes:
        process.join()


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
