"""Download of release files; a file gets its final name only after its SHA-256 matches."""

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

_AT_ONCE = 8  # same as in huggingface_hub.snapshot_download
_SPARE_BYTES = 16 << 20  # disk reserve for texts and folders
_AGAIN = "the same command goes on from where it stopped"


@dataclass(frozen=True, slots=True)
class ReleaseDownload:
    """Download of one version of a release.

    Attributes:
        place: backend of the release.
        reference: release with a known version.
        revision: revision of the backend.
        stage: folder for files that are not verified yet.
    """

    place: Backend
    reference: Reference
    revision: str
    stage: Path

    def text(self, name: str) -> Path:
        """Download a file that the manifest does not list to the stage."""
        return self.place.download(name, self.revision, self.stage, threading.Event())

    def rows(self, folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
        """Download files in parallel; a failed file stops the others.

        Args:
            folder: release folder.
            files: name -> `sha256` and `bytes` from the manifest.

        Raises:
            HubError: the download is refused, missing or unreachable, or differs from the manifest.
            EnvironmentProblem: the disk is full or not writable.
        """
        total, stop = sum(int(facts["bytes"]) for facts in files.values()), threading.Event()
        check_disk_space(folder, total)
        with Progress("pull", total=total, shards=len(files), unit="B", parts="files") as bar, _workers(stop) as pool:
            jobs = {pool.submit(self._bring, folder, name, facts, stop): facts for name, facts in files.items()}
            for job in as_completed(jobs):
                job.result()
                bar.advance(int(jobs[job]["bytes"]))

    def _bring(self, folder: Path, name: str, facts: Mapping[str, Any], stop: threading.Event) -> None:
        found = self.place.download(name, self.revision, self.stage, stop)
        sha256 = sha256_file(found)
        if sha256 != facts["sha256"]:
            found.unlink()
            what = f"{self.place.title} sent other bytes than the manifest says (SHA-256 {sha256[:12]}, not {str(facts['sha256'])[:12]})"
            raise HubError(what, where=f"{self.reference}/{name}", fix=f"{_AGAIN}; if it stays, tell who published it")
        with disk_errors(folder / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            found.replace(folder / name)


def check_disk_space(folder: Path, size: int) -> None:
    """Check that the disk has enough free space.

    Raises:
        EnvironmentProblem: there is not enough free space.
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
        stop.set()  # no effect after success
        pool.shutdown(cancel_futures=True)
