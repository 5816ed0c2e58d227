"""DuReader 2.0: questions typed into a search engine, the pages that it gave, and answers that people wrote from them (arXiv 1711.05073).

Kinds `dureader` (the publisher's archive, part dev) and `dureader_mirror` (his demonstration, and six items of LongBench's dureader).
A passage is a distinct page; a question's evidence are the pages that people used, `shown` the others that the search gave. `kind`
says what the answers are: `fact`; `opinion` and `yes_no` where they settle nothing; `unanswered`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import Addressed
from corpora.sources.base import Batch, FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.document_source import arranged, text_id
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import answers, id_of, objects, text, texts, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.longbench_items import items, numbered
from corpora.sources.question_source import QuestionSource, held_out
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split
from haymaker.core.text.strings import terms, told

TOLD = 0.8  # share of an answer's terms that stand in a page which says it
_COMMON = 0.7  # share of an answer's terms that stand in another one which says the same
_SET = "dureader"
_PAGES, _CHOSEN = "passages.jsonl", "asked.jsonl"
_MARK = re.compile(r"@content\d+@")
_SITE = re.compile(r"[_\s-]+百度(?:知道|经验|百科|文库|贴吧)$")  # whose page it is, at the end of a title
_ITEM = "文章{}\n标题："


_WRONG = frozenset({"search.dev-181624"})  # ids: a sentence to be completed whose blanks are lost


class _DuReader(QuestionSource):
    """What both kinds share."""

    version: ClassVar[int] = 3
    sets: ClassVar[tuple[str, ...]] = (_SET,)

    def asked_files(self) -> tuple[str, ...]:
        """Names of the files whose questions are asked."""
        raise NotImplementedError

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            self.prepare(stage)
            arranged(stage / _PAGES, _distinct(self.pages(stage)))
        return got

    def prepare(self, stage: Path) -> None:
        """Bring what was fetched into the form that is read."""

    def records(self, raw: Path, names: Sequence[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Id, place and fields of every question of some files.

        Raises:
            SourceError: not exactly one file of a name, or a damaged line.
        """
        for name in names:
            found = sorted(raw.rglob(name))
            if len(found) != 1:
                raise SourceError(f"{len(found)} files of that name, not one", where=name, fix="fetch the source again")
            half = "" if name == _CHOSEN else f"{name.removeprefix('demo.').removesuffix('.json')}-"
            for line, record in json_lines(raw, Piece(found[0].relative_to(raw).as_posix(), 0, -1)):
                where = f"{name}:{line}"
                yield half + id_of(value_of(record, "question_id", where), "question_id", where), where, record

    def pages(self, raw: Path) -> Iterator[str]:
        """All pages, in file order."""
        for _, where, record in self.records(raw, self.asked_files()):
            yield from (page for page, _ in _found(record, where))

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_PAGES])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for line, record in json_lines(raw, piece):
                page = text(record, "text", f"{_PAGES}:{line}")
                yield Passage(text_id(page), "", "", "", page)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        if part == "test":
            for key, where, record in self.records(raw, self.asked_files()):
                if key not in _WRONG:
                    yield _question(key, where, record)


class DuReader(_DuReader, Addressed):
    """Options of kind `dureader`.

    Attributes:
        asked: of part dev's questions so many, decided by their ids; the corpus is the pages of these.
    """

    kind: ClassVar[str] = "dureader"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="DuReader 2.0: pages of a search engine, and questions",
        homepage="https://github.com/baidu/DuReader",
        licence="Apache-2.0 (the data set); pages under their own terms",
        licences=("apache-2.0", "others"),
        redistribution="with attribution; the pages were written by others",
        roles=("passages", "questions"),
        languages=("zh",),
        download_bytes=1_400_000_000,
        note="the archive has all parts; dev alone is read",
        passages=5_000,
    )
    asked: Annotated[int, Field(strict=True, ge=20, le=20_000)] = 1_000

    def files(self) -> list[RawFile]:
        return [RawFile("dureader_raw.zip", "https://dataset-bj.cdn.bcebos.com/dureader/dureader_raw.zip")]

    def asked_files(self) -> tuple[str, ...]:
        return (_CHOSEN,)

    def prepare(self, stage: Path) -> None:
        """What is asked in one file; all else of the archive is not kept."""
        every = ("search.dev.json", "zhidao.dev.json")
        chosen = held_out([key for key, _, _ in self.records(stage, every)], self.asked, _SET)
        read = self.records(stage, every)
        arranged(stage / _CHOSEN, (record | {"question_id": key} for key, _, record in read if key in chosen))
        for path in [path for path in (stage / "unpacked").rglob("*") if path.is_file()]:
            path.unlink()


