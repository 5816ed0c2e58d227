"""Files of a published release into a folder: each is compared with its SHA-256 before it gets its name, so that what lies there is right."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.core.errors import EnvironmentProblem, HubError
from haymaker.core.files.disk import disk_errors, sha256_file
from haymaker.core.progress import Progress, compact
from haymaker.releases.pulled.ref import Reference
from haymaker.releases.remote.backend import Backend

_AT_ONCE = 8  # as many as huggingface_hub's own snapshot_download
_SPARE_BYTES = 16 << 20  # of the disk, for texts and folders
_AGAIN = "the same command goes on from where it stopped"


@dataclass(frozen=True, slots=True)
class ReleaseDownload:
    """Files of one version of a release.

    Attributes:
        place: where it is published.
        reference: the release, its version known.
        revision: of the place.
        stage: folder in which files wait until they are known to be right.
    """

    place: Backend
    reference: Reference
    revision: str
    stage: Path

    def text(self, name: str) -> Path:
        """A file that the manifest knows nothing of, in the stage."""
        return self.place.bring(name, self.revision, self.stage, threading.Event())

    def rows(self, folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
        """Bring files into a folder, several at once; one that fails stops the others.

        Args:
            folder: of the release.
            files: name -> `sha256` and `bytes`, as its manifest lists them.

        Raises:
            HubError: refused, not there, out of reach, or other bytes than the manifest says.
            EnvironmentProblem: the disk is full or may not be written.
        """
        total, stop = sum(int(facts["bytes"]) for facts in files.values()), threading.Event()
        check_disk_space(folder, total)
        with Progress("pull", total=total, shards=len(files), unit="B", parts="files") as bar, _workers(stop) as pool:
            jobs = {pool.submit(self._bring, folder, name, facts, stop): facts for name, facts in files.items()}
            for job in as_completed(jobs):
                job.result()
                bar.advance(int(jobs[job]["bytes"]))

    def _bring(self, folder: Path, name: str, facts: Mapping[str, Any], stop: threading.Event) -> None:
        found = self.place.bring(name, self.revision, self.stage, stop)
        sha256 = sha256_file(found)
        if sha256 != facts["sha256"]:
            found.unlink()
            what = f"{self.place.title} sent other bytes than the manifest says (SHA-256 {sha256[:12]}, not {str(facts['sha256'])[:12]})"
            raise HubError(what, where=f"{self.reference}/{name}", fix=f"{_AGAIN}; if it stays, tell who published it")
        with disk_errors(folder / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            found.replace(folder / name)


def check_disk_space(folder: Path, size: int) -> None:
    """The disk has room for that many bytes.

    Raises:
        EnvironmentProblem: it has not.
    """
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    free = shutil.disk_usage(there).free
    if size and free < size + _SPARE_BYTES:
        raise EnvironmentProblem(
            f"{compact(size)}B are to come and {compact(free)}B are free",
            where=str(folder),
            fix="free space, ask for less (--tasks, --buckets), or name another folder by --into",
        )


@contextmanager
def _workers(stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield pool
    finally:
        stop.set()  # where all is well, nothing is left to stop
        pool.shutdown(cancel_futures=True)
