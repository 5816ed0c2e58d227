"""Labelled texts of HELMET's many-shot tasks: BANKING77, CLINC150, NLU and TREC (docs/spec/helmet.md 3, 9).

Each has a kind for the publisher's files at a pinned commit or checksum, and one for the copy in the offline mirror.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import Addressed, Mirrored
from corpora.sources.formats.fields import objects, value_of
from corpora.sources.formats.json_files import json_object
from corpora.sources.labelled_source import Labelling, Row, labelled_text, separated
from corpora.sources.question_source import share_split
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import LabelledText, Split
from haymaker.core.text.strings import padded


class _Banking77(Labelling):
    """Questions of a bank's customers with 77 intents, labelled by name (Casanueva et al. 2020)."""

    sets: ClassVar[tuple[str, ...]] = ("banking77",)

    def rows(self, raw: Path, name: str, split: Split) -> Iterable[Row]:
        return separated(raw / f"{split}.csv", ("text", "category")) if split != "dev" else ()


class Banking77(_Banking77, Addressed):
    """Options of kind `banking77`: `url`."""

    kind: ClassVar[str] = "banking77"


class Banking77Mirror(Mirrored, _Banking77):
    """Kind `banking77_mirror`: the publisher's bytes."""

    kind: ClassVar[str] = "banking77_mirror"


OUTSIDE = "out_of_scope"
_CLINC_KEYS: dict[Split, tuple[str, str]] = {
    "train": ("train", "oos_train"),
    "test": ("val", "oos_val"),
    "dev": ("test", "oos_test"),
}


class _Clinc150(Labelling):
    """Requests to an assistant with 150 intents, and requests outside of them (Larson et al. 2019).

    HELMET tests on the validation set, so it is split test here and the publisher's test set is split dev. Requests outside
    have a label of their own, the 151st: "oos" in the files (docs/spec/helmet.md 3) tells a reader nothing.
    """

    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("clinc150",)
    file: ClassVar[str]

    def rows(self, raw: Path, name: str, split: Split) -> Iterator[Row]:
        groups = json_object(raw / self.file)
        for key in _CLINC_KEYS[split]:
            listed = value_of(groups, key, self.file)
            if not isinstance(listed, list):
                raise SourceError(f"{key!r} is not a list", where=self.file, fix="fetch the source again")
            for number, pair in enumerate(listed, 1):
                where = f"{self.file}: {key} {number}"
                if not isinstance(pair, list) or len(pair) != 2:
                    raise SourceError("expected a request and its intent", where=where, fix="fetch the source again")
                yield where, (pair[0], OUTSIDE if pair[1] == "oos" else pair[1])


class Clinc150(_Clinc150, Addressed):
    """Options of kind `clinc150`, the edition "plus" (250 requests outside of all intents in train): `url`."""

    kind: ClassVar[str] = "clinc150"
    file: ClassVar[str] = "data_oos_plus.json"


class Clinc150Mirror(Mirrored, _Clinc150):
    """Kind `clinc150_mirror`: the edition "full" (100 requests outside of all intents in train)."""

    kind: ClassVar[str] = "clinc150_mirror"
    file: ClassVar[str] = "data_full.json"


_MARKED = re.compile(r"\[[^\[\]:]*:+([^\[\]]*)\]")  # [date : this week]


class Nlu(Labelling, Addressed):
    """Options of kind `nlu`, requests to a home assistant (Liu et al. 2019): `url`.

    The table has no split: a tenth of the requests, chosen by their words, is split test, so equal requests are on one side
    (the reference draws rows, docs/spec/helmet.md 9).
    """

    kind: ClassVar[str] = "nlu"
    sets: ClassVar[tuple[str, ...]] = ("nlu",)
    file: ClassVar[str] = "NLU-Data-Home-Domain-Annotated-All.csv"

    def rows(self, raw: Path, name: str, split: Split) -> Iterator[Row]:
        for where, fields in separated(raw / self.file, ("scenario", "intent", "answer_annotation"), ";"):
            scenario, intent, utterance = map(str, fields)
            yield where, (_MARKED.sub(r"\1", utterance), f"{scenario.strip()}_{intent.strip()}")

    def load(self, raw: Path, name: str, split: Split) -> Iterator[LabelledText]:
        def read(numbered: tuple[int, Row]) -> LabelledText | None:
            if str(numbered[1][1][0]).strip() == "null":
                return None  # the annotation of the one request without words
            made = labelled_text(split, numbered)
            return made if share_split(padded(made.text), {"test": 10, "train": 90}) == split else None

        return self.sound(name, enumerate(self.rows(raw, name, split), 1), read)


