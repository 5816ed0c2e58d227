"""The KILT knowledge source: Wikipedia of 2019-08-01, one article a line (Petroni et al. 2021; docs/spec/helmet.md 3).

37 GB in one file: read in batches of whole lines by byte ranges, one article in memory at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import Batch, Piece, RawFile, SourceInfo
from corpora.sources.formats.fields import id_of, text, texts, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecordError, OddRecords, sound
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Article, Paragraph

_FILE = "kilt_knowledgesource.json"
_URL = f"https://dl.fbaipublicfiles.com/KILT/{_FILE}"
_BYTES = 37_318_876_722
_SHA256 = "f966d6f09c4ff91656db5c56c384f136b0c495c7083c043586b8cb1033c389a5"
_SECTION = "Section::::"
_BULLET = re.compile(r"BULLET::::\s*(?:-\s*)?")


class KiltWikipedia(Addressed):
    """Options of kind `kilt_wikipedia`: `url`."""

    kind: ClassVar[str] = "kilt_wikipedia"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="KILT knowledge source (English Wikipedia, 2019-08-01)",
        homepage="https://github.com/facebookresearch/KILT",
        licence="CC BY-SA 3.0",
        roles=("articles",),
        download_bytes=_BYTES,
        note="5,903,530 articles in one file of 37 GB",
        passages=36_000_000,
    )

    def files(self) -> list[RawFile]:
        return [RawFile(_FILE, _URL, _BYTES, _SHA256)]

    def check(self, raw: Path) -> None:
        check_articles(raw, _FILE)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_FILE])

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        odd = OddRecords("articles")
        for piece in batch.pieces:
            yield from sound(odd, json_lines(raw, piece), partial(_numbered, piece.path))
        self.left_out_of("articles", odd, few=1)


def _numbered(path: str, line: tuple[int, dict[str, Any]]) -> Article:
    return _article(line[1], f"{path}:{line[0]}")


def kilt_articles(raw: Path, batch: Batch) -> Iterator[Article]:
    """Articles of a batch of lines in KILT's layout: wikipedia_id, wikipedia_title, text (a list of paragraphs).

    Paragraphs keep their numbers, so provenance finds them; paragraph 0 is the title. Their marks are taken off: headings
    lose their full stop, list items their dash.

    Raises:
        SourceError: a line of another shape; names it.
    """
    for piece in batch.pieces:
        for number, record in json_lines(raw, piece):
            yield _article(record, f"{piece.path}:{number}")


def check_articles(raw: Path, path: str) -> None:
    """Demand an article in the first batch of a file.

    Raises:
        SourceError: the file is empty, or its first line has another shape.
    """
    if next(kilt_articles(raw, Batch(0, (Piece(path, 0, -1),))), None) is None:
        raise SourceError("holds no article", where=path, fix="fetch the source again")


def _article(record: dict[str, Any], where: str) -> Article:
    paragraphs = texts(record, "text", where)
    if not paragraphs:
        raise OddRecordError("'text' holds no paragraph, not even the title", where=where, fix="fetch the source again")
    article_id = id_of(value_of(record, "wikipedia_id", where), "wikipedia_id", where)
    title = text(record, "wikipedia_title", where)
    first = Paragraph("title", _line(paragraphs[0]))
    return Article(article_id, title, (first, *map(_paragraph, paragraphs[1:])))


def _paragraph(raw: str) -> Paragraph:
    line = _line(raw)
    if line.startswith(_SECTION):
        return Paragraph("section", line.removeprefix(_SECTION).removesuffix(".").strip())
    bullet = _BULLET.match(line)
    return Paragraph("bullet", line[bullet.end() :]) if bullet else Paragraph("text", line)


def _line(raw: str) -> str:
    return " ".join(raw.splitlines()).strip()
