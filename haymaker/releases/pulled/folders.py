"""Folders of pulled releases."""

from __future__ import annotations

import os
from pathlib import Path

from haymaker.core.errors import ReleaseError
from haymaker.core.files.paths import expanded
from haymaker.releases.pulled.partial_pull import read_note
from haymaker.releases.pulled.ref import Reference, is_address, newest, parse_reference, tag, version_of

HOME_VARIABLE = "HAYMAKER_HOME"


def pulled_folder(reference: Reference) -> Path:
    """Return the folder of a pulled release, independent of the current folder."""
    assert reference.version
    return releases_folder() / reference.repo / reference.version


def work_folder() -> Path:
    """Return the work folder of publishing: in the current project, otherwise next to the pulled releases."""
    return Path("data/work") if Path("dvc.yaml").is_file() else releases_folder().parent / "work"


def releases_folder() -> Path:
    """Return the root folder of pulled releases: below HAYMAKER_HOME, otherwise in the user's cache folder."""
    home = os.environ.get(HOME_VARIABLE)
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return expanded(home or f"{cache}/haymaker") / "releases"


def pulled_release(text: str) -> Path:
    """Return the folder of a pulled release by its published name, without network access.

    Args:
        text: ORG/NAME or store address, with optional @VERSION; default: the newest pulled version.

    Raises:
        ParamsError: the name is invalid.
        ReleaseError: the release was not pulled.
    """
    wanted = parse_reference(text, "--release")
    here = _versions(wanted.repo)
    version = wanted.version or newest(filter(here.get, here))  # dry runs do not count
    if version in here:
        return pulled_folder(Reference(wanted.repo, version))
    there = f"; pulled so far: {', '.join(sorted(here))}" if here else ""
    raise ReleaseError(f"not pulled yet{there}", where=str(wanted), fix=f"haymaker pull {wanted}")


def is_reference(text: str) -> bool:
    """Check whether a text that is no local folder is the name of a published release."""
    if "@" in text or is_address(text):
        return True
    return text.count("/") == 1 and not text.startswith((".", "/", "~")) and not Path(text).parent.is_dir()


def _versions(repo: str) -> dict[str, bool]:
    """Return local version -> whether rows were requested."""
    found = {path.name: read_note(path) for path in (releases_folder() / repo).glob("*") if version_of(tag(path.name))}
    return {version: bool(what.asked) for version, what in found.items() if what}
