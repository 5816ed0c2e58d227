"""User-supplied paths: ~ is expanded, and only regular files are opened (pipes and devices could block forever)."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from haymaker.core.errors import ParamsError

_LONGEST_NAME = 255  # bytes


def expanded(text: str) -> Path:
    """Return the path of a parameter, with ~ and ~user expanded.

    Raises:
        ParamsError: the user is unknown, or the text is no valid path.
    """
    if not text or "\0" in text or max(len(os.fsencode(part)) for part in text.split("/")) > _LONGEST_NAME:
        raise ParamsError(f"{text!r:.80} is not a valid path", fix="check the path in the parameters")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        user = text.split("/", maxsplit=1)[0]
        raise ParamsError(
            f"there is no user {user[1:]!r} on this machine", where=text, fix="write the full path"
        ) from None


def file_address(path: Path) -> str:
    """Return the `file:` address of a path, with links resolved."""
    return Path(os.path.realpath(path)).as_uri()


def open_plain(path: Path) -> BinaryIO:
    """Open a regular file for reading; never blocks.

    Raises:
        OSError: the file is missing, unreadable, or a folder, pipe, socket or device.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    raise OSError(errno.EINVAL, "is not a regular file (it is a pipe or a device)", str(path))
