"""Unpacking zip and tar without trusting them: every name, kind, size and checksum is looked at."""

from __future__ import annotations

import errno
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from haymaker.core.errors import SourceError
from haymaker.core.files.disk import disk_errors, temporary_name

_CHUNK_BYTES = 1 << 20
_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error,
    EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, ArithmeticError,
)  # fmt: skip


_ODD = (None, errno.EINVAL, errno.ENAMETOOLONG)  # places and names that no file can have; bz2's and gzip's own words


@dataclass(frozen=True, slots=True)
class _Member:
    """One entry: `problem` says why it must not be unpacked, `size` is what the archive declares, in bytes."""

    name: str
    size: int
    folder: bool
    problem: str
    open: Callable[[], IO[bytes]]


def extract(archive: Path, target: Path, *, max_bytes: int, max_files: int) -> None:
    """Unpack a zip, tar or tar.gz; `target` appears whole or not at all.

    Args:
        archive: the file.
        target: folder to make; an older one is replaced.
        max_bytes: most bytes of all members together, declared and real.
        max_files: most members.

    Raises:
        SourceError: not an archive, damaged, encrypted, too large, or with a member that could write elsewhere.
    """
    temporary = temporary_name(target)
    with disk_errors(target):
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        try:
            _unpack(archive, temporary, max_bytes, max_files)
            shutil.rmtree(target, ignore_errors=True)
            temporary.replace(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _unpack(archive: Path, folder: Path, max_bytes: int, max_files: int) -> None:
    files: set[PurePosixPath] = set()
    folders: set[PurePosixPath] = set()
    declared = real = count = 0
    at = ""
    try:
        for member in _members(archive):
            at = member.name
            count, declared = count + 1, declared + max(0, member.size)
            path = _checked(archive, member, files, folders)
            _limit(archive, at, declared, max_bytes, count, max_files)
            if member.folder:
                (folder / path).mkdir(parents=True, exist_ok=True)
                continue
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            real += _copy(archive, member, folder / path, max_bytes - real)
    except (*_DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _ODD:
            raise
        where = f"{archive.name}: {at}" if at else archive.name
        raise SourceError(
            f"damaged or cut short ({error or type(error).__name__})", where=where, fix=_again(archive)
        ) from None


def _members(archive: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                opener = partial(zipped.open, info)
                yield _Member(info.filename, info.file_size, info.is_dir(), _zip_problem(info), opener)
    elif _is_tar(archive):
        with tarfile.open(archive, "r:*") as tar:
            for entry in tar:
                plain = entry.isdir() or (entry.isreg() and not entry.issparse())
                problem = "" if plain else "is a link, a device or another special entry"
                yield _Member(entry.name, entry.size, entry.isdir(), problem, partial(_tar_open, tar, entry))
    else:
        raise SourceError("not a zip or tar archive, or cut short", where=archive.name, fix=_again(archive))


def _tar_open(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    stream = tar.extractfile(entry)
    assert stream is not None, "only regular files are opened"
    return stream


def _is_tar(archive: Path) -> bool:
    try:
        return tarfile.is_tarfile(archive)
    except (*_DAMAGE, OSError):
        return False


def _zip_problem(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        return "is encrypted"
    if "\0" in info.orig_filename:
        return "has a NUL in its name"
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0
    return "" if kind in (0, stat.S_IFREG, stat.S_IFDIR) else "is a link, a device or another special entry"


def _checked(archive: Path, member: _Member, files: set[PurePosixPath], folders: set[PurePosixPath]) -> PurePosixPath:
    """The member's path, once nothing about it could write outside or over another member."""
    path = PurePosixPath(member.name)
    problem = member.problem
    if (
        path.is_absolute()
        or ".." in path.parts
        or "\\" in member.name
        or "\0" in member.name
        or member.name[1:2] == ":"
    ):
        problem = "has a name that leads outside the folder"
    elif path in files or (not member.folder and path in folders) or any(parent in files for parent in path.parents):
        problem = "appears twice"
    elif not path.parts and not member.folder:
        problem = "has no name"
    if problem:
        raise SourceError(f"member {member.name!r:.120} {problem}; nothing was unpacked", where=archive.name)
    if not member.folder:
        files.add(path)
    folders.update(path.parents)
    return path


def _limit(archive: Path, name: str, size: int, max_bytes: int, count: int, max_files: int) -> None:
    if size > max_bytes:
        raise SourceError(
            f"unpacks to more than {max_bytes:,} bytes (at {name!r:.120}); nothing was kept", where=archive.name
        )
    if count > max_files:
        raise SourceError(
            f"holds more than {max_files:,} members (at {name!r:.120}); nothing was kept", where=archive.name
        )


def _copy(archive: Path, member: _Member, path: Path, room: int) -> int:
    """Write one member; returns its real size in bytes."""
    size = 0
    with member.open() as source, path.open("xb") as out:
        while chunk := source.read(_CHUNK_BYTES):
            size += len(chunk)
            _limit(archive, member.name, size, room, 0, 0)
            out.write(chunk)
    if size != member.size:
        raise SourceError(
            f"damaged: {size:,} bytes, not {member.size:,}", where=f"{archive.name}: {member.name}", fix=_again(archive)
        )
    return size


def _again(archive: Path) -> str:
    return f"remove {archive.name} and download it again"
