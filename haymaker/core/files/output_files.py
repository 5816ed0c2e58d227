"""Output paths given by the user; a file is replaced only if it was written for the same purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path

from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.core.files.disk import disk_errors, first_bytes
from haymaker.core.files.json_lines import json_lines
from haymaker.core.files.json_output import STANDARD_OUTPUT

_OURS = b"{\n"  # start of files by `write_json`; model outputs start differently, so large ones are never parsed whole


def check_output_folder(path: Path) -> None:
    """Check that an output folder exists or can be created.

    Raises:
        ReleaseError: the path is a file, or its parent folder is missing.
    """
    if not path.parent.is_dir():
        raise ReleaseError(
            "is not an existing folder", where=str(path.parent), fix="create it, or choose another --out"
        )
    if path.exists() and not path.is_dir():
        raise ReleaseError("is not a folder, but the output is a folder", where=str(path), fix="choose another --out")


def check_output_path(path: Path | None, option: str) -> None:
    """Check that an output file can be written, before any work starts.

    Args:
        path: output path, or `-` for standard output; None: no output requested.
        option: command-line option of the path.

    Raises:
        ReleaseError: its folder is missing, or the path is not a regular file.
    """
    if path is None or path == STANDARD_OUTPUT:
        return
    if not path.parent.is_dir():
        raise ReleaseError(
            "is not an existing folder", where=str(path.parent), fix=f"create it, or choose another {option}"
        )
    if path.exists() and not path.is_file():
        what = "is a folder, but the output is a file" if path.is_dir() else "is not a regular file"
        raise ReleaseError(what, where=str(path), fix=f"give a file as {option}")


def check_replaceable(path: Path | None, option: str, what: str, is_ours: Callable[[Path], bool]) -> None:
    """Check that a file can be written and that an existing non-empty file was written for the same purpose.

    Args:
        path: output path; None: no output requested.
        option: command-line option of the path.
        what: description of such a file.
        is_ours: function that checks whether a non-empty file has this purpose.

    Raises:
        ReleaseError: as for `check_output_path`, or the file has other content.
    """
    check_output_path(path, option)
    if path is None or path == STANDARD_OUTPUT or not path.exists():
        return
    with disk_errors(path):
        if path.stat().st_size and not is_ours(path):
            raise would_replace(f"is not a {what}", str(path), option)


def would_replace(what: str, where: str, option: str) -> ReleaseError:
    """Return the error for an output path with other content."""
    return ReleaseError(f"{what} and would be overwritten", where=where, fix=f"choose another {option}")


def starts_with(start: bytes) -> Callable[[Path], bool]:
    """Return a check for files with these first bytes."""
    return lambda path: first_bytes(path, len(start)) == start


def first_line_has(keys: Collection[str]) -> Callable[[Path], bool]:
    """Return a check for JSON Lines files whose first object has these keys."""

    def check(path: Path) -> bool:
        try:
            return set(keys) <= next(iter(json_lines(path)))[1].keys()
        except HaymakerError:
            return False

    return check


def is_object_with(keys: Collection[str], form: str = "") -> Callable[[Path], bool]:
    """Return a check for JSON files by `write_json` with these keys and, if given, this `format`."""

    def check(path: Path) -> bool:
        if first_bytes(path, len(_OURS)) != _OURS:
            return False
        try:
            found = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            return False
        return isinstance(found, dict) and set(keys) <= found.keys() and (not form or found.get("format") == form)

    return check
