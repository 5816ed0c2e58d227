"""CLINC150: requests to an assistant under 150 intents, and requests outside of them (Larson et al. 2019;
docs/spec/helmet.md 3, 9).

Kinds `clinc150` (the edition "plus": 250 requests outside of all intents in train) and `clinc150_mirror` ("full": 100). These
have a label of their own, the 151st: differs from section 3, where it is "oos", which tells a reader nothing. HELMET asks the validation set, so that is part test here, as KILT's dev set is; the
publisher's test set is part dev and stays untouched.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import json_object, value_of
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.labelled_source import Labelling, labelled_text
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import LabelledText, Split

_COMMIT = "828f8093932c8fe6ca7936c3d2e52903b1c523de"
_URL = f"https://raw.githubusercontent.com/clinc/oos-eval/{_COMMIT}/data"
OUTSIDE, _OUTSIDE = "out_of_scope", "oos"
_PLUS, _FULL = "data_oos_plus.json", "data_full.json"
_KEYS: dict[Split, tuple[str, str]] = {
    "train": ("train", "oos_train"),
    "test": ("val", "oos_val"),
    "dev": ("test", "oos_test"),
}


def _info(title: str, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/clinc/oos-eval",
        licence="CC BY 3.0",
        roles=("labelled",),
        download_bytes=2_500_000,
        note=note,
    )


class _Clinc150(Labelling):
    """What both kinds share."""

    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("clinc150",)
    file: ClassVar[str]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[LabelledText]:
        groups = json_object(raw / self.file)
        pairs = chain.from_iterable(_pairs(groups, key, self.file) for key in _KEYS[part])
        odd = OddRecords(self.file)
        yield from sound(odd, enumerate(pairs, 1), lambda pair: labelled_text(part, pair[0], *pair[1][1:], pair[1][0]))
        self.left_out_of(f"{name} {part}", odd)


class Clinc150(_Clinc150, Addressed):
    """Options of kind `clinc150`: `url`."""

    kind: ClassVar[str] = "clinc150"
    info: ClassVar[SourceInfo] = _info(
        "CLINC150 (plus)", "train 15,000 and 250 outside; part test is validation, 3,000 and 100"
    )
    file: ClassVar[str] = _PLUS

    def resolve(self, context: FetchContext) -> str | None:
        return None if self.url else _COMMIT

    def files(self) -> list[RawFile]:
        return [RawFile(_PLUS, f"{_URL}/{_PLUS}")]


class Clinc150Mirror(_Clinc150):
    """Kind `clinc150_mirror`; no options."""

    kind: ClassVar[str] = "clinc150_mirror"
    info: ClassVar[SourceInfo] = _info(
        "CLINC150 (mirror copy, full)", "train 15,000 and 100 outside; part test is validation, 3,000 and 100"
    )
    file: ClassVar[str] = _FULL

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(_FULL, f"mirror:icl/clinc150/{_FULL}")]


def _pairs(groups: dict[str, Any], key: str, file: str) -> Iterator[tuple[str, Any, Any]]:
    """Place, request and intent of every entry of a list of the file."""
    listed = value_of(groups, key, file)
    if not isinstance(listed, list):
        raise SourceError(f"{key!r} is no list", where=file, fix="fetch the source again")
    for number, pair in enumerate(listed, 1):
        where = f"{file}: {key} {number}"
        if not isinstance(pair, list) or len(pair) != 2:
            raise SourceError("expected a request and its intent", where=where, fix="fetch the source again")
        yield where, pair[0], OUTSIDE if pair[1] == _OUTSIDE else pair[1]
