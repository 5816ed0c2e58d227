"""Start-up checks and error output: closed or full standard streams, too little memory, a deleted current folder."""

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
from haymaker.core.renamed import new_name, rename_fix

_NO_MEMORY = (errno.ENOMEM, errno.EAGAIN)  # memory, or a limit on processes or threads
_NO_MEMORY_SAID = (
    "can't start new thread",
    "failed to launch worker thread",
    "failed to map segment",
    "cannot allocate memory",
)
_SHORT = "not enough memory, or the limit on threads and processes is reached"
_LEAST_BYTES = 1 << 30  # address space; `haymaker show` needs 0.4 GB on two cores


def open_closed_streams() -> None:
    """Replace standard streams that are closed at start.

    Otherwise the next files opened would get their numbers, and output would be written into them. Standard output then
    fails as on a full disk; standard error is discarded.
    """
    for number in range(3):
        with contextlib.suppress(OSError):
            os.fstat(number)
            continue
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest free number
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_RDONLY), "w"), "utf-8")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"), "utf-8")


def check_machine() -> None:
    """Check the current folder and the memory limit before a command starts.

    Raises:
        EnvironmentProblem: the current folder was deleted or moved, or the memory limit is too low (libraries would
            crash without a message or retry forever).
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        raise EnvironmentProblem("the current folder no longer exists", fix="cd to an existing folder") from None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _LEAST_BYTES:
        what = f"the memory limit is {limit / 1e9:.1f} GB; at least {_LEAST_BYTES / 1e9:.1f} GB are required"
        raise EnvironmentProblem(what, where="ulimit -v", fix="ulimit -v unlimited")


def print_help(error: Exception) -> bool:
    """Print the help if a program or command group was called without a command; return whether this was the case."""
    if type(error).__name__ != "NoArgsIsHelpError" or not hasattr(error, "format_message"):
        return False
    sys.stdout.write(f"{error.format_message()}\n")
    sys.stdout.flush()
    return True


def error_line(error: Exception) -> str:
    """Return the one-line message of a user or machine error, or "" for a bug in Haymaker."""
    if isinstance(error, HaymakerError):
        return str(error)
    if hasattr(error, "format_message"):  # click's own usage errors
        return f"{error.format_message().rstrip('.')}. Next: {_renamed_flag(error) or _usage(error)}"
    if isinstance(error, ModuleNotFoundError) and (module := (error.name or "").partition(".")[0]) in BUILD:
        return str(not_installed(module))
    if _is_memory(error):
        return str(EnvironmentProblem(_SHORT, fix="free memory, raise ulimit -v or -u, or set HAYMAKER_WORKERS=1"))
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return str(EnvironmentProblem("the home folder for `~` is unknown", fix="set HOME, or write the full path"))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'standard output or a file'}: {error.strerror}"
    return ""


def _renamed_flag(error: Any) -> str:
    """Return the next step after the use of a renamed flag, or an empty string."""
    context, old = getattr(error, "ctx", None), getattr(error, "option_name", "")
    known = [name for param in context.command.params for name in (*param.opts, param.metavar)] if context else []
    new = new_name(old, known)
    return (
        f"{_path(context)} {new} (the option is now an argument)"
        if new == new.upper() != ""
        else rename_fix(old, known)
    )


def _usage(error: Any) -> str:
    """Return the next step after a usage error, usually the help command."""
    path = _path(getattr(error, "ctx", None))
    if path == "haymaker score" and "unexpected extra argument" in error.format_message():
        return "give one file of outputs; to compare several files, use haymaker compare"
    if path == "haymaker" and "No such command" in error.format_message() and not entry_points(COMMANDS):
        return f"run haymaker --help; for commands of the build part, {CHECKOUT_FIX}"
    return f"{path} --help"


def _path(context: Any) -> str:
    """Return the words of a command, such as `haymaker dev bench`."""
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(["haymaker", *names])


def _is_memory(error: BaseException | None) -> bool:
    """Check whether an error is or was caused by a lack of memory or threads."""
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
    """Flush standard output; text that cannot be written is dropped."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        discard_stream(sys.stdout)


def discard_stream(stream: TextIO) -> None:
    """Discard the pending output of a stream without a reader; otherwise Python reports an error at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