class DuReaderMirror(_DuReader):
    """Kind `dureader_mirror`; no options. Questions of parts train and dev are asked: there are not many."""

    kind: ClassVar[str] = "dureader_mirror"
    info: ClassVar[SourceInfo] = replace(
        DuReader.info,
        title="DuReader 2.0 (mirror copy: the demonstration of its search half, six of LongBench's items)",
        download_bytes=2_330_900,
        note="205 questions that are asked, 100 more that give pages alone",
        passages=1_500,
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        names = [f"demo.search.{part}.json.gz" for part in ("train", "dev", "test")]
        demo = [RawFile(name, f"mirror:dureader/{name}") for name in names]
        return [*demo, RawFile(f"{_SET}.jsonl.gz", f"mirror:longbench/mini/{_SET}.jsonl.gz")]

    def asked_files(self) -> tuple[str, ...]:
        return "demo.search.dev.json", "demo.search.train.json"

    def pages(self, raw: Path) -> Iterator[str]:
        yield from super().pages(raw)
        for _, where, record in self.records(raw, ("demo.search.test.json",)):
            yield from (page for page, _ in _found(record, where))
        for where, record in items(raw, _SET):
            yield from _item_pages(record, where)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        yield from super().load(raw, name, part)
        for where, record in items(raw, _SET) if part == "test" else ():
            yield _item(where, record)


def _question(key: str, where: str, record: dict[str, Any]) -> Question:
    """A record; pages that people used are evidence, in the order of the search."""
    given = answers([_plain(each) for each in texts(record, "answers", where)], where) if record.get("answers") else ()
    found = _found(record, where)
    used, others = ([page for page, is_used in found if is_used is wanted] for wanted in (True, False))
    return Question(
        key, "test", _plain(text(record, "question", where)), _kind(record, given, where), answers=given,
        evidence=_evidence(used), shown=_evidence(others),
    )  # fmt: skip


def _kind(record: dict[str, Any], given: Sequence[str], where: str) -> str:
    if not given:
        return "unanswered"
    is_opinion = record.get("fact_or_opinion") == "OPINION"
    if record.get("question_type") == "YES_NO":
        said = texts(record, "yesno_answers", where) if record.get("yesno_answers") else []
        return "fact" if settled(said, 2 if is_opinion else 1) else "yes_no"
    return "fact" if not is_opinion or agreed(given) else "opinion"


def settled(said: Sequence[str], least: int) -> bool:
    """Whether so many people or more judged, and all of them yes, or all of them no."""
    return len(said) >= least and len(set(said)) == 1 and said[0] in ("Yes", "No")


def agreed(given: Sequence[str]) -> bool:
    """Whether two people or more answered, and each says what every other says: the shorter answer's terms stand in the longer."""
    pairs = combinations(sorted(given, key=lambda each: len(terms(each))), 2)
    return len(given) > 1 and all(told(short, long) >= _COMMON for short, long in pairs)


def _found(record: dict[str, Any], where: str) -> list[tuple[str, bool]]:
    """The pages that the search gave, and whether people used each; those without text are left out."""
    found = []
    for each in objects(record, "documents", where):
        page = _page(str(each.get("title") or ""), texts(each, "paragraphs", where))
        if page:
            found.append((page, bool(each.get("is_selected"))))
    return found


def _page(title: str, paragraphs: Iterable[str]) -> str:
    """A page: its title, and each of its paragraphs once; empty where it has no text."""
    lines = dict.fromkeys(" ".join(_plain(each).split()) for each in paragraphs)
    named = _SITE.sub("", " ".join(_plain(title).split()))
    body = "\n".join(line for line in lines if line and line != named)
    return (f"【{named}】\n{body}" if named else body) if body else ""


def _plain(given: str) -> str:
    """A text without entities of pages and marks of an answer's parts."""
    return _MARK.sub("", html.unescape(given)).strip()


def _evidence(pages: Iterable[str]) -> tuple[Evidence, ...]:
    return tuple(Evidence(passage_id=name) for name in dict.fromkeys(map(text_id, pages)))


def _item_pages(record: dict[str, Any], where: str) -> list[str]:
    blocks = numbered(text(record, "context", where), _ITEM, where)
    parted = (block.partition("\n") for block in blocks)
    return [page for title, _, body in parted if (page := _page(title, body.split("\n")))]


def _item(where: str, record: dict[str, Any]) -> Question:
    """An item of LongBench, which marks no page: evidence are those that tell an answer."""
    given = answers([_plain(each) for each in texts(record, "answers", where)], where)
    pages = [page for page in _item_pages(record, where) if any(told(each, page) >= TOLD for each in given)]
    key = id_of(value_of(record, "_id", where), "_id", where)
    return Question(key, "test", _plain(text(record, "input", where)), "fact", answers=given, evidence=_evidence(pages))


def _distinct(pages: Iterable[str]) -> Iterator[dict[str, object]]:
    """Every page once."""
    seen: set[str] = set()
    for page in pages:
        if (name := text_id(page)) not in seen:
            seen.add(name)
            yield {"text": page}
