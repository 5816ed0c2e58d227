"""Multi-hop questions whose articles come from elsewhere (KILT): evidence is by the article's title.

Kinds `hotpotqa` (Yang et al. 2018) and `wikimqa2` (2WikiMultihopQA, Ho et al. 2020): Parquet files on the Hub. The publisher's
validation set is part test, as the test sets have no answers.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.formats.fields import answers, id_of, text, text_of, value_of
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.hub_rows import CONVERTED, HubRows, Row
from corpora.sources.question_source import QuestionSource
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_AGAIN = "fetch the source again, or mend that record"


def _info(title: str, homepage: str, licence: str, licences: tuple[str, ...], size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage=homepage,
        licence=licence,
        licences=licences,
        redistribution="with attribution, under the same licence",
        roles=("questions",),
        download_bytes=size,
        note=note,
    )


class _Hops(QuestionSource, HubRows):
    """What both kinds share."""

    sorts: ClassVar[dict[str, str]]  # the source's type of a question -> ours

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            self.check_shape(stage)
        return got

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        rows = (row for row in (self.all_records(raw) if part in self.parts else ()) if row.part == part)
        odd = OddRecords(name)
        yield from sound(odd, rows, self._question)
        self.left_out_of(f"{name} {part}", odd)

    def _question(self, row: Row) -> Question:
        sort = text(row.fields, "type", row.where)
        if sort not in self.sorts:
            raise SourceError(
                f"'type' is {sort!r:.40}, not one of {', '.join(self.sorts)}", where=row.where, fix=_AGAIN
            )
        gold = titles(row.fields, "supporting_facts", row.where)
        return Question(
            id_of(row.fields[self.texts[0]], self.texts[0], row.where),
            row.part,
            text(row.fields, "question", row.where),
            self.sorts[sort],
            answers=answers([text(row.fields, "answer", row.where)], row.where),
            evidence=tuple(Evidence(title=title) for title in gold),
            shown=tuple(
                Evidence(title=title) for title in titles(row.fields, "context", row.where) if title not in gold
            ),
        )


class HotpotQa(_Hops):
    """Options of kind `hotpotqa`: `parts`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "hotpotqa"
    info: ClassVar[SourceInfo] = _info(
        "HotpotQA (distractor setting)",
        "https://hotpotqa.github.io",
        "CC BY-SA 4.0",
        ("cc-by-sa-4.0",),
        27_500_000,
        "7,405 questions of dev as part test, 90,447 of train; the size is an estimate",
    )
    repo: ClassVar[str] = "hotpotqa/hotpot_qa"
    revision: str | None = CONVERTED
    sets: ClassVar[tuple[str, ...]] = ("hotpotqa",)
    globs: ClassVar[dict[Split, str]] = {
        "test": "distractor/validation*.parquet",
        "train": "distractor/*train*.parquet",
    }
    plain: ClassVar[dict[Split, str]] = {
        "test": "distractor/validation/0000.parquet",
        "train": "distractor/train/0000.parquet",
    }
    texts: ClassVar[tuple[str, ...]] = ("id", "question", "answer", "type")
    others: ClassVar[tuple[str, ...]] = ("supporting_facts", "context")
    sorts: ClassVar[dict[str, str]] = {"bridge": "bridge", "comparison": "comparison"}


class WikiMqa2(_Hops):
    """Options of kind `wikimqa2`: `parts`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "wikimqa2"
    info: ClassVar[SourceInfo] = _info(
        "2WikiMultihopQA",
        "https://github.com/Alab-NII/2wikimultihop",
        "Apache-2.0; paragraphs of Wikipedia CC BY-SA",
        ("apache-2.0", "cc-by-sa"),
        60_000_000,
        "12,576 questions of dev as part test, 167,454 of train; the size is an estimate",
    )
    repo: ClassVar[str] = "xanhho/2WikiMultihopQA"
    sets: ClassVar[tuple[str, ...]] = ("wikimqa2",)
    globs: ClassVar[dict[Split, str]] = {"test": "dev*.parquet", "train": "train*.parquet"}
    plain: ClassVar[dict[Split, str]] = {"test": "dev.parquet", "train": "train.parquet"}
    texts: ClassVar[tuple[str, ...]] = ("_id", "question", "answer", "type")
    others: ClassVar[tuple[str, ...]] = ("supporting_facts", "context")
    sorts: ClassVar[dict[str, str]] = {
        "comparison": "comparison",
        "bridge_comparison": "comparison",
        "compositional": "bridge",
        "inference": "bridge",
    }


def titles(record: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Titles of the articles that a column names, each once: of pairs, of objects, of an object of lists, or of JSON of these.

    Raises:
        SourceError: another shape, or none.
    """
    found = value_of(record, key, where)
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{key!r} is not JSON: {error}", where=where, fix=_AGAIN) from None
    if isinstance(found, dict):
        found = value_of(found, "title", where)
    listed = [_title(each, key, where) for each in found] if isinstance(found, list) else []
    if not listed:
        raise SourceError(f"{key!r} names no article", where=where, fix=_AGAIN)
    return tuple(dict.fromkeys(listed))


def _title(fact: object, key: str, where: str) -> str:
    named = fact.get("title") if isinstance(fact, dict) else fact[0] if isinstance(fact, list) and fact else fact
    return html.unescape(text_of(named, key, where)).strip()
