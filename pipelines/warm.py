"""Processes that begin with everything loaded: a server that has imported the stages and read the project forks them.

A fresh interpreter takes one to two seconds for imports, parameters and tokenizers; a fork of the server a hundredth of that.
"""

from __future__ import annotations

import multiprocessing
import os
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