class NluMirror(Mirrored, Labelling):
    """Kind `nlu_mirror`: fold 1 of its balanced cross-validation, with a test split of its own."""

    kind: ClassVar[str] = "nlu_mirror"
    sets: ClassVar[tuple[str, ...]] = ("nlu",)

    def rows(self, raw: Path, name: str, split: Split) -> Iterator[Row]:
        if split == "train":
            yield from separated(raw / "kfold1_train.csv", ("text", "intent"), header=False)
        elif split == "test":
            file = "kfold1_test.json"
            whole = value_of(json_object(raw / file), "rasa_nlu_data", file)
            if not isinstance(whole, dict):
                raise SourceError("'rasa_nlu_data' is not an object", where=file, fix="fetch the source again")
            for number, item in enumerate(objects(whole, "common_examples", file), 1):
                where = f"{file}: example {number}"
                yield where, [value_of(item, key, where) for key in ("text", "intent")]


_TREC_FILES: dict[Split, str] = {"train": "train_5500.label", "test": "TREC_10.label"}
_TAG = re.compile(r"\b(?:NNP?S?|JJ)\b")  # every question with tags has one of these
_ENDS = re.compile(r"[?.!][\s'`]*$")
_LOST = re.compile(r"(?<=[a-zA-Z.]) ([st]) (?=\w)")
_TREC_LINE = re.compile(r"(([A-Z]+):[A-Za-z]+)(?: (.*)|$)")


class _Trec(Labelling):
    """What kind of answer a question asks for (Li and Roth 2002), with the labels of the files: NUM, or NUM:date.

    Questions are tokenised in the files, as in the reference's data. Left out are questions with tags of parts of speech in place of
    words ("Who wrote NN DT NNP NNP"), and questions that end without a mark, because many of them are cut ("How was Lawrence").
    The test file has lost its apostrophes: a lone "s" or "t" after a word gets one, as in the train file ("Father 's Day").
    """

    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("trec_coarse", "trec_fine")

    def load(self, raw: Path, name: str, split: Split) -> Iterator[LabelledText]:
        broken = 0

        def read(numbered: tuple[int, Row]) -> LabelledText | None:
            nonlocal broken
            made = labelled_text(split, numbered)
            if _TAG.search(made.text) or not _ENDS.search(made.text):
                broken += 1
                return None
            return replace(made, text=_LOST.sub(r" '\1 ", made.text))

        yield from self.sound(f"{name} {split}", enumerate(self.rows(raw, name, split), 1), read)
        if broken:
            self._odd[f"{name} {split} (tags in place of words, or cut)"] = broken

    def rows(self, raw: Path, name: str, split: Split) -> Iterator[Row]:
        if split not in _TREC_FILES:
            return
        for where, line in _ascii_lines(raw / _TREC_FILES[split]):
            found = _TREC_LINE.match(line)
            if not found:
                problem = f"begins with {line.split(' ')[0]!r:.40}, not with a label such as NUM:date"
                raise SourceError(problem, where=where, fix="fetch the source again")
            yield where, (found[3] or "", found[1] if name == "trec_fine" else found[2])


class Trec(_Trec, Addressed):
    """Options of kind `trec`: `url`."""

    kind: ClassVar[str] = "trec"


class TrecMirror(Mirrored, _Trec):
    """Kind `trec_mirror`: copies that differ from the publisher's files in a few bytes."""

    kind: ClassVar[str] = "trec_mirror"


def _ascii_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every line that is not blank; one byte F0 of the published train file is a space."""
    try:
        lines = path.read_bytes().replace(b"\xf0", b" ").splitlines()
    except FileNotFoundError:
        raise SourceError("is missing", where=path.name, fix="fetch the source again") from None
    for number, line in enumerate(lines, 1):
        where = f"{path.name}:{number}"
        if not line.isascii():
            raise SourceError("contains bytes that are not ASCII", where=where, fix="fetch the source again")
        if line.strip():
            yield where, line.decode("ascii").strip()
