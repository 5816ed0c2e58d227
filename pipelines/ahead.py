"""Stages worked ahead: while DVC has one stage run, hashes what it made and notes it, another that it will ask for runs beside it.

Many stages keep one processor busy for a while: they open, they choose, they gather. DVC stays in charge: what is worked ahead is what it will
have run for certain, of inputs that it has noted already. When it comes to such a stage, it waits for its end and leaves what it made where it
is (pipelines/dvc_quick.py), to hash and note it as ever. One that has failed is run again, and told, when its turn has come.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from haymaker.errors import HaymakerError
from haymaker.files import remove
from pipelines import graph, hashes, lockfile, warm
from pipelines.executor import is_on_ray, worker_count
from pipelines.graph import Stage
from pipelines.lockfile import Entry
from pipelines.one_run import AHEAD, AHEAD_VARIABLE
from pipelines.project import Project

_LONGEST_RUN_S = 1800
"""Planned seconds of a run that works ahead. A longer one keeps its processors busy by itself, and needs its memory for one stage."""
_ALONE = "download@"  # the only stages that touch the network: one at a time, told as they go
Start = Callable[..., BaseProcess]
"""Starts a stage: arguments, its words behind `haymaker stage`; told, a file for what it says; more, of its environment."""


class Coming(NamedTuple):
    """What DVC has to do.

    Attributes:
        stages: those that it will have run, and those that it may: what they read may change.
        certain: addresses of those that may be worked ahead: it will have them run, whatever the others make, as it never has.
    """

    stages: tuple[Stage, ...] = ()
    certain: frozenset[str] = frozenset()


def coming(project: Project, looked: hashes.Looked, planned_s: float) -> Coming:
    """What DVC has to do, as far as dvc.lock and the files tell.

    Nothing where there is one process for everything or shards go to a cluster, in a run that is planned to be long or that embeds (its
    stages take the GPU, and the memory, for themselves), and where dvc.yaml has stages that are not ours: nobody knows when they come.
    """
    embeds = any(index.get("dense") for index in project.params.indexes.values())
    if planned_s > _LONGEST_RUN_S or embeds or worker_count() == 1 or is_on_ray() or graph.others(project.texts):
        return Coming()
    noted = lockfile.read(project)
    open_ = {name for name, each in project.stages.items() if name not in noted or not noted[name].is_of(each)}
    found = {name: each for name, each in project.stages.items() if name in open_ or not _holds(looked, noted[name])}
    while more := {
        name: each
        for name, each in project.stages.items()
        if name not in found and any(map(each.reads, found.values()))
    }:
        found |= more
    ours = [found[name] for name in open_ if found[name].command == f"haymaker stage {name.replace('@', ' ')}"]
    earlier = _earlier(project)
    certain = (each.address for each in ours if not any(run.is_of(each) for run in earlier))
    return Coming(tuple(found.values()), frozenset(name for name in certain if not name.startswith(_ALONE)))


def _earlier(project: Project) -> list[Entry]:
    """DVC's list of earlier runs: it takes what one of them has made from its cache where it has read what is here now."""
    found = []
    for run in hashes.runs_folder(project).glob("*/*/*"):
        with contextlib.suppress(
            HaymakerError, AttributeError, LookupError, TypeError, ValueError
        ):  # DVC passes it over too
            found.append(lockfile.entry("", graph.read_plain(run.read_bytes(), run.name)))
    return found


def _holds(looked: hashes.Looked, noted: Entry) -> bool:
    return all(map(looked.holds, (*noted.deps, *noted.outs)))


class Ahead:
    """The one stage that is worked ahead, the one that DVC has come to meanwhile, and those that were.

    Args:
        coming: what DVC has to do.
        start: starts a stage.
        root: folder of their project.
        folder: for what they say.
    """

    def __init__(self, coming: Coming, start: Start, root: Path, folder: Path) -> None:
        self._left = {stage.address: stage for stage in coming.stages}
        self._certain = set(coming.certain)
        self._start, self._root, self._folder = start, root, folder
        self._begun: dict[str, tuple[str, BaseProcess]] = {}
        self._told: dict[str, int] = {}
        self._at_hand: Stage | None = None

    def look(self) -> list[int]:
        """Start what can be; returns what tells that there is something to look at again: that a stage has ended."""
        awaited = self._at_hand.address if self._at_hand else ""
        if not any(self.is_running(address) for address in self._begun.keys() - {awaited}) and (next_ := self._next()):
            self._begin(next_)
        return [process.sentinel for address, (_, process) in self._begun.items() if self.is_running(address)]

    def come(self, address: str) -> None:
        """DVC has come to a stage: it has noted all before it. One that was not to come: it sees what nobody else does, and goes on alone."""
        self._at_hand = self._left.pop(address, None)
        if self._at_hand is None:
            self._certain.clear()

    def is_running(self, address: str) -> bool:
        """Whether a stage is being worked ahead, or was when DVC came to it."""
        return address in self._begun and self._begun[address][1].exitcode is None

    def has(self, address: str) -> bool:
        """Whether what a stage makes is here."""
        return address in self._begun and self._begun[address][1].exitcode == 0

    def tell(self, address: str) -> None:
        """Say what a stage has said since this was asked last."""
        with contextlib.suppress(OSError), (self._folder / address).open("rb") as file:
            file.seek(self._told.get(address, 0))
            os.write(2, file.read())
            self._told[address] = file.tell()

    def end(self) -> None:
        """Have what is running end: nobody waits for it."""
        warm.end(*(process for _, process in self._begun.values()))

    def _next(self) -> str:
        """The first stage that reads nothing of a stage that DVC has not noted; empty when there is none."""
        waiting = [*self._left.values(), *([self._at_hand] if self._at_hand else [])]
        for address, stage in self._left.items():
            if address in self._certain and not any(map(stage.reads, waiting)):
                return address
        return ""

    def _begin(self, address: str) -> None:
        self._certain.remove(address)
        taken = {slot for each, (slot, _) in self._begun.items() if self.is_running(each)}
        slot = next(slot for slot in AHEAD if slot not in taken)
        try:
            for out in self._left[address].outs:  # as DVC does: a stage adds to a folder that is there
                remove(self._root / out)
            told = str(self._folder / address)
            started = self._start(arguments=address.split("@", 1), told=told, more={AHEAD_VARIABLE: slot})
            self._begun[address] = slot, started
        except (OSError, EOFError):  # no process to be had, or a folder that is not ours to write: DVC's turn will tell
            self._certain.clear()
