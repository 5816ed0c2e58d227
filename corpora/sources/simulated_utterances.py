"""Simulated utterances with labels, for many-shot ICL without a network: kind `simulated_utterances` (docs/worlds/README.md)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, ClassVar, Literal, cast

from pydantic import Field, PrivateAttr

from corpora.sources.formats.lines import json_file
from corpora.sources.simulated import Count, Seed, Simulated
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import write_text
from haymaker.core.rows.source_records import LabelledText, Split
from worlds.utterances.build import UTTERANCES_VERSION, texts

SetName = Literal["coarse", "fine", "home", "ferry", "desk"]
_LABELS: dict[SetName, int] = {"coarse": 6, "fine": 50, "home": 68, "ferry": 77, "desk": 151}
_LINE_BYTES = 130


class SimulatedUtterances(Simulated):
    """Options of kind `simulated_utterances`.

    Attributes:
        seed: seed of the texts.
        sets: set -> split -> number of texts per label. Sets: coarse (6 labels, like TREC's six), fine (50), home (68, like NLU),
            ferry (77, like BANKING77), desk (151 with out_of_scope, like CLINC150).
    """

    kind: ClassVar[str] = "simulated_utterances"
    version: ClassVar[int] = UTTERANCES_VERSION
    generator_version: ClassVar[int] = UTTERANCES_VERSION
    seed: Seed
    _read: tuple[Path | None, list[LabelledText]] = PrivateAttr(default=(None, []))
    sets_: Annotated[dict[SetName, dict[Split, Count]], Field(min_length=1)] = Field(alias="sets")

    def parts(self) -> dict[str, float]:
        """Return one part per set, because texts are drawn in sequence so that none is repeated."""
        return {name: float(_LABELS[name] * sum(counts.values()) * _LINE_BYTES) for name, counts in self.sets_.items()}

    def write_part(self, part: str, folder: Path) -> None:
        found = texts(self.seed, part, self.sets_[cast("SetName", part)])
        write_text(folder / f"{part}.jsonl", "".join(json.dumps(asdict(t), ensure_ascii=False) + "\n" for t in found))

    def label_sets(self) -> tuple[str, ...]:
        return tuple(self.sets_)

    def labelled(self, raw: Path, name: str, split: Split) -> list[LabelledText]:
        self.check_set("labelled texts", name, self.sets_)
        path = raw / f"{name}.jsonl"
        if self._read[0] != path:  # callers read all splits, one after another
            self._read = path, _texts(path)
        return [text for text in self._read[1] if text.split == split]


def _texts(path: Path) -> list[LabelledText]:
    found = []
    for where, record in json_file(path.parent, path.name):
        try:
            found.append(LabelledText(**record))
        except TypeError:
            raise SourceError("not a labelled text", where=where, fix="fetch the source again") from None
    return found
