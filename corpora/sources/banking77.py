"""BANKING77: questions of a bank's customers under 77 intents (Casanueva et al. 2020; docs/spec/helmet.md 3, 9).

Kinds `banking77` (the publisher's files at a pinned commit, size and checksum known) and `banking77_mirror` (the same bytes).
Labels are category names, so the order that the Hub gives its classes does not matter here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.labelled_source import Labelling, labelled_row, separated
from haymaker.core.rows.source_records import LabelledText, Split

_COMMIT = "57ec275d8078af65b7731c2a98be812d844a6d6b"
_URL = f"https://raw.githubusercontent.com/PolyAI-LDN/task-specific-datasets/{_COMMIT}/banking_data"
_FILES: dict[Split, str] = {"train": "train.csv", "test": "test.csv"}
_KNOWN = {
    "train.csv": (839_073, "b06e26ac675513959a63135f11b94ea7786ed02da65db93a5650d8838cbc664b"),
    "test.csv": (239_961, "d12d6e3bc4c3103966ae786dc435913c0c563dfa328f5a3646d0e62cfeeb474d"),
}


def _info(title: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/PolyAI-LDN/task-specific-datasets",
        licence="CC BY 4.0",
        roles=("labelled",),
        download_bytes=1_079_034,
        note="10,003 questions of train, 3,080 of test",
    )


class _Banking77(Labelling):
    """What both kinds share."""

    sets: ClassVar[tuple[str, ...]] = ("banking77",)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[LabelledText]:
        if part in _FILES:
            odd = OddRecords(_FILES[part])
            rows = enumerate(separated(raw / _FILES[part], ("text", "category")), 1)
            yield from sound(odd, rows, partial(labelled_row, part))
            self.left_out_of(f"{name} {part}", odd)


class Banking77(_Banking77, Addressed):
    """Options of kind `banking77`: `url`."""

    kind: ClassVar[str] = "banking77"
    info: ClassVar[SourceInfo] = _info("BANKING77")

    def resolve(self, context: FetchContext) -> str | None:
        return None if self.url else _COMMIT

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"{_URL}/{name}", *_KNOWN[name]) for name in _FILES.values()]


class Banking77Mirror(_Banking77):
    """Kind `banking77_mirror`; no options."""

    kind: ClassVar[str] = "banking77_mirror"
    info: ClassVar[SourceInfo] = _info("BANKING77 (mirror copy)")

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(name, f"mirror:icl/banking77/{name}", *_KNOWN[name]) for name in _FILES.values()]
