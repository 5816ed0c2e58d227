"""English Wikipedia: the articles of KILT, and passages of 100 words as KILT and DPR published them (docs/spec/helmet.md 3, 4).

The 37 GB of articles are read in batches of whole lines, one article in memory at a time (Petroni et al. 2021).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

from corpora.sources.addressed import Addressed, Mirrored, Unpacked
from corpora.sources.base import Batch, Piece
from corpora.sources.formats.fields import id_of, text, texts, value_of, whole_number
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.formats.tsv import quoted_batches, quoted_rows
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Article, Paragraph, Passage

_ARTICLES = "kilt_knowledgesource.json"
_SECTION = "Section::::"
_ESCAPED = re.compile("(?:%[89A-F][0-9A-F])+")  # characters outside ASCII
_BULLET = re.compile(r"BULLET::::\s*(?:-\s*)?")
_PASSAGES = "psgs_w100.tsv"
_COLUMNS = ("id", "text", "title")
_WHOLE_WORDS, _PIECE_WORDS = 150, 100


class KiltWikipedia(Addressed):
    """Options of kind `kilt_wikipedia`: `url`."""

    kind: ClassVar[str] = "kilt_wikipedia"

    def check(self, raw: Path) -> None:
        check_articles(raw, _ARTICLES)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_ARTICLES])

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        return self.sound("articles", _placed(raw, batch), lambda placed: _article(*placed), few=1)


def kilt_articles(raw: Path, batch: Batch) -> Iterator[Article]:
    """Articles of a batch of lines in KILT's layout: wikipedia_id, wikipedia_title, text (a list of paragraphs).

    Paragraphs keep their numbers, so provenance finds them; paragraph 0 is the title. Headings lose their marks and full
    stop, list items their marks and dash.
    """
    return (_article(*placed) for placed in _placed(raw, batch))


def check_articles(raw: Path, path: str) -> None:
    """Require an article at the beginning of a file."""
    if next(kilt_articles(raw, Batch(0, (Piece(path, 0, -1),))), None) is None:
        raise SourceError("contains no article", where=path, fix="fetch the source again")


def _placed(raw: Path, batch: Batch) -> Iterator[tuple[str, dict[str, Any]]]:
    for piece in batch.pieces:
        yield from json_lines(raw, piece)


def _article(where: str, record: dict[str, Any]) -> Article:
    paragraphs = [" ".join(each.splitlines()).strip() for each in texts(record, "text", where)]
    if not paragraphs:
        raise OddRecordError(
            "'text' contains no paragraph, not even the title", where=where, fix="fetch the source again"
        )
    article_id = id_of(value_of(record, "wikipedia_id", where), "wikipedia_id", where)
    rest = map(_paragraph, paragraphs[1:])
    return Article(article_id, text(record, "wikipedia_title", where), (Paragraph("title", paragraphs[0]), *rest))


def _paragraph(line: str) -> Paragraph:
    if line.startswith(_SECTION):
        return Paragraph("section", line.removeprefix(_SECTION).removesuffix(".").strip())
    bullet = _BULLET.match(line)
    return Paragraph("bullet", line[bullet.end() :]) if bullet else Paragraph("text", line)


class _Passages(Unpacked):
    """One file of passages with the columns id, text and title."""

    def check(self, raw: Path) -> None:
        next(self.passages(raw, self.batches(raw)[0]), None)

    def batches(self, raw: Path) -> list[Batch]:
        return quoted_batches(raw, _PASSAGES, _COLUMNS)

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for where, (number, content, title) in quoted_rows(raw, piece, len(_COLUMNS)):
                yield Passage(str(whole_number(number, "id", where)), "", self.titled(title), "", content.strip())

    def titled(self, title: str) -> str:
        """A title without escapes of the file."""
        return title.strip()


class KiltPassages(_Passages, Addressed):
    """Options of kind `kilt_passages`: `url`."""

    kind: ClassVar[str] = "kilt_passages"


class DprPassages(_Passages, Addressed):
    """Options of kind `dpr_passages`: `url`."""

    kind: ClassVar[str] = "dpr_passages"


class WikipediaMirror(Mirrored, _Passages):
    """Kind `wikipedia_mirror`: 30,196 passages that hold the evidence of the mirror's question sets."""

    kind: ClassVar[str] = "wikipedia_mirror"
    version: ClassVar[int] = 2

    def titled(self, title: str) -> str:
        """A title without escapes of HTML and of addresses ("2007%E2%80%9308"); "100%" stays."""
        return _ESCAPED.sub(lambda found: unquote(found[0]), html.unescape(title)).strip()


def slice_pieces(text: str) -> list[str]:
    """The passages that the slice has of a paragraph: white space folded, more than 150 words cut into hundreds."""
    words = text.split()
    size = max(1, len(words)) if len(words) <= _WHOLE_WORDS else _PIECE_WORDS
    return [" ".join(words[at : at + size]) for at in range(0, len(words), size)]
