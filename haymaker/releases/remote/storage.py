"""Put, read and list files in an object store or on a disk by fsspec address; each failure becomes one line.

The libraries read credentials and servers from the environment; addresses contain neither.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from haymaker.core.errors import EnvironmentProblem, HaymakerError
from haymaker.core.extras import install_command
from haymaker.core.files.addresses import error_summary, without_secrets

_AT_A_TIME = 8  # parallel transfers: a library buffers 100 MB of each
_BLOCK_BYTES = 8 << 20
_COMING = re.compile(r".+\.[0-9a-f]{32}\.tmp")  # an incomplete file on a disk
_PACKAGES = {"s3": ".[s3]", "s3a": ".[s3]"}


@dataclass
class Storage:
    """A folder of an object store; file names are relative to it.

    Attributes:
        url: any fsspec address, such as s3://BUCKET/PATH.
        fix: next step for errors.
    """

    url: str
    fix: str = "check address, credentials and network, then run again"

    @property
    def where(self) -> str:
        """Return the address for error messages."""
        return without_secrets(self.url)

    def sizes(self, below: str = "") -> dict[str, int]:
        """Return name -> current size of all files, or of those below a folder.

        Raises:
            EnvironmentProblem: the storage cannot be used.
        """
        return {name: size for name, size in self._found(below).items() if not _COMING.fullmatch(name)}

    def sweep(self, below: str) -> None:
        """Remove incomplete files of stopped attempts below a folder."""
        self.remove([name for name in self._found(below) if _COMING.fullmatch(name)])

    def put(self, files: Mapping[str, Path]) -> None:
        """Upload files (name -> file); each appears only when complete.

        Raises:
            EnvironmentProblem: the storage cannot be used.
        """
        if not files:
            return
        with self._answering():
            system, _ = self._opened
            finals = [self._path(name) for name in files]
            names = [f"{final}.{uuid.uuid4().hex}.tmp" if self._is_disk else final for final in finals]
            if self._is_disk:  # object stores publish files atomically and need no folders
                for folder in {final.rpartition("/")[0] for final in finals}:
                    system.makedirs(folder, exist_ok=True)
            system.put([str(path) for path in files.values()], names, batch_size=_AT_A_TIME)
            for name, final in zip(names, finals, strict=True):
                if self._is_disk:
                    system.mv(name, final)

    def create(self, name: str, path: Path) -> None:
        """Upload one small new file.

        Raises:
            EnvironmentProblem: the file exists, or the storage cannot be used.
        """
        with self._answering():
            system, _ = self._opened
            if self._is_disk and not system.exists(self._path(name)):
                self.put({name: path})
            else:
                system.pipe_file(self._path(name), path.read_bytes(), mode="create")

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a file in blocks of some megabytes.

        Raises:
            EnvironmentProblem: the storage cannot be used.
        """
        with self._answering(), self._opened[0].open(self._path(name), "rb", block_size=_BLOCK_BYTES) as file:
            while block := file.read(_BLOCK_BYTES):
                yield block

    def read(self, name: str) -> bytes:
        """Return the bytes of a small file."""
        return b"".join(self.blocks(name))

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Read files and return name -> hex SHA-256."""
        names = list(names)
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            return dict(zip(names, pool.map(self._hash, names), strict=True))

    def remove(self, names: Sequence[str]) -> None:
        """Remove files."""
        with self._answering():
            for name in names:
                self._opened[0].rm_file(self._path(name))

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Convert library errors to one line."""
        try:
            yield
        except HaymakerError:
            raise
        except ImportError as error:
            scheme = self.url.partition("://")[0]
            what = f"{scheme} addresses need a package that is not here ({error_summary(error)})"
            raise EnvironmentProblem(
                what, where=self.where, fix=install_command(_PACKAGES.get(scheme, "PACKAGE"))
            ) from None
        except Exception as error:
            gone = " (no such bucket, or a file was removed there)" if isinstance(error, FileNotFoundError) else ""
            raise EnvironmentProblem(
                f"cannot be used: {error_summary(error)}{gone}", where=self.where, fix=self.fix
            ) from None

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """Return the file system and the path of the folder."""
        import fsspec

        system, path = fsspec.core.url_to_fs(self.url)
        return system, path.rstrip("/")

    @cached_property
    def _is_disk(self) -> bool:
        protocol = self._opened[0].protocol
        return "file" in (protocol, *protocol)

    def _path(self, name: str) -> str:
        return f"{self._opened[1]}/{name}"

    def _found(self, below: str) -> dict[str, int]:
        with self._answering():
            system, base = self._opened
            system.invalidate_cache()  # other processes may have written
            found = system.find(self._path(below) if below else base, detail=True)
            return {name.removeprefix(f"{base}/"): int(facts["size"]) for name, facts in found.items()}

    def _hash(self, name: str) -> str:
        found = hashlib.sha256()
        for block in self.blocks(name):
            found.update(block)
        return found.hexdigest()
