"""A note in place of what cannot be had: a folder that holds nothing but the file MISSING.json, which says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from corpora.sources.transport.staging import without_places
from haymaker.core.errors import UnavailableError
from haymaker.core.files.disk import disk_errors, remove, temporary_name, write_json
from haymaker.core.text.strings import visible

MARK = "MISSING.json"
WHY = "unavailable"
_SETTING = "HAYMAKER_MIRROR"  # where a person looks, not what is missing


def reason(error: UnavailableError) -> str:
    """An error as one line that is the same on every machine: no absolute path, no control characters."""
    place = "" if error.where == _SETTING else without_places(error.where)
    return visible(" ".join(f"{error.what} ({place})".split()).removesuffix(" ()"))


def note(place: Path, why: str, **facts: Any) -> None:
    """Put the note where a file or folder of data would be; it is whole, or what was there stays.

    Raises:
        EnvironmentProblem: the disk refuses it.
    """
    stage = temporary_name(place)
    with disk_errors(place):
        remove(stage)
        stage.mkdir(parents=True)
        write_json(stage / MARK, {**facts, WHY: why})
        remove(place)
        stage.replace(place)


def noted(place: Path) -> dict[str, Any]:
    """What the note says; nothing where there is none, or a damaged one: what looks at every byte names it."""
    try:
        found = json.loads((place / MARK).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get(WHY), str) else {}
