"""Simulated utterances as a source of labelled texts, for many-shot ICL without a network (docs/worlds/README.md)."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.base import FetchContext, FetchedFile, RawFile, Source, SourceInfo
from haymaker.errors import SourceError
from haymaker.files import write_text
from haymaker.records import LabelledText, Split
from worlds.utterances.build import UTTERANCES_VERSION

SetName = Literal["coarse", "fine", "home", "ferry", "desk"]
_LABELS: dict[SetName, int] = {"coarse": 6, "fine": 50, "home": 68, "ferry": 77, "desk": 151}
_LINE_BYTES = 130
Count = Annotated[int, Field(ge=0, le=100_000)]


class WorldUtterances(Source):
    """Options of kind `world_utterances`.

    Attributes:
        seed: of the texts.
        sets: set -> part -> texts of each label. Sets: coarse (6 labels, like TREC's six), fine (50), home (68, like NLU),
            ferry (77, like BANKING77), desk (151 with out_of_scope, like CLINC150).
    """

    kind: ClassVar[str] = "world_utterances"
    version: ClassVar[int] = UTTERANCES_VERSION
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Utterances with labels, simulated",
        homepage="",
        licence="CC0-1.0",
        licences=("cc0-1.0",),
        redistribution=True,
        edition="world",
        roles=("labelled",),
        languages=("en",),
        download_bytes=0,
        note="questions and requests with label sets of 6, 50, 68, 77 and 151",
    )
    seed: Annotated[int, Field(ge=0)]
    sets_: Annotated[dict[SetName, dict[Split, Count]], Field(min_length=1)] = Field(alias="sets")

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        from worlds.utterances.build import texts

        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        for name, counts in self.sets_.items():
            context.report(f"writing utterances {name}")
            lines = (json.dumps(asdict(text), ensure_ascii=False) for text in texts(self.seed, name, counts))
            write_text(stage / f"{name}.jsonl", "\n".join(lines) + "\n")
        return []

    def label_sets(self) -> tuple[str, ...]:
        return tuple(self.sets_)

    def labelled(self, raw: Path, name: str, part: Split) -> list[LabelledText]:
        if name not in self.sets_:
            raise SourceError(f"no set {name!r}", where=f"source {self.name}", fix=f"sets: {', '.join(self.sets_)}")
        path, found = raw / f"{name}.jsonl", []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                text = LabelledText(**json.loads(line))
            except (ValueError, TypeError):
                raise SourceError(
                    "not a labelled text", where=f"{path}:{number}", fix="fetch the source again"
                ) from None
            if text.part == part:
                found.append(text)
        return found

    def download_bytes(self) -> int:
        return sum(_LABELS[name] * sum(counts.values()) * _LINE_BYTES for name, counts in self.sets_.items())

    def facts(self) -> dict[str, Any]:
        return {"world_version": UTTERANCES_VERSION}
