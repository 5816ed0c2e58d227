"""TREC question classification: what kind of answer a question asks for (Li and Roth 2002; docs/spec/helmet.md 3, 9).

Kinds `trec` (the publisher's label files) and `trec_mirror` (copies that differ from them in a few bytes). Labels are the
source's own: NUM (six of them) and NUM:date (fifty). Questions are tokenised in the files, as in the reference's data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.labelled_source import Labelling, labelled_text
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import LabelledText, Split

_URL = "https://cogcomp.seas.upenn.edu/Data/QA/QC"
_ALSO = "https://cogcomp.org/Data/QA/QC"  # the first host has been away for days
_FILES: dict[Split, str] = {"train": "train_5500.label", "test": "TREC_10.label"}
_MD5 = {
    "train_5500.label": "073462e3fcefaae31e00edb1f18d2d02",
    "TREC_10.label": "323a3554401d86e650717e2d2f942589",
}
_LABEL = re.compile(r"[A-Z]+:[A-Za-z]+")
_ODD = b"\xf0"  # one of them stands between two words of the published train file
_AGAIN = "fetch the source again, or mend that line"


def _info(title: str, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://cogcomp.seas.upenn.edu/Data/QA/QC",
        licence="not stated (research use)",
        licences=("unstated", "research"),
        roles=("labelled",),
        download_bytes=359_000,
        note=note,
    )


class _Trec(Labelling):
    """What both kinds share."""

    sets: ClassVar[tuple[str, ...]] = ("trec_coarse", "trec_fine")

    def load(self, raw: Path, name: str, part: Split) -> Iterator[LabelledText]:
        file = _FILES.get(part)
        lines, odd = _lines(raw, file) if file else (), OddRecords(f"{file}")
        yield from sound(odd, lines, lambda line: _labelled(line[1], name, part, line[0], f"{file}:{line[0]}"))
        self.left_out_of(f"{name} {part}", odd)


def _labelled(line: str, name: str, part: Split, number: int, where: str) -> LabelledText:
    code, _, question = line.partition(" ")
    if not _LABEL.fullmatch(code):
        raise SourceError(f"begins with {code!r:.40}, not with a label as NUM:date", where=where, fix=_AGAIN)
    return labelled_text(part, number, question, code if name == "trec_fine" else code.partition(":")[0], where)


class Trec(_Trec, Addressed):
    """Options of kind `trec`: `url`."""

    kind: ClassVar[str] = "trec"
    info: ClassVar[SourceInfo] = _info("TREC question classification", "5,452 questions of train, 500 of test")

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"{_URL}/{name}", md5=_MD5[name], also=(f"{_ALSO}/{name}",)) for name in _FILES.values()]


class TrecMirror(_Trec):
    """Kind `trec_mirror`; no options."""

    kind: ClassVar[str] = "trec_mirror"
    info: ClassVar[SourceInfo] = _info(
        "TREC question classification (mirror copy)", "all questions; carriers changed a few bytes of both files"
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(name, f"mirror:icl/trec_qc/{name}") for name in _FILES.values()]


def _lines(raw: Path, file: str) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of every line that is not blank."""
    try:
        lines = (raw / file).read_bytes().replace(_ODD, b" ").splitlines()
    except FileNotFoundError:
        raise SourceError("is missing", where=file, fix="fetch the source again") from None
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("ascii").strip()
        except UnicodeDecodeError as error:
            problem = f"not ASCII at byte {error.start:,} of the line"
            raise SourceError(problem, where=f"{file}:{number}", fix=_AGAIN) from None
        if text:
            yield number, text
