"""Notes for unavailable data: a folder that contains only MISSING.json, with the reason."""

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
_SETTING = "HAYMAKER_MIRROR"  # the setting to check, not the missing file


def reason(error: UnavailableError) -> str:
    """Format an error as one line that is the same on every machine: no absolute path, no control characters."""
    place = "" if error.where == _SETTING else without_places(error.where)
    return visible(" ".join(f"{error.what} ({place})".split()).removesuffix(" ()"))


def note(place: Path, why: str, **facts: Any) -> None:
    """Replace a file or folder of data with a note, atomically."""
    stage = temporary_name(place)
    with disk_errors(place):
        remove(stage)
        stage.mkdir(parents=True)
        write_json(stage / MARK, {**facts, WHY: why})
        remove(place)
        stage.replace(place)


def noted(place: Path) -> dict[str, Any]:
    """Return the content of a note; empty if there is none or it is damaged (`differing` reports damage)."""
    try:
        found = json.loads((place / MARK).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get(WHY), str) else {}
