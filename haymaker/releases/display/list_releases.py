"""haymaker releases: list the releases on this machine, built by the current project or pulled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from haymaker.core.errors import HaymakerError
from haymaker.core.files.disk import read_json, sha256_file
from haymaker.core.progress import compact, out, say
from haymaker.releases.folder import active_name, built_releases
from haymaker.releases.manifest import CARD, MANIFEST
from haymaker.releases.pulled.folders import releases_folder
from haymaker.releases.pulled.partial_pull import read_note

PUBLISHED = Path("data/work/published.json")
"""File with release name -> repo, version and manifest SHA-256 of its last publication."""
_COLUMNS = ("", "release", "version", "edition", "rows", "tokens", "size", "verified", "published")
_TABLE_WIDTH = 110  # minimum terminal width of the table


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """One release as table cells."""

    mark: str
    name: str
    version: str = ""
    edition: str = ""
    rows: str = ""
    tokens: str = ""
    size: str = ""
    verified: str = ""
    published: str = ""


def show() -> None:
    """Print the releases; `*` marks the release of params.yaml."""
    lines = [*_of_project(), *_pulled()]
    if not lines:
        say(
            "no release here: `haymaker run` builds one in a project, `haymaker pull ORG/NAME` gets one that is published"
        )
    elif out.width < _TABLE_WIDTH:
        for line in lines:
            out.print(f"{line.mark or ' '} {line.name} {line.version}".rstrip())
            out.print(f"    {_told(line)}")
    else:
        grid = Grid(box=None, padding=(0, 2, 0, 0))
        for name in _COLUMNS:
            is_number = name in ("rows", "tokens", "size")
            grid.add_column(name, justify="right" if is_number else "left", no_wrap=name != "release", overflow="fold")
        for line in lines:
            grid.add_row(*astuple(line))
        out.print(grid)


def _told(line: ReleaseLine) -> str:
    """Return a table row as text for narrow terminals."""
    verified = {"yes": "verified", "no": "not verified"}.get(line.verified, line.verified)
    published = "not published" if line.published == "no" else f"published: {line.published}" if line.published else ""
    counted = [f"{cell} {name}" for name, cell in (("rows", line.rows), ("tokens", line.tokens)) if cell]
    return ", ".join(cell for cell in (line.edition, *counted, line.size, verified, published) if cell)


def _of_project() -> Iterator[ReleaseLine]:
    published: dict[str, Any] = {}
    with contextlib.suppress(HaymakerError):
        published = dict(read_json(PUBLISHED)) if PUBLISHED.is_file() else {}
    for folder in built_releases():
        mark = "*" if folder.name == active_name() else ""
        yield _line(folder, mark, folder.name, _published(folder, published.get(folder.name)))


def _pulled() -> Iterator[ReleaseLine]:
    home = releases_folder()
    for place in sorted(home.rglob(MANIFEST)):
        what = read_note(place.parent)
        repo = what.repo if what else place.parent.parent.relative_to(home).as_posix()
        yield _line(place.parent, "", repo, "pulled", is_part=True)


def _line(folder: Path, mark: str, name: str, published: str, *, is_part: bool = False) -> ReleaseLine:
    try:
        said = read_json(folder / MANIFEST, "version", "edition", "files", "verification")
        sizes = {name: int(facts["bytes"]) for name, facts in said["files"].items()}
        rows, tokens = int(said["verification"]["rows"]), int(said["verification"]["tokens"])
    except (HaymakerError, AttributeError, KeyError, TypeError, ValueError):
        has_none = not (folder / MANIFEST).exists()
        return ReleaseLine(mark, name, verified="not finished: haymaker run" if has_none else "damaged: manifest.json")
    here = {name: (folder / name).stat().st_size for name in sizes if (folder / name).is_file()}
    size = f"{sum(here.values()) / 1e6:,.1f} MB"
    verified = _verified(folder, said["verification"], sizes, here, is_part=is_part)
    return ReleaseLine(mark, name, str(said["version"]), str(said["edition"]), f"{rows:,}", compact(tokens), size, verified, published)  # fmt: skip


def _verified(
    folder: Path, verification: Mapping[str, Any], sizes: Mapping[str, int], here: Mapping[str, int], *, is_part: bool
) -> str:
    """Return the check result of the manifest, or the first file that is missing or has another size."""
    missing = [name for name in sizes if name not in here]
    changed = [name for name in here if here[name] != sizes[name]]
    if changed or not (folder / CARD).is_file() or (missing and not is_part):
        return f"damaged: {(changed or [name for name in missing if not is_part] or [CARD])[0]}"
    if verification.get("failed"):
        return "no"
    return f"yes, {len(here)} of {len(sizes)} files here" if missing else "yes"


def _published(folder: Path, noted: Any) -> str:
    """Return where the release was published, and whether it changed since then."""
    if not isinstance(noted, dict) or not noted.get("repo"):
        return "no"
    with contextlib.suppress(HaymakerError):
        version = str(read_json(folder / MANIFEST, "version")["version"])
        if noted.get("version") != version:
            return f"{noted['repo']}, older version {noted.get('version')}"
        if noted.get("manifest") not in (None, sha256_file(folder / MANIFEST)):
            return f"{noted['repo']}, changed since"
    return str(noted["repo"])
