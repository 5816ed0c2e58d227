"""Entry point of `haymaker`: run a command and set the exit status (docs/reference/command-line.md)."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from haymaker.cli import exit
from haymaker.core.verbosity import has_details

_INTERRUPTED = 130  # typer's exit status for KeyboardInterrupt
_STOPPED = "stopped; finished work is kept. Next: run the same command again to resume"
_signals: list[int] = []  # received by this run


def main() -> None:
    """Run the program and exit.

    Exit status: 0 ok, 1 a failed check, 2 a user error, 130 Ctrl-C, 143 SIGTERM. User errors print one line.
    """
    exit.open_closed_streams()
    sys.unraisablehook = _unraisable
    _signals.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    problem = ""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked while this program was loaded
        code = _done(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:
        exit.discard_stream(sys.stdout)
        sys.exit(0)
    except Exception as error:
        code, problem = getattr(error, "exit_status", 2), exit.error_line(error)
        if not problem or has_details():
            sys.excepthook(*sys.exc_info())
    if code == _INTERRUPTED:
        problem = problem or _STOPPED
    if code and _signals:
        code = 128 + _signals[0]
    exit.flush()
    if problem:
        try:
            _fail(problem, code)
        except OSError:  # standard error may be full too
            exit.discard_stream(sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def _interrupt(number: int, frame: Any) -> None:
    """Note the signal for the exit status, and stop as for Ctrl-C."""
    _signals.append(number)
    signal.default_int_handler(number, frame)


@cache
def _command() -> Callable[..., Any]:
    """The commands, built from the signatures of their functions once per process."""
    from typer.main import get_command

    from haymaker.cli.app import app

    return get_command(app)


def _done(words: list[str]) -> Any:
    """Run a command and return its exit status."""
    import typer

    try:
        return _command()(words, prog_name="haymaker", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if exit.print_help(error):
            return 0
        raise


def _unraisable(found: Any) -> None:
    """Raise Ctrl-C again if it arrived in a destructor or callback, where Python would print and ignore it."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        again = threading.Timer(0.01, _thread.interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(found)


def _fail(message: str, code: int) -> NoReturn:
    """Report an error once: to a parent `haymaker run`, which prints it at its end, otherwise on standard error."""
    from haymaker.core.text.strings import visible

    message = visible(" ".join(message.split()))
    error_file = os.environ.get("HAYMAKER_ERROR_FILE")
    if error_file:
        with contextlib.suppress(OSError), Path(error_file).open("r+b") as file:  # preallocated: the disk may be full
            file.write(f"{code} {message}".encode().ljust(os.fstat(file.fileno()).st_size))
            sys.exit(code)
    sys.stderr.write(f"haymaker: {message}\n")
    sys.stderr.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
