"""Simulated programs as a source of code, for tasks over source code without a real project (docs/worlds/README.md)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.base import FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.code_files import FILES, ArrangedCode
from corpora.sources.document_source import arranged
from worlds.programs import PROGRAMS_VERSION

_PROGRAM_BYTES = 20_000


class WorldPrograms(ArrangedCode):
    """Options of kind `world_programs`.

    Attributes:
        seed: of the programs.
        programs: how many of each part; a package of 14 files each (main module, and three for each of four things).
    """

    kind: ClassVar[str] = "world_programs"
    version: ClassVar[int] = PROGRAMS_VERSION
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Python programs, simulated",
        homepage="",
        licence="CC0-1.0",
        edition="world",
        roles=("code",),
        download_bytes=0,
        note="packages that compile and run; every call follows from a definition in another file",
    )
    seed: Annotated[int, Field(ge=0)]
    programs: Annotated[dict[Literal["test", "train"], Annotated[int, Field(ge=0, le=1000)]], Field(min_length=1)]

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        from worlds.programs.build import programs

        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        files = programs(self.seed, self.programs)
        context.report(f"writing {sum(self.programs.values())} programs of {len(files)} files")
        arranged(stage / FILES, ({"id": file.path, "part": file.part, "text": file.text} for file in files))
        return []

    def download_bytes(self) -> int:
        """Nothing is downloaded: bytes that are written."""
        return sum(self.programs.values()) * _PROGRAM_BYTES

    def facts(self) -> dict[str, Any]:
        return {"world_version": PROGRAMS_VERSION}
