"""Where pulled releases lie, and what is known of those that were published from here."""

from __future__ import annotations

import os
from pathlib import Path

from haymaker.places import expanded
from pipelines.hub.reference import Reference

HOME_VARIABLE = "HAYMAKER_HOME"


def pulled_folder(reference: Reference) -> Path:
    """Folder of a pulled release: the same from every current folder."""
    assert reference.version
    return releases_folder() / reference.repo / reference.version


def work_folder() -> Path:
    """Where publishing works and keeps its record: in the project of the current folder, else beside pulled releases."""
    return Path("data/work") if Path("dvc.yaml").is_file() else releases_folder().parent / "work"


def releases_folder() -> Path:
    """What holds all pulled releases, ORG/NAME/VERSION: below HAYMAKER_HOME, else below the user's cache folder."""
    home = os.environ.get(HOME_VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return expanded(home or f"{cache}/haymaker") / "releases"
