"""SAMSum: chats with a summary (Gliwa et al. 2019). Kinds `samsum` (Parquet on the Hub) and `samsum_mirror` (its test file).

A document is a chat, one turn a paragraph, a blank line between turns. The mirror has no train file: a share of the chats,
decided by their words, is part train. The terms forbid commercial use and derivatives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.base import Batch, FetchContext, Piece, RawFile, SourceInfo
from corpora.sources.document_source import DocumentSource
from corpora.sources.formats.fields import id_of, text, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.hub_rows import CONVERTED, Entry, HubDocuments, Row
from corpora.sources.longbench_items import parted
from corpora.sources.splits import SomeShares, share_split
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from haymaker.core.text.strings import padded

_MIRROR_FILE = "samsum_test_repaired.jsonl"


def _info(title: str, size: int, note: str, obtain: str = "") -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://arxiv.org/abs/1911.12237",
        licence="CC BY-NC-ND 4.0",
        licences=("cc-by-nc-nd-4.0", "gated") if obtain else ("cc-by-nc-nd-4.0",),
        redistribution=False,
        roles=("documents", "document_questions"),
        download_bytes=size,
        obtain=obtain,
        note=note,
    )


def _quarter() -> dict[Split, int]:
    return {"test": 25, "train": 75}


class SamSumMirror(DocumentSource):
    """Options of kind `samsum_mirror`.

    Attributes:
        parts: whole-number shares, decided by the words of a chat.
    """

    kind: ClassVar[str] = "samsum_mirror"
    info: ClassVar[SourceInfo] = _info(
        "SAMSum (mirror copy: 815 of 819 chats of its test file)", 206_685, "the test file alone, split here by words"
    )
    sets: ClassVar[tuple[str, ...]] = ("samsum",)
    parts: SomeShares = Field(default_factory=_quarter)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_MIRROR_FILE}.gz", f"mirror:samsum/{_MIRROR_FILE}.gz")]

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_MIRROR_FILE])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for key, part, chat, _ in self._chats(raw, piece):
                yield Document(key, "", part, chat)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        for key, part, _, summary in self._chats(raw, Piece(_MIRROR_FILE, 0, -1)):
            yield DocumentQuestion(key, key, part, "summary", "", references=(summary,))

    def _chats(self, raw: Path, piece: Piece) -> Iterator[tuple[str, Split, str, str]]:
        for number, record in json_lines(raw, piece):
            where = f"{_MIRROR_FILE}:{number}"
            key, chat, summary = chat_of(record, where)
            yield key, share_split(padded(chat), self.parts), chat, summary


class SamSum(HubDocuments):
    """Options of kind `samsum`: `parts`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "samsum"
    info: ClassVar[SourceInfo] = _info(
        "SAMSum",
        7_000_000,
        "819 chats of test, 818 of validation, 14,732 of train; the size is an estimate",
        "where the Hub does not hand it out: corpus.7z among the files of the paper on arXiv (1911.12237); write test, validation"
        " and train as Parquet with columns id, dialogue, summary, and name their folder in `url`",
    )
    repo: ClassVar[str] = "Samsung/samsum"
    revision: str | None = CONVERTED
    sets: ClassVar[tuple[str, ...]] = ("samsum",)
    parts: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test", "train")
    globs: ClassVar[dict[Split, str]] = {
        "test": "samsum/test/*.parquet",
        "dev": "samsum/validation/*.parquet",
        "train": "samsum/train/*.parquet",
    }
    plain: ClassVar[dict[Split, str]] = {
        "test": "samsum/test/0000.parquet",
        "dev": "samsum/validation/0000.parquet",
        "train": "samsum/train/0000.parquet",
    }
    texts: ClassVar[tuple[str, ...]] = ("id", "dialogue", "summary")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        if not str(row.fields["dialogue"] or "").strip():
            left_out["chats without a word"] += 1
            return None
        _, chat, summary = chat_of(row.fields, row.where)
        return Entry(chat, "", (DocumentQuestion(row.key, row.key, row.part, "summary", "", references=(summary,)),))


def chat_of(record: dict[str, Any], where: str) -> tuple[str, str, str]:
    """Id, chat and summary of a record.

    Raises:
        SourceError: one is missing or empty.
    """
    key = id_of(value_of(record, "id", where), "id", where)
    return key, parted(text(record, "dialogue", where)), text(record, "summary", where)
