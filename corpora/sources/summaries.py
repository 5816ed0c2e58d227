"""Texts with a summary of each: GovReport (Huang et al. 2021), Multi-News (Fabbri et al. 2019), SAMSum (Gliwa et al. 2019).

Kinds `gov_report`, `multi_news` and `samsum` are Parquet files on the Hub; `samsum_mirror` is SAMSum's test file. A document is a report, a
cluster of news under numbered headers (clusters of fewer than two articles are left out), or a chat with a blank line between turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import Mirrored
from corpora.sources.base import Batch, Piece
from corpora.sources.document_source import DocumentSource, known_faults, record_id, summary_question
from corpora.sources.formats.fields import text, text_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.text_cleanup import without_link
from corpora.sources.hub_rows import CONVERTED, Entry, HubDocuments, Row
from corpora.sources.longbench_items import news, parted
from corpora.sources.question_source import Shares, share_split
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from haymaker.core.text.strings import padded

_CHATS = "samsum_test_repaired.jsonl"


class GovReport(HubDocuments):
    """Options of kind `gov_report`: `splits`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "gov_report"
    revision: str | None = "4e21184e01ae8017e2c036e180fe5e541fef60a0"
    texts = ("report", "summary")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        whole, summary = text(row.fields, "report", row.where), text(row.fields, "summary", row.where)
        return _entry(row, f"Report {row.key}", whole, summary)


class MultiNews(HubDocuments):
    """Options of kind `multi_news`: `splits`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "multi_news"
    version = 3
    revision: str | None = CONVERTED
    texts = ("document", "summary")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        whole = news(text_of(row.fields["document"], "document", row.where).split("|||||"))
        if not whole:
            left_out["clusters of fewer than two articles"] += 1
            return None
        return _entry(row, f"Collection {row.key}", whole, without_link(text(row.fields, "summary", row.where)))


class SamSum(HubDocuments):
    """Options of kind `samsum`: `splits`, `files_each`, `revision`, `url`. The terms forbid commercial use and derivatives."""

    kind: ClassVar[str] = "samsum"
    version = 3
    revision: str | None = CONVERTED
    splits: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test", "train")
    texts = ("id", "dialogue", "summary")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        if not str(row.fields["dialogue"] or "").strip():
            left_out["chats without a word"] += 1
            return None
        key, chat, summary = _chat(row.fields, row.where)
        if key in known_faults("samsum"):
            left_out["chats whose summary is known to be wrong"] += 1
            return None
        return _entry(row, "", chat, summary)


class SamSumMirror(Mirrored, DocumentSource):
    """Options of kind `samsum_mirror`.

    Attributes:
        splits: whole-number shares of the splits, assigned by the words of a chat. The mirror has no train file.
    """

    kind: ClassVar[str] = "samsum_mirror"
    version = 3
    splits: Shares = Field(default={"test": 25, "train": 75})

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_CHATS])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for key, chat, _ in self._chats(raw, piece):
                yield Document(key, "", self._split(chat), chat)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        wrong = 0
        for key, chat, summary in self._chats(raw, Piece(_CHATS, 0, -1)):
            if key in known_faults("samsum"):
                wrong += 1
            else:
                yield summary_question(key, self._split(chat), summary)
        if wrong:
            self._odd[f"{name} (summary known to be wrong)"] = wrong

    def _split(self, chat: str) -> Split:
        return share_split(padded(chat), self.splits)

    def _chats(self, raw: Path, piece: Piece) -> Iterator[tuple[str, str, str]]:
        return (_chat(record, where) for where, record in json_lines(raw, piece))


def _entry(row: Row, title: str, whole: str, summary: str) -> Entry:
    return Entry(whole, title, (summary_question(row.key, row.split, summary),))


def _chat(record: dict[str, Any], where: str) -> tuple[str, str, str]:
    """Id, chat and summary of a record."""
    return record_id(record, "id", where), parted(text(record, "dialogue", where)), text(record, "summary", where)
