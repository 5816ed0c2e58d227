"""Base of simulated sources: they are written instead of fetched, in independent parts.

Each part is a pure function of the options, so any number of processes can write them in any order; the download stage does
that (pipelines/stages/download.py). `fetch` writes them one after another, with the same bytes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source
from haymaker.core.files.disk import link_or_copy
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Split

Seed = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0, le=100_000)]
_PARTS = ".parts"


class Simulated(Source):
    """A simulated source. A subclass names its parts and writes one.

    Attributes:
        generator_version: version of the generator, recorded in SOURCE.json.
        pattern, home: names of the files in the folder of a part, and their folder in the source.
    """

    generator_version: ClassVar[int]
    pattern: ClassVar[str] = "*.jsonl"
    home: ClassVar[str] = ""

    def parts(self) -> dict[str, float]:
        """Return the name of every part and its approximate size in bytes."""
        raise NotImplementedError

    def write_part(self, part: str, folder: Path) -> None:
        """Write the files of a part into an empty folder."""
        raise NotImplementedError

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        """Combine the folders of all parts into the source's files in an empty folder."""
        for folder in parts.values():
            for path in folder.glob(self.pattern):
                link_or_copy(path, stage / self.home / path.name)

    def download_bytes(self) -> int:
        """Return the number of bytes that are written; nothing is downloaded."""
        return int(sum(self.parts().values()))

    def facts(self) -> dict[str, Any]:
        return {"generator_version": self.generator_version}

    def made_by(self) -> str:
        """Return a digest of the options and versions that determine the bytes of a part."""
        options = json.dumps([self._public_options(), self.facts()], sort_keys=True)
        return digest(self.kind, self.version, options, size=6).hex()

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        shutil.rmtree(stage, ignore_errors=True)  # may be half-written
        folders = dict(context.parts)
        for part in self.parts():
            if part not in folders:
                folders[part] = stage / _PARTS / part
                folders[part].mkdir(parents=True)
                self.write_part(part, folders[part])
        stage.mkdir(parents=True, exist_ok=True)
        self.join_parts({part: folders[part] for part in self.parts()}, stage)
        shutil.rmtree(stage / _PARTS, ignore_errors=True)
        return []


def split_and_number(part: str) -> tuple[Split, int]:
    """Return the split and index in the name of a part, such as test-000012."""
    split, _, number = part.partition("-")
    return cast("Split", split), int(number)
