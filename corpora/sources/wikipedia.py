"""Wikipedia in passages of 100 words, as published: KILT's split and DPR's (docs/spec/helmet.md 3, 4).

Kinds `kilt_passages`, `dpr_passages` (psgs_w100.tsv: id, text, title) and `wikipedia_mirror` (a slice of the same form).
The .tsv.gz is unpacked at download: gzip cannot be entered in the middle, plain bytes can.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import Addressed, Unpacked
from corpora.sources.base import Batch, FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import whole_number
from corpora.sources.formats.tsv import quoted_batches, quoted_rows
from haymaker.core.rows.source_records import Passage

_FILE = "psgs_w100.tsv"
_COLUMNS = ("id", "text", "title")
_SLICE = "wiki/psgs_w100.slice.tsv.gz"


def _info(title: str, homepage: str, size: int, passages: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage=homepage,
        licence="CC BY-SA 3.0",
        roles=("passages",),
        download_bytes=size,
        note=note,
        passages=passages,
    )


class _Split(Unpacked):
    """What the kinds share: one file of passages."""

    def check(self, raw: Path) -> None:
        next(self.passages(raw, self.batches(raw)[0]), None)

    def batches(self, raw: Path) -> list[Batch]:
        return quoted_batches(raw, _FILE, _COLUMNS)

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for where, (number, text, title) in quoted_rows(raw, piece, len(_COLUMNS)):
                yield Passage(str(whole_number(number, "id", where)), "", self.titled(title), "", text.strip())

    def titled(self, title: str) -> str:
        """A title as people write it."""
        return title.strip()


class KiltPassages(_Split, Addressed):
    """Options of kind `kilt_passages`: `url`."""

    kind: ClassVar[str] = "kilt_passages"
    info: ClassVar[SourceInfo] = _info(
        "KILT Wikipedia in 100-word passages (2019-08-01)",
        "https://github.com/facebookresearch/KILT",
        10_000_000_000,
        36_000_000,
        "size and number of passages are estimates; the file is locked at the first download",
    )

    def files(self) -> list[RawFile]:
        return [RawFile(f"{_FILE}.gz", f"https://dl.fbaipublicfiles.com/ur/wikipedia_split/{_FILE}.gz")]


class DprPassages(_Split, Addressed):
    """Options of kind `dpr_passages`: `url`."""

    kind: ClassVar[str] = "dpr_passages"
    info: ClassVar[SourceInfo] = _info(
        "DPR Wikipedia in 100-word passages (2018-12-20)",
        "https://github.com/facebookresearch/DPR",
        4_694_541_059,
        21_015_324,
        "unpacks to about 14 GB",
    )

    def files(self) -> list[RawFile]:
        url = f"https://dl.fbaipublicfiles.com/dpr/wikipedia_split/{_FILE}.gz"
        return [RawFile(f"{_FILE}.gz", url, 4_694_541_059, md5="612fe66e0b6b41ee28f806140226c563")]


class WikipediaMirror(_Split):
    """Kind `wikipedia_mirror`: 30,196 passages that hold the evidence of the mirror's question sets; no options."""

    kind: ClassVar[str] = "wikipedia_mirror"
    info: ClassVar[SourceInfo] = _info(
        "Wikipedia (mirror slice: 30,196 passages)",
        "https://en.wikipedia.org",
        4_961_327,
        30_196,
        "gold and neighbouring paragraphs of seven data sets, cut anew: bytes differ from KILT and DPR",
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_FILE}.gz", f"mirror:{_SLICE}")]

    def titled(self, title: str) -> str:
        """Some of the files it was made from have "&amp;" in titles."""
        return html.unescape(title).strip()


_WHOLE_WORDS = 150
_PIECE_WORDS = 100


def slice_pieces(text: str) -> list[str]:
    """The passages that the slice has of a paragraph: white space folded, more than 150 words cut into hundreds."""
    words = text.split()
    size = max(1, len(words)) if len(words) <= _WHOLE_WORDS else _PIECE_WORDS
    return [" ".join(words[at : at + size]) for at in range(0, len(words), size)]
