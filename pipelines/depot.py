"""Files in an object storage, each under its SHA-256: what machines that share no folder give each other.

Nothing is removed and nothing is replaced there: who has the name of a file has its bytes, and whoever fetches it looks at them.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from corpora.sources.transport.remote import public
from haymaker.errors import EnvironmentProblem
from haymaker.files import json_text, sha256_file
from pipelines.progress import say
from pipelines.storage import Storage, is_address

STORE_VARIABLE = "HAYMAKER_STORE"
_FILES = "files"
_FIX = "check address, credentials and network of this machine: haymaker doctor"
_TOLD_BYTES = 100_000_000  # of a folder that takes long enough to say so
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


class Content(NamedTuple):
    """A file, or a folder with all it holds, by its bytes: the SHA-256 of the file or of the folder's listing (name -> SHA-256)."""

    sha256: str
    is_folder: bool


@dataclass
class Depot:
    """The place that HAYMAKER_STORE names.

    Attributes:
        url: any address that fsspec knows, such as s3://BUCKET/PATH; credentials are its own environment variables.
    """

    url: str

    def content(self, place: Path, only: Mapping[str, Path] | None = None) -> Content:
        """What is in a file or folder; all of it is in the store afterwards.

        Args:
            place: the file or folder.
            only: files of the folder that are wanted, by name; None: all.

        Raises:
            EnvironmentProblem: the store cannot be used.
        """
        if not place.is_dir():
            sha256 = _sha256(place)
            self._send_new({sha256: place})
            return Content(sha256, is_folder=False)
        every = {path.relative_to(place).as_posix(): path for path in sorted(place.rglob("*")) if path.is_file()}
        files = every if only is None else only
        named = {name: _sha256(path) for name, path in files.items()}
        listing = json_text(named).encode()
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, hashlib.sha256(listing).hexdigest())
            written.write_bytes(listing)
            self._send_new({named[name]: path for name, path in files.items()} | {written.name: written})
        return Content(written.name, is_folder=True)

    def send(self, files: Mapping[str, Path]) -> None:
        """Put files there, each named by its SHA-256.

        Raises:
            EnvironmentProblem: the store cannot be used.
        """
        self._storage.put({_name(sha256): path for sha256, path in files.items()})

    def fetch(self, files: Mapping[Path, str]) -> None:
        """Get files, target -> SHA-256, and look at their bytes.

        Raises:
            EnvironmentProblem: the store cannot be used, or does not have one as it was.
            OSError: the disk here refuses them.
        """
        self._storage.get({target: _name(sha256) for target, sha256 in files.items()}, passing=_DISK)
        for target, sha256 in files.items():
            if sha256_file(target) != sha256:
                what, fix = f"file {sha256} there is damaged", "remove it there, then run again"
                raise EnvironmentProblem(what, where=self._storage.where, fix=fix)
            vars(self).get("_there", {})[sha256] = target.stat().st_size  # not asked for again, where it was

    def fetch_content(self, content: Content, target: Path) -> None:
        """Get a file or folder.

        Raises:
            EnvironmentProblem: as `fetch`.
        """
        if not content.is_folder:
            return self.fetch({target: content.sha256})
        target.mkdir()
        listing = target.with_name(f"{target.name}.listing")
        self.fetch({listing: content.sha256})
        files: dict[str, str] = json.loads(listing.read_bytes())
        listing.unlink()
        return self.fetch({target / name: sha256 for name, sha256 in files.items()})

    def look(self) -> int:
        """How many files are there.

        Raises:
            EnvironmentProblem: the store cannot be used.
        """
        return len(self._there)

    @cached_property
    def _storage(self) -> Storage:
        return Storage(self.url, named=f"{STORE_VARIABLE}=", fix=_FIX)

    @cached_property
    def _there(self) -> dict[str, int]:
        """Name -> bytes of what is in the store; asked once a process."""
        return {name.removeprefix(f"{_FILES}/"): size for name, size in self._storage.sizes(_FILES).items()}

    def _send_new(self, files: Mapping[str, Path]) -> None:
        sizes = {sha256: path.stat().st_size for sha256, path in files.items()}
        new = {sha256: path for sha256, path in files.items() if self._there.get(sha256) != sizes[sha256]}
        if (total := sum(sizes[sha256] for sha256 in new)) > _TOLD_BYTES:
            say(f"sending {len(new):,} files to {public(self.url)}, {total / 1e6:,.0f} MB")
        if new:
            self.send(new)
            self._there.update((sha256, sizes[sha256]) for sha256 in new)


def given() -> Depot | None:
    """The store that the environment names.

    Raises:
        EnvironmentProblem: it is no address.
    """
    url = os.environ.get(STORE_VARIABLE, "")
    if url and not is_address(url):
        raise EnvironmentProblem(
            f"{STORE_VARIABLE}={url!r} is no address", fix="write s3://BUCKET/PATH or file:///PATH"
        )
    return opened(url) if url else None


@cache
def opened(url: str) -> Depot:
    """The store of an address, one a process."""
    return Depot(url)


def _name(sha256: str) -> str:
    return f"{_FILES}/{sha256}"


def _sha256(path: Path) -> str:
    facts = path.stat()
    return _hashed(path, (facts.st_ino, facts.st_size, facts.st_mtime_ns))


@cache
def _hashed(path: Path, mark: tuple[int, int, int]) -> str:
    """A stage's inputs are read again by its next step, and have not changed where time and size have not."""
    return sha256_file(path)
