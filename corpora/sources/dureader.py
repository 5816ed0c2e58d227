"""DuReader 2.0: search engine queries, the pages in the results, and answers that people wrote from them (arXiv 1711.05073).

Kinds: `dureader` (the publisher's archive, split dev) and `dureader_mirror` (the publisher's demonstration, and six items of LongBench's dureader).
A passage is a distinct page; the evidence of a question is the pages that people used, `shown` the other results. `kind` is
`fact`, `unanswered`, or for answers that disagree or are uncertain, `opinion` or `yes_no`.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, PrivateAttr

from corpora.sources.addressed import Addressed, Mirrored
from corpora.sources.base import FetchContext
from corpora.sources.document_source import DistinctPassages, arranged, record_id, text_id
from corpora.sources.formats.fields import answers, objects, text, texts
from corpora.sources.formats.lines import json_file
from corpora.sources.formats.web_pages import page_lines, page_title
from corpora.sources.longbench_items import items, numbered, the_file
from corpora.sources.question_source import held_out
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import terms, told

TOLD = 0.8  # share of an answer's terms in a page that contains the answer
_COMMON = 0.7  # share of an answer's terms in another answer with the same meaning
_SET, _CHOSEN = "dureader", "asked.jsonl"
_MARK = re.compile(r"@content\d+@")
_BRACKETS = str.maketrans("【】", "[]")  # of a title, which stands in 【】 itself


class _DuReader(DistinctPassages):
    version = 6
    sets = (_SET,)
    asked_files: ClassVar[tuple[str, ...]]  # with the questions
    _removed: Counter[str] = PrivateAttr(default_factory=Counter)  # pieces of pages that `passage_texts` left out

    def records(self, raw: Path, names: Sequence[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Id, place and fields of every question in some files."""
        for name in names:
            half = "" if name == _CHOSEN else f"{name.removeprefix('demo.').removesuffix('.json')}-"
            for where, record in json_file(raw, the_file(raw, name)):
                yield half + record_id(record, "question_id", where), where, record

    def passage_texts(self, raw: Path) -> Iterator[str]:
        for _, where, record in self.records(raw, self.asked_files):
            yield from (page for page, _ in _found(record, where, self._removed))

    def arrange(self, stage: Path, context: FetchContext) -> None:
        super().arrange(stage, context)
        for reason, count in sorted(self._removed.items()):
            context.report(f"{count:,} {reason} on pages are left out")

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        for key, where, record in self.records(raw, self.asked_files) if split == "test" else ():
            yield _question(key, where, record)


class DuReader(_DuReader, Addressed):
    """Options of kind `dureader`.

    Attributes:
        asked: number of questions of split dev, chosen by their ids; the corpus is their pages.
    """

    kind: ClassVar[str] = "dureader"
    asked_files = (_CHOSEN,)
    asked: Annotated[int, Field(strict=True, ge=20, le=20_000)] = 1_000

    def arrange(self, stage: Path, context: FetchContext) -> None:
        """Write the questions to one file, and remove the unpacked archive."""
        every = ("search.dev.json", "zhidao.dev.json")
        chosen = held_out([key for key, _, _ in self.records(stage, every)], self.asked, _SET)
        read = self.records(stage, every)
        arranged(stage / _CHOSEN, (record | {"question_id": key} for key, _, record in read if key in chosen))
        for path in [path for path in (stage / "unpacked").rglob("*") if path.is_file()]:
            path.unlink()
        super().arrange(stage, context)


class DuReaderMirror(Mirrored, _DuReader):
    """Kind `dureader_mirror`; no options. It asks the questions of splits train and dev, because there are few."""

    kind: ClassVar[str] = "dureader_mirror"
    asked_files = ("demo.search.dev.json", "demo.search.train.json")

    def passage_texts(self, raw: Path) -> Iterator[str]:
        yield from super().passage_texts(raw)
        for _, where, record in self.records(raw, ("demo.search.test.json",)):
            yield from (page for page, _ in _found(record, where, self._removed))
        for where, record in items(raw, _SET):
            yield from _item_pages(record, where, self._removed)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        yield from super().load(raw, name, split)
        for where, record in items(raw, _SET) if split == "test" else ():
            yield _item(where, record)


