"""Stages worked ahead: while DVC has one stage run, hashes what it made and notes it, another that it will ask for runs beside it.

Many stages keep one processor busy for a while: they open, they choose, they gather. DVC stays in charge: what is worked ahead is what it will
have run for certain, of inputs that it has noted already. When it comes to such a stage, it waits for its end, leaves what it made where it
is (pipelines/dvc_quick.py), and asks for it as for any other. One that has failed is run again, and told, when its turn has come.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from multiprocessing.process import BaseProcess
from pathlib import Path

from haymaker.files import remove
from pipelines import lockfile
from pipelines.executor import is_on_ray, worker_count
from pipelines.graph import Stage
from pipelines.one_run import AHEAD, AHEAD_VARIABLE
from pipelines.project import Project

_LONGEST_RUN_S = 1800
"""Planned seconds of a run that works ahead. A longer one keeps its processors busy by itself, and needs its memory for one stage."""
_GRACE_S = 1.0
_ALONE = "download@"  # the only stages that touch the network: one at a time, told as they go
Start = Callable[..., BaseProcess]
"""Starts a stage: arguments, its words behind `haymaker stage`; told, a file for what it says; more, of its environment."""


def wanted(project: Project, planned_s: float) -> list[Stage]:
    """Stages that DVC will have run for certain, in its order: what it has noted is not of them as they are declared.

    None where there is one process for everything, where shards go to a cluster, and in a run that is planned to be long.
    """
    if planned_s > _LONGEST_RUN_S or worker_count() == 1 or is_on_ray():
        return []
    noted = lockfile.read(project)
    return [
        stage
        for name, stage in project.stages.items()
        if stage.command == f"haymaker stage {name.replace('@', ' ')}"
        and (name not in noted or not noted[name].is_of(stage))
    ]


class Ahead:
    """The one stage that is worked ahead, the one that DVC has come to meanwhile, and those that were.

    Args:
        stages: from wanted().
        start: starts one.
        root: folder of their project.
        folder: for what they say.
    """

    def __init__(self, stages: Iterable[Stage], start: Start, root: Path, folder: Path) -> None:
        self._left = {stage.address: stage for stage in stages}
        self._start, self._root, self._folder = start, root, folder
        self._begun: set[str] = set()
        self._made: set[str] = set()
        self._told: dict[str, int] = {}
        self._at_hand: Stage | None = None
        self._running: dict[str, tuple[str, BaseProcess]] = {}

    def look(self) -> list[int]:
        """Note what has ended, start what can be; returns what tells that there is something to look at again."""
        for address, (_, process) in list(self._running.items()):
            if (code := process.exitcode) is not None:
                del self._running[address]
                self._made.update([address] if code == 0 else [])
        awaited = self._at_hand.address if self._at_hand else ""
        if not self._running.keys() - {awaited} and (address := self._next()):
            self._begin(address)
        return [process.sentinel for _, process in self._running.values()]

    def come(self, address: str) -> None:
        """DVC has come to a stage: it has noted all before it."""
        self._at_hand = self._left.pop(address, None)

    def is_running(self, address: str) -> bool:
        """Whether a stage is being worked ahead, or was when DVC came to it."""
        return address in self._running

    def has(self, address: str) -> bool:
        """Whether what a stage makes is here."""
        return address in self._made

    def tell(self, address: str) -> None:
        """Say what a stage has said since this was asked last."""
        with contextlib.suppress(OSError), (self._folder / address).open("rb") as file:
            file.seek(self._told.get(address, 0))
            os.write(2, file.read())
            self._told[address] = file.tell()

    def end(self) -> None:
        """Have what is running end: nobody waits for it."""
        for _, process in self._running.values():
            process.terminate()
        for _, process in self._running.values():
            process.join(_GRACE_S)
            process.kill()
            process.join()

    def _next(self) -> str:
        """The first stage that reads nothing of a stage that DVC has not noted; empty when there is none."""
        waiting = [*self._left.values(), *([self._at_hand] if self._at_hand else [])]
        for address, stage in self._left.items():
            if address not in self._begun and not address.startswith(_ALONE) and not any(map(stage.reads, waiting)):
                return address
        return ""

    def _begin(self, address: str) -> None:
        self._begun.add(address)
        for out in self._left[address].outs:  # as DVC does: a stage adds to a folder that is there
            remove(self._root / out)
        slot = next(slot for slot in AHEAD if slot not in dict(self._running.values()))
        try:
            told = str(self._folder / address)
            started = self._start(arguments=address.split("@", 1), told=told, more={AHEAD_VARIABLE: slot})
            self._running[address] = slot, started
        except (OSError, EOFError):  # no process to be had: DVC's own stages come first
            self._left.clear()
