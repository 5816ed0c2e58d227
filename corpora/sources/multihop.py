"""Multi-hop questions: HotpotQA (Yang et al. 2018; docs/spec/helmet.md 5.3) and 2WikiMultihopQA (Ho et al. 2020).

The publisher's validation set is split test, because the test sets have no answers. On the Hub evidence is by the article's
title, because the articles come from KILT; in the mirror it is passages of the slice of Wikipedia.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import Mirrored
from corpora.sources.base import FetchContext
from corpora.sources.formats.fields import answers, id_of, text, text_of, texts, value_of, whole_number
from corpora.sources.formats.json_files import json_array
from corpora.sources.hub_rows import CONVERTED, HubRows, Row
from corpora.sources.question_source import Placed, QuestionSource
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_AGAIN = "fetch the source again, or fix that record"


class _Hops(QuestionSource, HubRows):
    """Both kinds of the Hub; `texts` has id, question, answer and type."""

    others: ClassVar[tuple[str, ...]] = ("supporting_facts", "context")
    sorts: ClassVar[dict[str, str]]  # the source's type of a question -> ours

    def arrange(self, stage: Path, context: FetchContext) -> None:
        self.check_shape(stage)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        rows = self.all_records(raw) if split in self.splits else ()
        return self.sound(f"{name} {split}", (row for row in rows if row.split == split), self._question)

    def _question(self, row: Row) -> Question:
        where, fields = row.where, row.fields
        key, asked, answer, _ = (fields[column] for column in self.texts)
        gold = titles(fields, "supporting_facts", where)
        return Question(
            id_of(key, self.texts[0], where),
            row.split,
            text({"question": asked}, "question", where),
            _sort(fields, self.sorts, where),
            answers=answers([text({"answer": answer}, "answer", where)], where),
            evidence=tuple(Evidence(title=title) for title in gold),
            shown=tuple(Evidence(title=title) for title in titles(fields, "context", where) if title not in gold),
        )


class HotpotQa(_Hops):
    """Options of kind `hotpotqa`: `splits`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "hotpotqa"
    revision: str | None = CONVERTED
    sets: ClassVar[tuple[str, ...]] = ("hotpotqa",)
    texts: ClassVar[tuple[str, ...]] = ("id", "question", "answer", "type")
    sorts: ClassVar[dict[str, str]] = {"bridge": "bridge", "comparison": "comparison"}


class WikiMqa2(_Hops):
    """Options of kind `wikimqa2`: `splits`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "wikimqa2"
    sets: ClassVar[tuple[str, ...]] = ("wikimqa2",)
    texts: ClassVar[tuple[str, ...]] = ("_id", "question", "answer", "type")
    sorts: ClassVar[dict[str, str]] = {
        "comparison": "comparison",
        "bridge_comparison": "comparison",
        "compositional": "bridge",
        "inference": "bridge",
    }


class HotpotQaMirror(Mirrored, QuestionSource):
    """Kind `hotpotqa_mirror`: 100 records of dev in the Hub's columns, and 100 of train in the form of the original release.

    The mirror's third file, 300 dev questions with their paragraphs joined to one text, does not name the paragraphs that
    support the answer and is not used.
    """

    kind: ClassVar[str] = "hotpotqa_mirror"
    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("hotpotqa",)
    splits: ClassVar[dict[Split, str]] = {
        "test": "hotpot_dev_distractor_first100.json",
        "train": "hotpotqa_train_100.json",
    }

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        def read(numbered: tuple[int, Placed]) -> Question:
            number, (where, record) = numbered
            evidence = tuple(dict.fromkeys(_supporting(record, where)))
            every = (each for title, lines in _context(record, where).items() for each in _passages(title, lines))
            return Question(
                f"{split}-{number:05d}",
                split,
                text(record, "question", where),
                _sort(record, HotpotQa.sorts, where),
                answers=answers([text(record, "answer", where)], where),
                evidence=evidence,
                shown=tuple(each for each in dict.fromkeys(every) if each not in evidence),
            )

        records = json_array(raw / self.splits[split]) if split in self.splits else ()
        return self.sound(f"{name} {split}", enumerate(records, 1), read)


def titles(record: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Titles in a column, none twice: a list of pairs, titles or objects, an object of lists, or JSON of these.

    Raises:
        SourceError: another shape, or no title.
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
        raise SourceError(f"{key!r} contains no article title", where=where, fix=_AGAIN)
    return tuple(dict.fromkeys(listed))


def _title(fact: object, key: str, where: str) -> str:
    named = fact.get("title") if isinstance(fact, dict) else fact[0] if isinstance(fact, list) and fact else fact
    return html.unescape(text_of(named, key, where)).strip()


def _sort(record: dict[str, Any], known: dict[str, str], where: str) -> str:
    """Bridge or comparison."""
    sort = text(record, "type", where)
    if sort not in known:
        raise SourceError(f"'type' is {sort!r:.40}, not one of {', '.join(known)}", where=where, fix=_AGAIN)
    return known[sort]


def _context(record: dict[str, Any], where: str) -> dict[str, list[str]]:
    """Title -> sentences of every paragraph, in the order of the record."""
    found = _pairs(record, "context", ("title", "sentences"), where)
    return {text_of(title, "title", where): texts({"sentences": lines}, "sentences", where) for title, lines in found}


def _passages(title: str, sentences: list[str]) -> list[Evidence]:
    """The passages of the slice that a paragraph became."""
    return [Evidence(title=html.unescape(title), text=piece) for piece in slice_pieces("".join(sentences))]


def _supporting(record: dict[str, Any], where: str) -> Iterator[Evidence]:
    """The passages that hold the supporting sentences, in the order of the record."""
    context = _context(record, where)
    for title, number in _pairs(record, "supporting_facts", ("title", "sent_id"), where):
        sentences, at = context.get(text_of(title, "title", where), []), whole_number(number, "sentence number", where)
        if at >= len(sentences):
            raise SourceError(f"no sentence {at} in paragraph {title!r:.60}", where=where, fix=_AGAIN)
        first, last = (len("".join(sentences[:end]).split()) for end in (at, at + 1))
        end = 0
        for passage in _passages(title, sentences):
            start, end = end, end + len(str(passage.text).split())
            if start < last and end > first:
                yield passage


def _pairs(record: dict[str, Any], key: str, columns: tuple[str, str], where: str) -> list[tuple[Any, Any]]:
    """Pairs, given as a list of pairs (original release) or as two lists of equal length (the Hub)."""
    found = value_of(record, key, where)
    if isinstance(found, dict):
        left, right = (value_of(found, column, where) for column in columns)
        lists = isinstance(left, list) and isinstance(right, list) and len(left) == len(right)
        found = list(zip(left, right, strict=True)) if lists else None
    if not isinstance(found, list) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in found):
        raise SourceError(f"{key!r} contains no pairs", where=where, fix=_AGAIN)
    return [(left, right) for left, right in found]
