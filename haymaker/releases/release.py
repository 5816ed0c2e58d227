"""The public class of a release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from haymaker.core.rows.parquet import read_row_groups, to_rows
from haymaker.releases import manifest
from haymaker.releases.configs import configs
from haymaker.releases.find_row import find_id
from haymaker.releases.folder import manifest as read_manifest
from haymaker.releases.folder import release_folder
from haymaker.releases.selection import Selection


def load(release: str | Path) -> Release:
    """Return a release that is on this machine.

    Args:
        release: folder, name of a release built by the project in the current folder, or ORG/NAME[@VERSION] of a
            pulled release (`haymaker pull`).

    Raises:
        ReleaseError: there is no such release here; the error contains the command that fetches it.
    """
    return Release(release_folder(release))


@dataclass(frozen=True)
class Release:
    """A release on this machine.

    Attributes:
        folder: contains README.md, manifest.json, data/ and mini/.
    """

    folder: Path

    def __fspath__(self) -> str:
        """The folder, so that a release is accepted wherever a path is."""
        return str(self.folder)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest: name, version, edition, suites, sources, files and checks; empty if the release has none."""
        return read_manifest(self.folder)

    @property
    def name(self) -> str:
        """Name of the release."""
        return str(self.manifest.get("name", self.folder.name))

    @property
    def version(self) -> str:
        """Version, such as 0.18.0."""
        return str(self.manifest.get("version", ""))

    @property
    def configs(self) -> list[str]:
        """Names of the configs that `datasets.load_dataset` accepts; empty without a manifest."""
        return [config.name for config in configs(self.manifest)] if self.manifest else []

    def rows(
        self,
        tasks: Sequence[str] = (),
        *,
        suites: Sequence[str] = (),
        lengths: Sequence[str] = (),
        split: str = "test",
        mini: bool = False,
        columns: Sequence[str] = (),
    ) -> Iterator[dict[str, Any]]:
        """Yield rows in the order of the files; memory holds one row group.

        Args:
            tasks: task names, or suite/task; empty: all.
            suites: suite names; empty: all.
            lengths: lengths such as "4k"; empty: all.
            split: test, dev, train or all.
            mini: rows of the small subset.
            columns: columns to read; empty: all.

        Raises:
            ReleaseError: the release has no such rows, or a file is damaged.
            ParamsError: unknown split.
        """
        choice = Selection(tuple(suites), tuple(tasks), tuple(lengths), split, mini)
        for name in choice.files(self.folder):
            for table in read_row_groups(self.folder / name, tuple(columns)):
                yield from to_rows(table, self.folder / name)

    def row(self, row_id: str) -> dict[str, Any]:
        """Return the row with an id.

        Raises:
            ReleaseError: the release has no row with this id.
        """
        return find_id(self.folder, row_id)

    def verify(self) -> int:
        """Compare every file with the manifest, and return the number of row files.

        Raises:
            ReleaseError: names the first file that is missing, changed or not listed.
        """
        return manifest.check_files(self.folder)[1]