def _question(key: str, where: str, record: dict[str, Any]) -> Question:
    """The question of a record; pages that people used are evidence, in the order of the search."""
    given = _answers(record, where) if record.get("answers") else ()
    found, asked = _found(record, where, Counter()), _plain(text(record, "question", where))
    used, others = (_evidence(page for page, is_used in found if is_used is wanted) for wanted in (True, False))
    kind = _kind(record, given, where)
    return Question(key, "test", asked, kind, answers=given, evidence=used, shown=others)


def _answers(record: dict[str, Any], where: str) -> tuple[str, ...]:
    return answers([_plain(each) for each in texts(record, "answers", where)], where)


def _kind(record: dict[str, Any], given: Sequence[str], where: str) -> str:
    if not given:
        return "unanswered"
    is_opinion = record.get("fact_or_opinion") == "OPINION"
    if record.get("question_type") == "YES_NO":
        judged = texts(record, "yesno_answers", where) if record.get("yesno_answers") else []
        return "fact" if settled(judged, 2 if is_opinion else 1) else "yes_no"
    return "fact" if not is_opinion or agreed(given) else "opinion"


def settled(judged: Sequence[str], least: int) -> bool:
    """Whether at least this many people judged, and all of them yes, or all of them no."""
    return len(judged) >= least and len(set(judged)) == 1 and judged[0] in ("Yes", "No")


def agreed(given: Sequence[str]) -> bool:
    """Whether at least two people gave the same answer: most terms of the shorter of two answers are in the longer one."""
    pairs = combinations(sorted(given, key=lambda each: len(terms(each))), 2)
    return len(given) > 1 and all(told(short, long) >= _COMMON for short, long in pairs)


def _found(record: dict[str, Any], where: str, removed: Counter[str]) -> list[tuple[str, bool]]:
    """The pages in the results, except pages without text, and whether people used each."""
    listed = objects(record, "documents", where)
    pages = [_page(str(each.get("title") or ""), texts(each, "paragraphs", where), removed) for each in listed]
    return [(page, bool(each.get("is_selected"))) for page, each in zip(pages, listed, strict=True) if page]


def _page(title: str, paragraphs: Iterable[str], removed: Counter[str]) -> str:
    """A page: its title, and each distinct paragraph; empty if it has no text."""
    lines, named = dict.fromkeys(page_lines(map(_plain, paragraphs), removed)), page_title(_plain(title))
    body = "\n".join(line for line in lines if page_title(line) != named)
    return (f"【{named.translate(_BRACKETS)}】\n{body}" if named else body) if body else ""


def _plain(given: str) -> str:
    """A text without HTML entities and marks of an answer's parts."""
    return _MARK.sub("", html.unescape(given)).strip()


def _evidence(pages: Iterable[str]) -> tuple[Evidence, ...]:
    return tuple(Evidence(passage_id=name) for name in dict.fromkeys(map(text_id, pages)))


def _item_pages(record: dict[str, Any], where: str, removed: Counter[str]) -> list[str]:
    blocks = numbered(text(record, "context", where), "文章{}\n标题：", where)
    parted = (block.partition("\n") for block in blocks)
    return [page for title, _, body in parted if (page := _page(title, body.split("\n"), removed))]


def _item(where: str, record: dict[str, Any]) -> Question:
    """An item of LongBench. LongBench does not mark pages, so the evidence is the pages with an answer."""
    given, pages = _answers(record, where), _item_pages(record, where, Counter())
    used = [page for page in pages if any(told(each, page) >= TOLD for each in given)]
    others = _evidence(page for page in pages if page not in used)
    key, asked = record_id(record, "_id", where), _plain(text(record, "input", where))
    return Question(key, "test", asked, "fact", answers=given, evidence=_evidence(used), shown=others)
