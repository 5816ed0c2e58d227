"""Stages that DVC calls while `haymaker run` waits for it: each in a warm process (pipelines/warm.py), not in a fresh interpreter.

`haymaker stage` is what DVC starts. Below a run that serves it asks that run for the stage, and ends as the stage ends; below a plain
`dvc repro` it is the stage. The stage dies with whoever asked: it writes for nobody else. Before that DVC asks whether the stage has been worked ahead.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pipelines import warm
from pipelines.ahead import Ahead, Coming
from pipelines.asking import BY_YOURSELF, MADE, NOT_MADE, VARIABLE
from pipelines.signals import without_ctrl_c

_TOLD_EVERY_S = 0.2
_PROGRAM = "pipelines.cli"  # by name, like the functions of jobs: it is above all that it starts


@contextmanager
def serving(
    coming: Coming = Coming(),  # noqa: B008  (nobody changes it)
    root: Path | None = None,
    of: Mapping[str, str] = os.environ,
    ready: threading.Event | None = None,
) -> Iterator[dict[str, str]]:
    """Serve while the body runs; yields what the environment of DVC needs for it.

    Args:
        coming: what DVC has to do; some of it is worked ahead.
        root: folder of their project.
        of: their environment.
        ready: who asks waits until it is set.
    """
    with tempfile.TemporaryDirectory(dir=warm.folder()) as folder, socket.socket(socket.AF_UNIX) as door:
        address = str(Path(folder, "run"))
        door.bind(address)
        door.listen()
        ending, end = socket.socketpair()
        begun = partial(_begun, folder=str(root), environment=of)
        server = _Server(door, ending, Ahead(coming, begun, root or Path(), Path(folder)))
        thread = threading.Thread(target=server.serve, args=[ready] if ready else [], daemon=True)
        thread.start()
        try:
            yield {VARIABLE: address}
        finally:
            end.close()
            if ready:
                ready.set()
            thread.join()
            ending.close()


class _Server:
    """Answers one question at a time, and looks after what is worked ahead whenever it waits."""

    def __init__(self, door: socket.socket, ending: socket.socket, ahead: Ahead) -> None:
        self._door, self._ending, self._ahead = door, ending, ahead

    def serve(self, ready: threading.Event | None = None) -> None:
        """From when it is ready until the run ends."""
        if ready:
            ready.wait()
        try:
            with self._door:  # who comes when this has ended gets no answer, and does without
                while self._ending not in (told := self._wait(self._door)):
                    if self._door in told:
                        line, _ = self._door.accept()
                        with line, suppress(OSError, ValueError):  # who asked has gone
                            self._answer(line)
        finally:
            self._ahead.end()

    def _wait(self, *awaited: Any, seconds: float | None = None) -> list[Any]:
        """What of it has come, or that the run ends; it returns also when a stage that is worked ahead ends."""
        ended = wait([self._ending], 0)  # then nothing more is begun
        return ended or wait([*awaited, self._ending, *self._ahead.look()], seconds)

    def _answer(self, line: socket.socket) -> None:
        asked = json.loads(line.makefile("rb").readline())
        if "coming" in asked:
            self._settle(line, asked["coming"])
        else:
            self._do(line, asked)

    def _settle(self, line: socket.socket, address: str) -> None:
        """Tell whether what the stage makes is here, and show what it says."""
        self._ahead.come(address)
        while self._ahead.is_running(address):
            self._ahead.tell(address)
            if {line, self._ending} & set(self._wait(line, seconds=_TOLD_EVERY_S)):
                return
        made = self._ahead.has(address)
        if made:
            self._ahead.tell(address)
        line.sendall(MADE if made else NOT_MADE)

    def _do(self, line: socket.socket, asked: dict[str, Any]) -> None:
        """Start the stage, and tell its exit status; end it when nobody waits for it any more."""
        try:
            stage = _begun(**asked)
        except (OSError, EOFError):
            line.sendall(BY_YOURSELF)
            return
        try:
            while not (ready := {stage.sentinel, line, self._ending} & set(self._wait(stage.sentinel, line))):
                pass
            if stage.sentinel in ready:
                stage.join()
                line.sendall(str((stage.exitcode or 0) % 256).encode())
        finally:
            warm.end(stage)


def _begun(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], told: str = "", more: Mapping[str, str] = {}
) -> BaseProcess:
    """A stage that has been started.

    Args:
        arguments: behind `haymaker stage`.
        folder: of the project.
        environment: of whoever asks for it.
        told: file for what it says; empty says it here.
        more: of its environment.

    Raises:
        OSError, EOFError: no process can be started here.
    """
    stage = warm.context().Process(target=_stage, args=(arguments, folder, {**environment, **more}, told))
    with without_ctrl_c():
        stage.start()
    return stage


def _stage(arguments: Sequence[str], folder: str, environment: Mapping[str, str], told: str) -> None:
    """In the new process: what `haymaker stage ARGUMENTS` does in its own."""
    os.chdir(folder)
    warm.take({key: value for key, value in environment.items() if key != VARIABLE})
    if told:
        _say_into(told)
    sys.argv = ["haymaker", "stage", *arguments]
    importlib.import_module(_PROGRAM).main()


def _say_into(file: str) -> None:
    place = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(place, number)
