"""How the program ends, whatever the machine does: standard streams that are closed or full, too little memory, a folder that is gone."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from pathlib import Path

from haymaker.errors import EnvironmentProblem, HaymakerError
from haymaker.extras import BUILD, not_installed

_NO_MEMORY = (errno.ENOMEM, errno.EAGAIN)  # of a process or thread that cannot be started
_NO_MEMORY_SAID = ("can't start new thread", "failed to map segment", "cannot allocate memory", "bad_alloc")


def hold_streams() -> None:
    """Give the program the standard streams that it was started without.

    Else their numbers would go to the next files opened, and what a library prints into these. What is printed fails, as it does
    where the disk is full; what is said on standard error is lost, for there is nobody to tell.
    """
    for number in range(3):
        with contextlib.suppress(OSError):
            os.fstat(number)
            continue
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_RDONLY), "w"), "utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"), "utf-8")


def demand_folder() -> None:
    """Refuse to begin in a folder that is gone.

    Raises:
        EnvironmentProblem: the current folder was deleted or moved away.
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        raise EnvironmentProblem("the current folder is gone", fix="cd to a folder that is there") from None


def explain(error: Exception) -> str:
    """The one line about what the user or the machine did; "" of a mistake that is ours."""
    if isinstance(error, HaymakerError):
        return str(error)
    if hasattr(error, "format_message"):  # click's own usage errors
        return f"{error.format_message()} Next: haymaker --help"
    if isinstance(error, ModuleNotFoundError) and (module := (error.name or "").partition(".")[0]) in BUILD:
        return str(not_installed(module))
    if _is_memory(error):
        return str(
            EnvironmentProblem("there is not enough memory", fix="free some, raise ulimit -v, or HAYMAKER_WORKERS=1")
        )
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or ('a file' if printed() else 'standard output')}: {error.strerror}"
    return ""


def _is_memory(error: BaseException | None) -> bool:
    """Whether it is, or was caused by, memory or threads that could not be had."""
    if error is None:
        return False
    told = str(error)
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno in _NO_MEMORY)
        or any(words in told for words in _NO_MEMORY_SAID)
        or _is_memory(error.__cause__)
    )


def printed() -> bool:
    """Whether everything that was printed could be written; if not, the rest is dropped."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        drop()
        return False
    return True


def drop() -> None:
    """Nobody reads standard output: what waits to be written is dropped, or Python would complain of it at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
