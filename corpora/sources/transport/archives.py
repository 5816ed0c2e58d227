"""Unpack zip and tar files from untrusted sources; names, kinds, sizes and checksums of all members are checked."""

from __future__ import annotations

import errno
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from haymaker.core.errors import SourceError
from haymaker.core.files.disk import disk_errors, temporary_name

_INVALID = (None, errno.EINVAL, errno.ENAMETOOLONG)  # impossible offsets and names; None: errors of bz2 and gzip


@dataclass(frozen=True, slots=True)
class _Member:
    """One member of an archive; `extract` writes at most `size` bytes, or fails."""

    name: str
    size: int
    is_folder: bool
    is_special: bool
    extract: Callable[[], object]


def extract(archive: Path, target: Path, *, max_bytes: int, max_files: int) -> None:
    """Unpack a zip file or a tar file with any compression; `target` is replaced as a whole, or not at all.

    Raises:
        SourceError: the file is no archive, damaged, encrypted or too large, or a member could write elsewhere.
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
    size, name = 0, ""
    try:
        for number, member in enumerate(_members(archive, folder), 1):
            name, size = member.name, size + max(0, member.size)
            problem = _problem(member, files, folders)
            if size > max_bytes or number > max_files:
                problem = f"exceeds the limit of {max_bytes:,} bytes or {max_files:,} members"
            if problem:
                raise SourceError(
                    f"member {name!r:.120} {problem}, so the archive was not unpacked", where=archive.name
                )
            member.extract()
    except SourceError:
        raise
    except Exception as error:  # the libraries raise many classes for damaged files
        if isinstance(error, OSError) and error.errno not in _INVALID:
            raise
        where = f"{archive.name}: {name}" if name else archive.name
        what = f"damaged or cut short ({error or type(error).__name__})"
        raise SourceError(what, where=where, fix=f"remove {archive.name} and download it again") from None


def _members(archive: Path, folder: Path) -> Iterator[_Member]:
    """List the members. Both libraries extract at most the declared size, and zip files with a wrong checksum fail."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0
                is_special = kind not in (0, stat.S_IFREG, stat.S_IFDIR)
                unzip = partial(zipped.extract, info, folder)
                yield _Member(info.orig_filename, info.file_size, info.is_dir(), is_special, unzip)
        return
    if not tarfile.is_tarfile(archive):
        raise tarfile.ReadError("not a zip or tar archive")
    with tarfile.open(archive) as tar:
        for entry in tar:
            is_special = not entry.isdir() and (not entry.isreg() or entry.issparse())
            untar: partial[None] = partial(tar.extract, entry, folder, filter="data")
            yield _Member(entry.name, entry.size, entry.isdir(), is_special, untar)


def _problem(member: _Member, files: set[PurePosixPath], folders: set[PurePosixPath]) -> str:
    """Return why a member must not be unpacked, or an empty string; add its path to those of the earlier members."""
    path, name = PurePosixPath(member.name), member.name
    if member.is_special:
        return "is a link, a device or another special entry"
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or name[1:2] == ":":
        return "has a path outside the folder"
    is_known = path in files or (path in folders and not member.is_folder)
    if is_known or any(parent in files for parent in path.parents):
        return "appears twice"
    if not path.parts and not member.is_folder:
        return "has no name"
    if not member.is_folder:
        files.add(path)
    folders.update(path.parents)
    return ""
