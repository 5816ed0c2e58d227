"""Copy docs/, README, CONTRIBUTING and CHANGELOG to one folder, the source of the site: `python devtools/site_source.py FOLDER`.

In the repository, pages link to files anywhere. On the site only pages and pictures exist, so a link to another file becomes its text.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages at the root of the repository -> their names on the site."""
_LINK = re.compile(
    r"(?P<code>^ *```.*?^ *```$)|\[(?P<text>[^]]*)\]\((?P<path>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)", re.M | re.S
)


def write(target: Path, root: Path = ROOT) -> None:
    """Write the source of the site.

    Args:
        target: folder; replaced if it exists.
        root: the repository.
    """
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / "docs", target)
    for page in (root / "docs").rglob("*.md"):
        name = page.relative_to(root / "docs")
        (target / name).write_text(site_text(page, name, root), encoding="utf-8")
    for file, page_name in ROOT_PAGES.items():
        (target / page_name).write_text(site_text(root / file, Path(page_name), root), encoding="utf-8")


def site_text(page: Path, name: Path, root: Path) -> str:
    """Return a page with the links of the site.

    Args:
        page: file in the repository.
        name: its path on the site.
        root: the repository.
    """

    def link(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        file = (page.parent / found["path"]).resolve()
        if (file / "README.md").exists():
            file /= "README.md"
        place = file.relative_to(root.resolve()).as_posix() if file.is_relative_to(root.resolve()) else ""
        if not file.exists():
            return found[0]  # zensical reports a missing page
        if place not in ROOT_PAGES and not place.startswith("docs/"):
            return found["text"]
        on_site = ROOT_PAGES.get(place) or place.removeprefix("docs/")
        path = os.path.relpath(on_site, name.parent)
        return f"[{found['text']}]({path}{found['anchor'] or ''})"

    return _LINK.sub(link, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
