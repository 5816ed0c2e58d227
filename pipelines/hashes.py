"""MD5 of files and folders, as DVC names them: what is on disk, what its cache holds."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.lockfile import Output
from pipelines.project import Project


@dataclass
class Looked:
    """MD5 of the files that were looked at, good as long as inode, size and time stay: one process, moments apart."""

    root: Path
    _known: dict[Path, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def md5(self, path: Path) -> str:
        """Hex MD5; empty when there is no such file."""
        try:
            stat = path.stat()
            mark = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
            known = self._known.get(path)
            if known is None or known[0] != mark:
                with path.open("rb") as file:
                    known = (mark, hashlib.file_digest(file, "md5").hexdigest())
                self._known[path] = known
            return known[1]
        except OSError:
            return ""

    def listing(self, output: Output) -> dict[str, str]:
        """Name below the output -> MD5; a plain file has the name ""."""
        place = self.root / output.path
        if not output.is_folder:
            return {"": self.md5(place)} if place.is_file() else {}
        files = sorted(path for path in place.rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): self.md5(path) for path in files}

    def holds(self, output: Output) -> bool:
        """Whether the output has the bytes that were recorded."""
        files = self.listing(output)
        size = sum((self.root / output.path / name).stat().st_size for name in files)
        md5 = _folder_md5(files) if output.is_folder else files.get("", "")
        return (md5, size) == (output.md5, output.size)

    def warm(self, outputs: Iterable[Output]) -> None:
        """Hash all files, as many at a time as there are processors."""
        places = [self.root / output.path for output in outputs]
        files = [path for place in places for path in (place, *place.rglob("*")) if path.is_file()]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(self.md5, files))


def _folder_md5(files: dict[str, str]) -> str:
    """DVC's name for a folder: the MD5 of its listing."""
    entries = [{"md5": md5, "relpath": name} for name, md5 in sorted(files.items())]
    return hashlib.md5(json.dumps(entries, sort_keys=True).encode(), usedforsecurity=False).hexdigest() + ".dir"


def listed(output: Output, cache: Path) -> dict[str, str] | None:
    """What is recorded of each file: for a folder, DVC's listing, unless it is gone or damaged."""
    if not output.is_folder:
        return {"": output.md5}
    try:
        raw = cached(cache, output.md5).read_bytes()
    except OSError:
        return None
    if hashlib.md5(raw, usedforsecurity=False).hexdigest() + ".dir" != output.md5:
        return None
    return {entry["relpath"]: entry["md5"] for entry in json.loads(raw)}


def cache_folder(project: Project) -> Path:
    """Folder of DVC's cached files, wherever its configuration puts it."""
    from dvc.config import Config

    place = Config(str(project.root / ".dvc"), validate=False).get("cache", {}).get("dir") or ".dvc/cache"
    return project.root / place / "files" / "md5"


def runs_folder(project: Project) -> Path:
    """Folder of DVC's list of earlier runs: <two digits>/<what it read>/<what it made>."""
    return cache_folder(project).parent.parent / "runs"


def cached(cache: Path, md5: str) -> Path:
    """Where DVC's cache keeps a file."""
    return cache / md5[:2] / md5[2:]
