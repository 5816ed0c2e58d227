"""What all simulated sources share: they are written here instead of fetched, in parts that do not know each other.

Each part is a pure function of the options, so parts may be written in any order and by any number of processes; the stage
`download` does that (pipelines/stages/download.py). Whoever calls `fetch` alone gets them one by one, and the same bytes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source
from haymaker.core.rng import digest

_PARTS = ".parts"


class Simulated(Source):
    """A source that is written here; a subclass says in which parts, and how they become its files."""

    def parts(self) -> dict[str, float]:
        """Name of every part -> how much work it is, in a unit of its own kind's choice: bytes that it writes, about."""
        raise NotImplementedError

    def write_part(self, part: str, folder: Path) -> None:
        """Write the files of one part into an empty folder, side by side.

        Raises:
            BuildError: it cannot be made.
        """
        raise NotImplementedError

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        """Make the source's files, in an empty folder, of the folders of all its parts.

        Raises:
            BuildError: the parts do not give what was asked for.
        """
        raise NotImplementedError

    def made_by(self) -> str:
        """Changes with whatever decides the bytes of a part: options and versions."""
        options = json.dumps([self._public_options(), self.facts()], sort_keys=True)
        return digest(self.kind, self.version, options, size=6).hex()

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        shutil.rmtree(stage, ignore_errors=True)  # a half-written folder is not to be trusted
        stage.mkdir(parents=True)
        alone = stage / _PARTS
        folders = {part: context.parts.get(part) or self._written(part, alone) for part in self.parts()}
        self.join_parts(folders, stage)
        shutil.rmtree(alone, ignore_errors=True)
        return []

    def _written(self, part: str, alone: Path) -> Path:
        folder = alone / part
        folder.mkdir(parents=True)
        self.write_part(part, folder)
        return folder
