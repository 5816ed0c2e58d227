"""A shard on a machine that does not see the project: it is sent what the job reads, and what the shard made is sent back.

What was fetched stays below the machine's folder for temporary files, one copy for all its processes and later runs. Each run has a folder
there, with a root in which the places that its jobs read have the names that they have in the project; so a job is done as it is done there.
All that is not whole yet is in the run's folder too: what a process leaves that is killed goes with it.
"""

from __future__ import annotations

import fcntl
import os
import platform
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from corpora.retrieval.models import give, model_files
from haymaker.errors import EnvironmentProblem, HaymakerError
from haymaker.files import disk_errors, remove
from haymaker.rng import digest
from pipelines.depot import Content, Depot, opened
from pipelines.shards import Done, Job, Model, complete, perform

_RUN = uuid.uuid4().hex
_UNUSED_S = 2 * 86_400.0  # that a copy is kept since a shard last asked for it


@dataclass(frozen=True, slots=True)
class Away:
    """How one shard is done elsewhere; goes there with it.

    Attributes:
        url: of the store.
        run: process that asks; its shards share a root on each machine.
        reads: whole path in the project -> what is there.
        models: name -> whole path.
    """

    url: str
    run: str
    reads: Mapping[Path, Content]
    models: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, depot: Depot, known: dict[Path, Content], job: Job) -> Away:
        """For a job; what it reads is in the store afterwards.

        Args:
            depot: the store.
            known: what is there, of earlier jobs of the same run; added to.
            job: the job.

        Raises:
            EnvironmentProblem: the store cannot be used.
        """
        models = {each.key: each.folder for each in job.reads if isinstance(each, Model)}
        places = [each for each in job.reads if not isinstance(each, Model)]
        here = [place for place in (*places, *models.values()) if place in known or place.exists()]
        for place in here:
            if place not in known:
                known[place] = depot.content(place, model_files(place) if place in models.values() else None)
        return cls(depot.url, _RUN, {place: known[place] for place in here}, models)

    def __call__(self, job: Job, work: Path) -> Done:
        """Do it on this machine; its files are in the store afterwards.

        Raises:
            HaymakerError: what the job raised; or the store cannot be used, or the disk is full.
        """
        depot, base = opened(self.url), _base(self.url)
        run = base / "runs" / self.run
        root, mine = run / "root", run / "shards" / uuid.uuid4().hex
        with _told(base, root):
            with disk_errors(base):
                _hold(base, run)
                for place, content in self.reads.items():
                    _link(_inside(root, place), _copy(depot, base, run, content))
            give({name: _inside(root, folder) for name, folder in self.models.items()})
            try:
                done = perform(replace(job, payload=_moved(job.payload, root)), mine)
                depot.send({facts["sha256"]: done.folder / name for name, facts in done.files.items()})
            finally:
                give({})
                remove(mine)
        return replace(done, folder=work / job.key, sent=True)


def brought(depot: Depot, done: Done, work: Path) -> Done:
    """A shard that was done elsewhere, its files in the folder where it would have been done here.

    Raises:
        EnvironmentProblem: the store cannot be used, or does not have a file as it was.
    """

    def fill(folder: Path) -> Any:
        depot.fetch({folder / name: facts["sha256"] for name, facts in done.files.items()})
        return done.result

    return complete(done.key, work, fill)


def _moved(payload: Mapping[str, Any], root: Path) -> dict[str, Any]:
    return {key: _inside(root, value) if isinstance(value, Path) else value for key, value in payload.items()}


def _inside(root: Path, place: Path) -> Path:
    return root / place.relative_to(place.anchor)


def _base(url: str) -> Path:
    """What this machine keeps of a store."""
    return Path(tempfile.gettempdir(), f"haymaker-{os.getuid()}-{digest(url, size=6).hex()}")


@contextmanager
def _told(base: Path, root: Path) -> Iterator[None]:
    """A mistake names places as they are in the project; what is the machine's fault says whose."""
    try:
        yield
    except HaymakerError as error:
        what, where, fix = (text.replace(str(root), "") for text in (error.what, error.where, error.fix))
        if str(base) in where:
            fix = f"remove {base} there, or give it a TMPDIR with more room"
        if isinstance(error, EnvironmentProblem):
            where = f"node {platform.node()}: {where}".removesuffix(": ")
        raise type(error)(what, where=where, fix=fix) from None


@cache
def _hold(base: Path, run: Path) -> None:
    """Make the folder of this run, until this process ends. Those that no process holds are of ended runs, and go; so do old copies."""
    base.mkdir(mode=0o700, exist_ok=True)
    if base.stat().st_uid != os.getuid():
        raise EnvironmentProblem("belongs to somebody else", where=str(base))
    with _alone(base / "lock"):
        run.mkdir(parents=True, exist_ok=True)
        fcntl.flock(_handle(run / "held"), fcntl.LOCK_SH)  # left open
        for other in run.parent.iterdir():
            handle = _handle(other / "held")
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(other)
            except BlockingIOError:
                pass
            finally:
                os.close(handle)
        for place in base.glob("kept/*"):
            if time.time() - place.stat().st_mtime > _UNUSED_S:
                remove(place.rename(run / f"{place.name}.old"))  # at once: another process may look for it


def _copy(depot: Depot, base: Path, run: Path, content: Content) -> Path:
    """This machine's copy of a file or folder; of several processes one fetches it."""
    kept = base / "kept" / content.sha256
    if not _asked_for(kept):
        kept.parent.mkdir(exist_ok=True)
        with _alone(base / f"{content.sha256}.lock"):
            if not _asked_for(kept):
                coming = run / f"{content.sha256}.tmp"
                remove(coming)  # of a process that was killed
                depot.fetch_content(content, coming)
                coming.rename(kept)
    return kept


def _asked_for(kept: Path) -> bool:
    """Note that a copy is in use; whether it is there: a new run may be removing what was old."""
    try:
        os.utime(kept)
    except FileNotFoundError:
        return False
    return True


def _link(name: Path, kept: Path) -> None:
    if not name.is_symlink() or name.readlink() != kept:
        name.parent.mkdir(parents=True, exist_ok=True)
        temporary = name.with_name(f".{name.name}.{uuid.uuid4().hex}")
        temporary.symlink_to(kept)
        temporary.replace(name)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait for the lock of a file: others fetch what we want."""
    handle = _handle(lock)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _handle(lock: Path) -> int:
    return os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
