"""Simulated utterances as a source of labelled texts, for many-shot ICL without a network (docs/worlds/README.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field, PrivateAttr

from corpora.sources.base import SourceInfo
from corpora.sources.simulated import Simulated
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import link_or_copy, write_text
from haymaker.core.rows.source_records import LabelledText, Split
from worlds.utterances.build import UTTERANCES_VERSION

SetName = Literal["coarse", "fine", "home", "ferry", "desk"]
_LABELS: dict[SetName, int] = {"coarse": 6, "fine": 50, "home": 68, "ferry": 77, "desk": 151}
_LINE_BYTES = 130
Count = Annotated[int, Field(ge=0, le=100_000)]


class WorldUtterances(Simulated):
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
        edition="world",
        roles=("labelled",),
        download_bytes=0,
        note="questions and requests with label sets of 6, 50, 68, 77 and 151",
    )
    seed: Annotated[int, Field(ge=0)]
    _read: tuple[Path | None, list[LabelledText]] = PrivateAttr(default=(None, []))
    sets_: Annotated[dict[SetName, dict[Split, Count]], Field(min_length=1)] = Field(alias="sets")

    def parts(self) -> dict[str, float]:
        """One a set: its texts are drawn one behind the other, so that none comes twice."""
        return {name: float(self._bytes_of(name)) for name in self.sets_}

    def write_part(self, part: str, folder: Path) -> None:
        from worlds.utterances.build import texts

        found = texts(self.seed, part, self.sets_[cast("SetName", part)])
        names = [field.name for field in fields(LabelledText)]
        lines = (json.dumps({name: getattr(text, name) for name in names}, ensure_ascii=False) for text in found)
        write_text(folder / f"{part}.jsonl", "\n".join(lines) + "\n")

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        for part, folder in parts.items():
            link_or_copy(folder / f"{part}.jsonl", stage / f"{part}.jsonl")

    def label_sets(self) -> tuple[str, ...]:
        return tuple(self.sets_)

    def labelled(self, raw: Path, name: str, part: Split) -> list[LabelledText]:
        if name not in self.sets_:
            raise SourceError(f"no set {name!r}", where=f"source {self.name}", fix=f"sets: {', '.join(self.sets_)}")
        path = raw / f"{name}.jsonl"
        if self._read[0] != path:  # all parts are asked for, one after the other
            self._read = path, _texts(path)
        return [text for text in self._read[1] if text.part == part]

    def download_bytes(self) -> int:
        return sum(map(self._bytes_of, self.sets_))

    def _bytes_of(self, name: SetName) -> int:
        return _LABELS[name] * sum(self.sets_[name].values()) * _LINE_BYTES

    def facts(self) -> dict[str, Any]:
        return {"world_version": UTTERANCES_VERSION}


def _texts(path: Path) -> list[LabelledText]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(LabelledText(**json.loads(line)))
        except (ValueError, TypeError):
            raise SourceError("not a labelled text", where=f"{path}:{number}", fix="fetch the source again") from None
    return found
