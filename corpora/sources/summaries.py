"""Reports and news with a summary of each: GovReport (Huang et al. 2021) and Multi-News (Fabbri et al. 2019).

Kinds `gov_report` and `multi_news`: Parquet files on the Hub. A document is a report, or a cluster of news under numbered headers;
clusters of fewer than two articles are left out. The publisher's validation set is part dev.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from corpora.sources.base import SourceInfo
from corpora.sources.formats.fields import text, text_of
from corpora.sources.formats.text_cleanup import without_link
from corpora.sources.hub_rows import CONVERTED, Entry, HubDocuments, Row
from corpora.sources.longbench_items import news
from haymaker.core.rows.source_records import DocumentQuestion, Split

_REPORTS = "4e21184e01ae8017e2c036e180fe5e541fef60a0"
_BETWEEN = "|||||"


def _info(
    title: str,
    homepage: str,
    licence: str,
    licences: tuple[str, ...],
    redistribution: bool | str,
    size: int,
    note: str,
) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage=homepage,
        licence=licence,
        licences=licences,
        redistribution=redistribution,
        roles=("documents", "document_questions"),
        download_bytes=size,
        note=note,
    )


class GovReport(HubDocuments):
    """Options of kind `gov_report`: `parts`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "gov_report"
    info: ClassVar[SourceInfo] = _info(
        "GovReport",
        "https://gov-report-data.github.io",
        "public domain (reports of the United States' government); the data set names no licence",
        ("public-domain", "unstated"),
        "reports freely; the collection has no licence of its own",
        24_000_000,
        "973 reports of test, 973 of validation, 17,517 of train (457 MB); all tables are left out by the publisher",
    )
    repo: ClassVar[str] = "ccdv/govreport-summarization"
    revision: str | None = _REPORTS
    sets: ClassVar[tuple[str, ...]] = ("gov_report",)
    globs: ClassVar[dict[Split, str]] = {
        "test": "document/test-*.parquet",
        "dev": "document/validation-*.parquet",
        "train": "document/train-*.parquet",
    }
    plain: ClassVar[dict[Split, str]] = {
        "test": "document/test-00000-of-00001.parquet",
        "dev": "document/validation-00000-of-00001.parquet",
        "train": "document/train-00000-of-00002.parquet",
    }
    texts: ClassVar[tuple[str, ...]] = ("report", "summary")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        return _summed(row, text(row.fields, "report", row.where), "Report", text(row.fields, "summary", row.where))


class MultiNews(HubDocuments):
    """Options of kind `multi_news`: `parts`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "multi_news"
    version: ClassVar[int] = 3
    info: ClassVar[SourceInfo] = _info(
        "Multi-News",
        "https://github.com/Alex-Fabbri/Multi-News",
        "terms of its publisher: research, no commercial use; articles belong to their newspapers",
        ("research", "others"),
        False,
        35_000_000,
        "5,622 clusters of test and of validation, 44,972 of train; sizes are estimates",
    )
    repo: ClassVar[str] = "alexfabbri/multi_news"
    revision: str | None = CONVERTED
    sets: ClassVar[tuple[str, ...]] = ("multi_news",)
    globs: ClassVar[dict[Split, str]] = {
        "test": "*/test/*.parquet",
        "dev": "*/validation/*.parquet",
        "train": "*/*train/*.parquet",
    }
    plain: ClassVar[dict[Split, str]] = {
        "test": "default/test/0000.parquet",
        "dev": "default/validation/0000.parquet",
        "train": "default/train/0000.parquet",
    }
    texts: ClassVar[tuple[str, ...]] = ("document", "summary")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        whole = news(text_of(row.fields["document"], "document", row.where).split(_BETWEEN))
        if not whole:
            left_out["clusters of fewer than two articles"] += 1
            return None
        return _summed(row, whole, "Collection", without_link(text(row.fields, "summary", row.where)))


def _summed(row: Row, whole: str, what: str, summary: str) -> Entry:
    return Entry(
        whole,
        f"{what} {row.key}",
        (DocumentQuestion(row.key, row.key, row.part, "summary", "", references=(summary,)),),
    )
