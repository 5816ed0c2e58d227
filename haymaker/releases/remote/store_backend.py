"""Backend for a folder in an object store or on a disk, by fsspec address: one subfolder per version.

A version has the unchanged files of the release folder; its manifest is written last and never overwritten. The
libraries read credentials and servers from the environment; addresses contain neither.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from haymaker.core.errors import EnvironmentProblem, HaymakerError, ParamsError
from haymaker.core.extras import install_command
from haymaker.core.files.addresses import error_summary, without_secrets
from haymaker.core.progress import megabytes, say
from haymaker.releases.manifest import MANIFEST
from haymaker.releases.pulled.ref import newest, tag, version_of
from haymaker.releases.remote.backend import Backend, RemoteFile, RemoteState

_PARALLEL = 8
_ANNOUNCED_BYTES = 100_000_000  # reading more is announced
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_PACKAGES = {"s3": ".[s3]", "s3a": ".[s3]"}
_DRAFT = f"{MANIFEST}.tmp"


@dataclass
class StoreBackend(Backend):
    """Backend for stores; a revision is a version."""

    last: ClassVar[frozenset[str]] = frozenset({MANIFEST})

    def __post_init__(self) -> None:
        self._is_disk = self.address.startswith(("file:", "local:"))
        with self._errors():
            import fsspec

            options = {"auto_mkdir": True} if self._is_disk else {}
            self._system, base = fsspec.core.url_to_fs(self.address, **options)
        self._base: str = base.rstrip("/")

    def versions(self) -> dict[str, str]:
        """See Backend."""
        return _versions(self._sizes())

    def download(self, names: Collection[str], revision: str, folder: Path) -> None:
        """See Backend."""
        here = sorted(self._files(revision).keys() & set(names))
        targets = [folder / name for name in here]
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
        with self._errors(folder):
            self._system.get(
                [self._path(revision, name) for name in here], list(map(str, targets)), **_transfer("download")
            )

    def check_writer(self) -> None:
        """See Backend."""
        if self.public:
            raise ParamsError("access to a store is set in its bucket", where="--public", fix="omit this option")

    def read_state(self, version: str) -> RemoteState:
        """See Backend."""
        sizes = self._sizes()
        versions = _versions(sizes)
        files = self.listing(version) if any(name.startswith(f"{version}/") for name in sizes) else {}
        foreign = {f"../{name}": RemoteFile(size, "") for name, size in sizes.items() if not _version_folder(name)}
        latest = newest(versions)
        return RemoteState(
            exists=bool(sizes),
            head=version,
            used=sum(sizes.values()),
            versions=versions,
            files=files | foreign,
            tagged=files if version in versions else None,
            manifest=self.manifest(latest, latest) if latest else {},
        )

    def listing(self, revision: str) -> dict[str, RemoteFile]:
        """See Backend; reads the files that a published manifest does not list."""
        sizes = self._files(revision)
        listed = self.manifest(revision, revision)["files"] if MANIFEST in sizes else {}
        unknown = [name for name in sizes if name not in listed]
        if (total := sum(sizes[name] for name in unknown)) > _ANNOUNCED_BYTES:
            say(f"reading {len(unknown):,} files of {self._where}, {megabytes(total)}")
        with ThreadPoolExecutor(_PARALLEL) as pool:
            hashes = dict(zip(unknown, pool.map(lambda name: self._sha256(revision, name), unknown), strict=True))
        return {name: RemoteFile(size, hashes.get(name) or listed[name]["sha256"]) for name, size in sizes.items()}

    def upload(self, folder: Path, names: Sequence[str], removed: Sequence[str], title: str, revision: str) -> str:
        """See Backend."""
        with self._errors():
            self._system.put(
                [str(folder / name) for name in names],
                [self._path(revision, name) for name in names],
                **_transfer("publish"),
            )
            for name in removed:
                self._system.rm_file(self._path(revision, name))
        return revision

    def mark_version(self, folder: Path, version: str, revision: str) -> None:
        """See Backend; writes the manifest, and fails if there is one."""
        final, draft = self._path(revision, MANIFEST), self._path(revision, _DRAFT)
        with self._errors():
            if not self._is_disk:  # stores write files as a whole
                self._system.pipe_file(final, (folder / MANIFEST).read_bytes(), mode="create")
            elif self._system.exists(final):
                raise FileExistsError(MANIFEST)
            else:
                self._system.put_file(str(folder / MANIFEST), draft)
                self._system.mv(draft, final)

    @property
    def _where(self) -> str:
        """The address for error messages."""
        return without_secrets(self.address)

    def _path(self, version: str, name: str = "") -> str:
        return "/".join(part for part in (self._base, version, name) if part)

    def _sizes(self, version: str = "") -> dict[str, int]:
        """Return name -> current size of all files of the store, or of a version; names are relative to the store."""
        with self._errors():
            self._system.invalidate_cache()  # other processes may have written
            found = self._system.find(self._path(version), detail=True)
        start = f"{self._base}/"
        return {
            path.removeprefix(start): int(facts["size"])
            for path, facts in found.items()
            if not path.endswith(f"/{_DRAFT}")
        }

    def _files(self, version: str) -> dict[str, int]:
        """Return name -> size of the files of a version."""
        return {name.removeprefix(f"{version}/"): size for name, size in self._sizes(version).items()}

    def _sha256(self, version: str, name: str) -> str:
        with self._errors(), self._system.open(self._path(version, name), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @contextmanager
    def _errors(self, folder: Path | None = None) -> Iterator[None]:
        """Convert library errors to one line; `folder` is the local folder of a download."""
        try:
            yield
        except HaymakerError:
            raise
        except ImportError as error:
            scheme = self.address.partition("://")[0]
            what = f"{scheme} addresses need a package that is not installed ({error_summary(error)})"
            fix = install_command(_PACKAGES.get(scheme, "PACKAGE"))
            raise EnvironmentProblem(what, where=self._where, fix=fix) from None
        except Exception as error:
            again = "then run the same command again to resume"
            if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
                what, fix = os.strerror(error.errno), f"check the disk, {again}"
                raise EnvironmentProblem(what, where=str(folder or self._where), fix=fix) from None
            note = " (no such bucket, or a file was removed there)" if isinstance(error, FileNotFoundError) else ""
            what, fix = (
                f"cannot be used: {error_summary(error)}{note}",
                f"check address, credentials and network, {again}",
            )
            raise EnvironmentProblem(what, where=self._where, fix=fix) from None


def _transfer(title: str) -> dict[str, Any]:
    """Return options of `put` and `get`: parallel transfers, and a progress bar on terminals."""
    from fsspec.callbacks import TqdmCallback

    bar = TqdmCallback(tqdm_kwargs={"desc": title, "unit": "file", "disable": None, "leave": False})
    return {"batch_size": _PARALLEL, "callback": bar}


def _version_folder(name: str) -> str:
    """Return the version of a file by its folder, or an empty string."""
    first, slash, _ = name.partition("/")
    return version_of(tag(first)) if slash else ""


def _versions(names: Collection[str]) -> dict[str, str]:
    """Return version -> version for all versions with a manifest."""
    found = [version for name in names if (version := _version_folder(name)) and name == f"{version}/{MANIFEST}"]
    return {version: version for version in found}
