"""Stages that DVC calls while `haymaker run` waits for it: each in a warm process (pipelines/warm.py), not in a fresh interpreter.

`haymaker stage` is what DVC starts. Below a run that serves it asks that run for the stage, and ends as the stage ends; below a plain
`dvc repro` it is the stage. The stage dies with whoever asked: it writes for nobody else.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from pipelines import warm
from pipelines.signals import watch, without_ctrl_c

VARIABLE = "HAYMAKER_SERVER"
_REQUEST_BYTES = 1 << 20
_GRACE_S = 1.0
_BY_YOURSELF = b"-"  # no process could be started here
_PROGRAM = "pipelines.cli"  # by name, like the functions of jobs: it is above all that it starts


def ask(*arguments: str) -> int | None:
    """Exit status of `haymaker stage ARGUMENTS`, done by the run above; None where no run serves.

    Ctrl-C and SIGTERM are for the stage, which gets them with us, and tells.
    """
    address = os.environ.get(VARIABLE)
    if not address:
        return None
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
            line.connect(address)
            watch(os.getppid())
            for number in before:
                signal.signal(number, signal.SIG_IGN)
            asked = {"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)}
            line.sendall(json.dumps(asked).encode() + b"\n")
            answer = line.recv(16) or b"1"  # the stage, or the run, was killed
            return None if answer == _BY_YOURSELF else int(answer)
        return None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def serving() -> Iterator[dict[str, str]]:
    """Serve, one stage at a time, while the body runs; yields what the environment of DVC needs for it."""
    with tempfile.TemporaryDirectory(prefix="haymaker-") as folder, socket.socket(socket.AF_UNIX) as door:
        address = str(Path(folder, "run"))
        door.bind(address)
        door.listen()
        ending, end = socket.socketpair()
        thread = threading.Thread(target=_serve, args=(door, ending), daemon=True)
        thread.start()
        try:
            yield {VARIABLE: address}
        finally:
            end.close()
            thread.join()
            ending.close()


def _serve(door: socket.socket, ending: socket.socket) -> None:
    with door:  # who comes when this has ended gets no answer, and does without
        while ending not in wait([door, ending]):
            line, _ = door.accept()
            with line, suppress(OSError, ValueError):  # who asked has gone
                _answer(line, ending)


def _answer(line: socket.socket, ending: socket.socket) -> None:
    """Start the stage, and tell its exit status; end it when nobody waits for it any more."""
    asked = json.loads(line.makefile("rb").readline(_REQUEST_BYTES))
    stage = warm.context().Process(target=_stage, kwargs=asked)
    try:
        with without_ctrl_c():
            stage.start()
    except (OSError, EOFError):
        line.sendall(_BY_YOURSELF)
        return
    try:
        if stage.sentinel in wait([stage.sentinel, line, ending]):
            stage.join()
            line.sendall(str((stage.exitcode or 0) % 256).encode())
    finally:
        _end(stage)


def _end(stage: BaseProcess) -> None:
    """Ended by a signal that it got with us, else by ours, else at once: what it tidies up nobody else does."""
    for end in (stage.terminate, stage.kill):
        stage.join(_GRACE_S)
        if stage.is_alive():
            end()
    stage.join()


def _stage(arguments: list[str], folder: str, environment: Mapping[str, str]) -> None:
    """In the new process: what `haymaker stage ARGUMENTS` does in its own."""
    os.chdir(folder)
    warm.take({key: value for key, value in environment.items() if key != VARIABLE})
    sys.argv = ["haymaker", "stage", *arguments]
    importlib.import_module(_PROGRAM).main()
