"""Local files, copied and hashed in one pass."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import BinaryIO

from corpora.sources.transport.rawfile import FetchContext, FetchedFile, Hashes, RawFile, check, in_bytes
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.disk import disk_errors, temporary_name
from haymaker.core.files.paths import open_plain

_CHUNK_BYTES = 1 << 20
_WORTH_A_LINE_BYTES = 1 << 30
_FIX = "check the path in the parameters"


def copy_file(file: RawFile, place: Path, destination: Path, context: FetchContext) -> FetchedFile:
    """Copy `place` to `destination`, which appears whole; it is not synced to the disk, its folder is as a whole (Source.fetch).

    Raises:
        UnavailableError: missing.
        SourceError: not readable, no plain file, or other bytes than expected.
        EnvironmentProblem: the disk is full.
    """
    hashes, temporary = Hashes(file.md5 is not None), temporary_name(destination)
    with opened(place) as source, disk_errors(destination):
        size = os.fstat(source.fileno()).st_size
        if size > _WORTH_A_LINE_BYTES:
            context.report(f"copying {file.path}: {in_bytes(size)}")
        destination.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as out:
                for chunk in iter(partial(source.read, _CHUNK_BYTES), b""):
                    hashes.update(chunk)
                    out.write(chunk)
            check(file, hashes.found(), file.size_bytes)
            temporary.replace(destination)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    return hashes.found()


def opened(place: Path) -> BinaryIO:
    """A plain file, to read.

    Raises:
        UnavailableError: missing.
        SourceError: not readable, no plain file.
    """
    try:
        return open_plain(place)
    except FileNotFoundError:
        raise UnavailableError("no such file", where=place.name, fix=_FIX) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=place.name, fix=_FIX) from None
