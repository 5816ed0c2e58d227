"""The generated pages: text by hand down to MARK, then what the code gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from devtools.reference_pages.columns import columns
from devtools.reference_pages.commands import commands
from devtools.reference_pages.metrics import metrics
from devtools.reference_pages.python_api import python_api
from devtools.reference_pages.sources import sources
from haymaker.core.files.yaml_file import read_yaml
from pipelines.parameters import reference_page

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/reference"
MARK = "<!-- The rest of this page is generated: make reference -->\n"
PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "columns.md": columns,
    "command-line.md": commands,
    "metrics.md": metrics,
    "python-api.md": python_api,
    "sources.md": sources,
}
"""Page -> its generated lines."""


def page(name: str, folder: Path = FOLDER) -> str:
    """Return the text that a page must have.

    Args:
        name: file name in docs/reference/.
        folder: contains the page as it is now.
    """
    if name == "parameters.md":
        return reference_page.text(read_yaml(ROOT / "params/demo.yaml"))
    before, mark, _ = (folder / name).read_text(encoding="utf-8").partition(MARK)
    return before + mark + "\n" + "\n".join(PARTS[name]()) + "\n"


def write(folder: Path = FOLDER) -> None:
    """Write all pages.

    Args:
        folder: contains the pages.
    """
    for name in (*PARTS, "parameters.md"):
        (folder / name).write_text(page(name, folder), encoding="utf-8")
