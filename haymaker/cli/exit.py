"""How the program ends, whatever the machine does: standard streams that are closed or full, too little memory, a folder that is gone."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import resource
import sys
from pathlib import Path
from typing import Any, TextIO

from haymaker.core.entry_points import CHECKOUT_FIX, COMMANDS, entry_points
from haymaker.core.errors import EnvironmentProblem, HaymakerError
from haymaker.core.extras import BUILD, not_installed

_NO_MEMORY = (errno.ENOMEM, errno.EAGAIN)  # of a process or thread that cannot be started
_NO_MEMORY_SAID = (
    "can't start new thread",
    "failed to launch worker thread",
    "failed to map segment",
    "cannot allocate memory",
)
_SHORT = "there is not enough memory, or no further thread or process may be started"
_LEAST_BYTES = 1 << 30  # address space; to show a row takes 0.4 GB on two cores


def open_closed_streams() -> None:
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


def check_machine() -> None:
    """Refuse to begin where nothing can work.

    Raises:
        EnvironmentProblem: the current folder was deleted or moved away, or this process may not have enough memory: libraries would
            end it without a word, or try for ever.
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        raise EnvironmentProblem("the current folder is gone", fix="cd to a folder that is there") from None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _LEAST_BYTES:
        what = (
            f"there is not enough memory: the limit is {limit / 1e9:.1f} GB, the least is {_LEAST_BYTES / 1e9:.1f} GB"
        )
        raise EnvironmentProblem(what, where="ulimit -v", fix="ulimit -v unlimited")


def print_help(error: Exception) -> bool:
    """Whether a program or group of commands was called alone; it gets its help, line by line."""
    if type(error).__name__ != "NoArgsIsHelpError" or not hasattr(error, "format_message"):
        return False
    sys.stdout.write(f"{error.format_message()}\n")
    sys.stdout.flush()
    return True


def error_line(error: Exception) -> str:
    """The one line about what the user or the machine did; "" of a mistake that is ours."""
    if isinstance(error, HaymakerError):
        return str(error)
    if hasattr(error, "format_message"):  # click's own usage errors
        return f"{error.format_message()} Next: {_usage(error)}"
    if isinstance(error, ModuleNotFoundError) and (module := (error.name or "").partition(".")[0]) in BUILD:
        return str(not_installed(module))
    if _is_memory(error):
        return str(EnvironmentProblem(_SHORT, fix="free some, raise ulimit -v or -u, or HAYMAKER_WORKERS=1"))
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return str(EnvironmentProblem("`~` names no folder", fix="set HOME, or write the whole path"))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'standard output or a file'}: {error.strerror}"
    return ""


def _usage(error: Any) -> str:
    """Where the right way to call a command stands."""
    context = getattr(error, "ctx", None)
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    if names == ["score"] and "unexpected extra argument" in error.format_message():
        return "score takes one file of outputs; haymaker compare sets several side by side"
    if not names and "No such command" in error.format_message() and not entry_points(COMMANDS):
        return f"haymaker --help; commands that build a release need the build half: {CHECKOUT_FIX}"
    return " ".join(["haymaker", *names, "--help"])


def _is_memory(error: BaseException | None) -> bool:
    """Whether it is, or was caused by, memory or threads that could not be had."""
    if error is None:
        return False
    told = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno in _NO_MEMORY)
        or any(words in told for words in _NO_MEMORY_SAID)
        or _is_memory(error.__cause__)
    )


def flush() -> None:
    """Write what was printed; what cannot be written is dropped."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        discard_stream(sys.stdout)


def discard_stream(stream: TextIO) -> None:
    """Nobody reads a stream: what waits to be written is dropped, or Python would complain of it at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
