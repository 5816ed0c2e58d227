"""Where pulled releases lie, and what is known of those that were published from here."""

from __future__ import annotations

import os
from pathlib import Path

from haymaker.core.errors import ReleaseError
from haymaker.core.files.paths import expanded
from haymaker.releases.pulled.partial_pull import read_note
from haymaker.releases.pulled.ref import Reference, is_address, newest, parse_reference, tag, version_of

HOME_VARIABLE = "HAYMAKER_HOME"


def pulled_folder(reference: Reference) -> Path:
    """Folder of a pulled release: the same from every current folder."""
    assert reference.version
    return releases_folder() / reference.repo / reference.version


def work_folder() -> Path:
    """Where publishing works and keeps its record: in the project of the current folder, else beside pulled releases."""
    return Path("data/work") if Path("dvc.yaml").is_file() else releases_folder().parent / "work"


def releases_folder() -> Path:
    """What holds all pulled releases, by address and version: below HAYMAKER_HOME, else below the user's cache folder."""
    home = os.environ.get(HOME_VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return expanded(home or f"{cache}/haymaker") / "releases"


def pulled_release(text: str) -> Path:
    """The folder of a release by the name that it is published under; no network is asked.

    Args:
        text: ORG/NAME or the address of a store, the newest version that was pulled; or that and @VERSION.

    Raises:
        ParamsError: no such name.
        ReleaseError: it was not pulled.
    """
    wanted = parse_reference(text, "--release")
    here = _versions(wanted.repo)
    version = wanted.version or newest(filter(here.get, here))  # one that was only looked at does not count
    if version in here:
        return pulled_folder(Reference(wanted.repo, version))
    there = f"; {', '.join(sorted(here))} is here" if here else ""
    raise ReleaseError(f"not pulled yet{there}", where=str(wanted), fix=f"haymaker pull {wanted}")


def is_reference(text: str) -> bool:
    """Whether a text that names no folder here is to be taken for the name of a published release."""
    if "@" in text or is_address(text):
        return True
    return text.count("/") == 1 and not text.startswith((".", "/", "~")) and not Path(text).parent.is_dir()


def _versions(repo: str) -> dict[str, bool]:
    """Versions whose manifest is here -> whether rows were asked for."""
    found = {path.name: read_note(path) for path in (releases_folder() / repo).glob("*") if version_of(tag(path.name))}
    return {version: bool(what.asked) for version, what in found.items() if what}
