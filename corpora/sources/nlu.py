"""NLU Evaluation Data: requests to a home assistant (Liu et al. 2019; docs/spec/helmet.md 3, 9).

Kinds `nlu` (the annotated table at a pinned commit: 25,715 requests, 68 intents) and `nlu_mirror` (fold 1 of its balanced
cross-validation: 64 intents, with a test of its own). The table has no split: a tenth of the requests, chosen by their words,
is part test, so that one said twice is never on both sides (the reference draws rows, docs/spec/helmet.md 9).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import json_object, objects, value_of
from corpora.sources.formats.odd_records import OddRecords
from corpora.sources.labelled_source import Labelling, labelled_text, separated
from corpora.sources.splits import share_split
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import LabelledText, Split
from haymaker.core.text.strings import padded

_COMMIT = "f6071b496b17d71e6eb43f543af0707f4ff30557"
_TABLE = "NLU-Data-Home-Domain-Annotated-All.csv"
_URL = f"https://raw.githubusercontent.com/xliuhw/NLU-Evaluation-Data/{_COMMIT}/AnnotatedData/{_TABLE}"
_TRAIN, _TEST = "kfold1_train.csv", "kfold1_test.json"
_SHARES: dict[Split, int] = {"test": 10, "train": 90}
_NOTHING = "null"  # the annotation of the one request without words
_MARKED = re.compile(r"\[[^\[\]:]*:+([^\[\]]*)\]")  # [date : this week]


def _info(title: str, size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/xliuhw/NLU-Evaluation-Data",
        licence="CC BY 4.0",
        roles=("labelled",),
        download_bytes=size,
        note=note,
    )


class Nlu(Labelling, Addressed):
    """Options of kind `nlu`: `url`."""

    kind: ClassVar[str] = "nlu"
    info: ClassVar[SourceInfo] = _info(
        "NLU Evaluation Data", 6_000_000, "25,715 requests, 68 intents; a tenth is part test; the size is an estimate"
    )
    sets: ClassVar[tuple[str, ...]] = ("nlu",)

    def resolve(self, context: FetchContext) -> str | None:
        return None if self.url else _COMMIT

    def files(self) -> list[RawFile]:
        return [RawFile(_TABLE, _URL)]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[LabelledText]:
        columns = ("scenario", "intent", "answer_annotation")
        rows, odd = separated(raw / _TABLE, columns, ";"), OddRecords(_TABLE)
        for number, (where, (scenario, intent, utterance)) in enumerate(rows, 1):
            if utterance.strip() == _NOTHING:
                continue
            text = _MARKED.sub(r"\1", utterance)
            with odd:
                made = labelled_text(part, number, text, f"{scenario.strip()}_{intent.strip()}", where)
                if share_split(padded(text), _SHARES) == part:
                    yield made
        self.left_out_of(name, odd)


class NluMirror(Labelling):
    """Kind `nlu_mirror`; no options."""

    kind: ClassVar[str] = "nlu_mirror"
    info: ClassVar[SourceInfo] = _info(
        "NLU Evaluation Data (mirror copy: fold 1)", 758_056, "9,960 requests of train, 1,076 of test, 64 intents"
    )
    sets: ClassVar[tuple[str, ...]] = ("nlu",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(name, f"mirror:icl/nlu/{name}") for name in (_TRAIN, _TEST)]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[LabelledText]:
        if part == "train":
            rows = separated(raw / _TRAIN, ("text", "intent"), header=False)
            for number, (where, (text, label)) in enumerate(rows, 1):
                yield labelled_text(part, number, text, label, where)
        elif part == "test":
            whole = value_of(json_object(raw / _TEST), "rasa_nlu_data", _TEST)
            if not isinstance(whole, dict):
                raise SourceError("'rasa_nlu_data' is no object", where=_TEST, fix="fetch the source again")
            for number, item in enumerate(objects(whole, "common_examples", _TEST), 1):
                where = f"{_TEST}: example {number}"
                text, label = (value_of(item, key, where) for key in ("text", "intent"))
                yield labelled_text(part, number, text, label, where)
