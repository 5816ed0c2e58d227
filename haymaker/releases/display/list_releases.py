"""haymaker releases: list the releases on this machine, built by the current project or pulled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from haymaker.core.errors import HaymakerError
from haymaker.core.files.disk import read_json, sha256_file
from haymaker.core.files.json_output import write_json_or_print
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
class ListedRelease:
    """A release on this machine.

    Attributes:
        name: name, or repository of a pulled release.
        is_active: whether params.yaml describes it.
        problem: why the manifest cannot be read; the following fields are then empty.
        rows, tokens: of the whole release.
        bytes: size of its files on this machine.
        verified: result of the checks, or the first damaged file.
        published: repository or store, `no`, or `pulled`.
    """

    name: str
    is_active: bool
    problem: str = ""
    version: str = ""
    edition: str = ""
    rows: int = 0
    tokens: int = 0
    bytes: int = 0
    verified: str = ""
    published: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """Cells of the table."""
        mark = "*" if self.is_active else ""
        if self.problem:
            return (mark, self.name, "", "", "", "", "", self.problem, "")
        figures = (f"{self.rows:,}", compact(self.tokens), f"{self.bytes / 1e6:,.1f} MB")
        return (mark, self.name, self.version, self.edition, *figures, self.verified, self.published)


def show(json_file: Path | None = None) -> None:
    """Print the releases, or write them as JSON; `*` marks the release of params.yaml."""
    found = [*_of_project(), *_pulled()]
    write_json_or_print(json_file, {"releases": [asdict(each) for each in found]})
    if not found:
        say(
            "no release found: build one with `haymaker run` in a project, or download one with `haymaker pull ORG/NAME`"
        )
    elif out.width < _TABLE_WIDTH:
        for each in found:
            out.print(f"{each.cells[0] or ' '} {each.name} {each.version}".rstrip())
            out.print(f"    {_told(each)}")
    else:
        grid = Grid(box=None, padding=(0, 2, 0, 0))
        for name in _COLUMNS:
            is_number = name in ("rows", "tokens", "size")
            grid.add_column(name, justify="right" if is_number else "left", no_wrap=name != "release", overflow="fold")
        for each in found:
            grid.add_row(*each.cells)
        out.print(grid)


def _told(each: ListedRelease) -> str:
    """Return a table row as text for narrow terminals."""
    *_, edition, rows, tokens, size, state, told = each.cells
    verified = {"yes": "verified", "no": "not verified"}.get(state, state)
    published = "not published" if told == "no" else f"published: {told}" if told else ""
    counted = [f"{cell} {name}" for name, cell in (("rows", rows), ("tokens", tokens)) if cell]
    return ", ".join(cell for cell in (edition, *counted, size, verified, published) if cell)


def _of_project() -> Iterator[ListedRelease]:
    published: dict[str, Any] = {}
    with contextlib.suppress(HaymakerError):
        published = dict(read_json(PUBLISHED)) if PUBLISHED.is_file() else {}
    for folder in built_releases():
        is_active = folder.name == active_name()
        yield _listed(folder, is_active, folder.name, _published(folder, published.get(folder.name)))


def _pulled() -> Iterator[ListedRelease]:
    home = releases_folder()
    for place in sorted(home.rglob(MANIFEST)):
        what = read_note(place.parent)
        repo = what.repo if what else place.parent.parent.relative_to(home).as_posix()
        yield _listed(place.parent, False, repo, "pulled", is_part=True)


def _listed(folder: Path, is_active: bool, name: str, published: str, *, is_part: bool = False) -> ListedRelease:
    try:
        said = read_json(folder / MANIFEST, "version", "edition", "files", "verification")
        sizes = {name: int(facts["bytes"]) for name, facts in said["files"].items()}
        rows, tokens = int(said["verification"]["rows"]), int(said["verification"]["tokens"])
    except (HaymakerError, AttributeError, KeyError, TypeError, ValueError):
        has_none = not (folder / MANIFEST).exists()
        return ListedRelease(name, is_active, "not finished: haymaker run" if has_none else "damaged: manifest.json")
    here = {name: (folder / name).stat().st_size for name in sizes if (folder / name).is_file()}
    verified = _verified(folder, said["verification"], sizes, here, is_part=is_part)
    facts = (str(said["version"]), str(said["edition"]), rows, tokens, sum(here.values()), verified, published)
    return ListedRelease(name, is_active, "", *facts)


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
