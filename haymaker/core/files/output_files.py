"""Files that a command writes where a person says: nothing is replaced that was not written for the same purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path

from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.core.files.disk import disk_errors, first_bytes
from haymaker.core.files.json_lines import json_lines

_OURS = b"{\n"  # what files of `write_json` begin with; a line of outputs does not, so that gigabytes are never read as one object


def check_output_folder(path: Path) -> None:
    """What is to be a folder is one, or can be made.

    Raises:
        ReleaseError: it is a file, or there is no folder to make it in.
    """
    if not path.parent.is_dir():
        raise ReleaseError("is no folder", where=str(path.parent), fix="make it, or name another --out")
    if path.exists() and not path.is_dir():
        raise ReleaseError(
            "is no folder, and files are to be written into it", where=str(path), fix="name another --out"
        )


def check_output_path(path: Path | None, option: str) -> None:
    """Before anything is computed: a file can be written there.

    Args:
        path: to write; None: not wanted.
        option: by which a person names it.

    Raises:
        ReleaseError: its folder is not there, or it is no plain file.
    """
    if path is None:
        return
    if not path.parent.is_dir():
        raise ReleaseError("is no folder", where=str(path.parent), fix=f"make it, or name another {option}")
    if path.exists() and not path.is_file():
        what = "is a folder, and a file is to be written" if path.is_dir() else "is no plain file"
        raise ReleaseError(what, where=str(path), fix=f"name a file by {option}")


def check_replaceable(path: Path | None, option: str, what: str, is_ours: Callable[[Path], bool]) -> None:
    """The same, and what is there already, if it holds anything, was written for this purpose.

    Args:
        path: as above.
        option: as above.
        what: such a file is, in words.
        is_ours: whether a file that is not empty is one.

    Raises:
        ReleaseError: as above, or it holds something else.
    """
    check_output_path(path, option)
    if path is None or not path.exists():
        return
    with disk_errors(path):
        if path.stat().st_size and not is_ours(path):
            raise would_replace(f"is no {what}", str(path), option)


def would_replace(what: str, where: str, option: str) -> ReleaseError:
    """Something else is in the place of what is to be written."""
    return ReleaseError(f"{what} and would be replaced", where=where, fix=f"name another {option}")


def starts_with(start: bytes) -> Callable[[Path], bool]:
    """Files that begin so."""
    return lambda path: first_bytes(path, len(start)) == start


def first_line_has(keys: Collection[str]) -> Callable[[Path], bool]:
    """Files of JSON lines of which the first has these keys."""

    def check(path: Path) -> bool:
        try:
            return set(keys) <= next(iter(json_lines(path)))[1].keys()
        except HaymakerError:
            return False

    return check


def is_object_with(keys: Collection[str], form: str = "") -> Callable[[Path], bool]:
    """Files of one JSON object, as `write_json` writes it, with these keys, and `format` where one is given."""

    def check(path: Path) -> bool:
        if first_bytes(path, len(_OURS)) != _OURS:
            return False
        try:
            found = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            return False
        return isinstance(found, dict) and set(keys) <= found.keys() and (not form or found.get("format") == form)

    return check
