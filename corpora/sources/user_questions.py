"""Articles and questions of the user's own in JSON lines: kinds `articles_jsonl` and `questions_jsonl` (docs/reference/own-corpus.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast, get_args

from corpora.sources.base import Batch, FetchContext, RawFile, SourceInfo
from corpora.sources.books import natural
from corpora.sources.formats.bounded import LINE_MB
from corpora.sources.formats.fields import answers, id_of, objects, text, text_of, texts, value_of, whole
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.local_folder import local_files
from corpora.sources.question_source import Shared
from corpora.sources.user_files import DATA, LineMB, Listed, check_ids, is_address, named, user_info
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import expanded
from haymaker.core.params import nearest, omit_if_default
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Article, Evidence, Paragraph, Question, Split
from haymaker.core.text.strings import padded

USER_SET = "user"
_PATTERN = "*.jsonl*"  # .gz and .zst too
_BLANK_LINES = re.compile(r"\n\s*\n")
_QUESTION = ("id", "question", "part", "answers", "answer_groups", "references", "evidence")
_EVIDENCE = ("article_id", "paragraph", "text", "group", "grade")
_TOP_GRADE = 3
_MEND = "mend that line"


_PASSAGE_BYTES = 600


class UserLines(Listed):
    """What kinds of JSON lines of the user's own share.

    Attributes:
        path: files, folders (all *.jsonl in them, at any depth; also .gz and .zst), or addresses.
        follow_links: links in folders may lead out of them; without it they are refused.
        max_line_mb: longest line that is read, in MB.
    """

    follow_links: bool = omit_if_default(False)
    max_line_mb: LineMB = omit_if_default(LINE_MB)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return named([file for place in self.path for file in _files(place, self.follow_links)])

    def paths(self, raw: Path) -> list[str]:
        found = (path.relative_to(raw).as_posix() for path in (raw / DATA).rglob("*") if path.is_file())
        return sorted(found, key=natural)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, self.paths(raw), self.max_line_mb)

    def lines(self, raw: Path, batch: Batch) -> Iterator[tuple[str, dict[str, Any]]]:
        """Place ("file:line") and object of every line of a batch."""
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece, self.max_line_mb):
                yield f"{piece.path}:{number}", record


class ArticlesJsonl(UserLines):
    """Options of kind `articles_jsonl`: `path`. A line is {id, title, text} or {id, title, paragraphs}; more keys are not read.

    Blank lines separate the paragraphs of `text`. They are numbered from 1; paragraph 0 is the title, which may be empty.
    """

    kind: ClassVar[str] = "articles_jsonl"
    info: ClassVar[SourceInfo] = user_info("Articles in JSON Lines", "articles")

    def check(self, raw: Path) -> None:
        records = (found for batch in self.batches(raw) for found in self.lines(raw, batch))
        check_ids(((_article(record, where).article_id, where) for where, record in records), self.name, "article")

    def passage_count(self) -> int:
        """About 600 bytes each."""
        return self.download_bytes() // _PASSAGE_BYTES

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        return (_article(record, where) for where, record in self.lines(raw, batch))


class QuestionsJsonl(UserLines, Shared):
    """Options of kind `questions_jsonl`: `path`, and `parts` (shares) for lines that name no part. One set: "user".

    A line is {id, question, answers, ...}, or with `answer_groups` in place of `answers` (a list answer: kind list), or with
    graded evidence and no answer (kind search). Keys that are not known are mistakes: those left out have a meaning too.
    """

    kind: ClassVar[str] = "questions_jsonl"
    info: ClassVar[SourceInfo] = user_info("Questions in JSON Lines", "questions")
    sets: ClassVar[tuple[str, ...]] = (USER_SET,)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        return (question for _, question in self._parsed(raw) if question.part == part)

    def check(self, raw: Path) -> None:
        check_ids(((question.question_id, where) for where, question in self._parsed(raw)), self.name, "question")
        first: dict[bytes, tuple[Split, str]] = {}
        for where, question in self._parsed(raw):
            part, before = first.setdefault(digest(padded(question.text)), (question.part, where))
            if part != question.part:
                what = f"a question of part {question.part} that is asked in part {part} too ({before})"
                raise SourceError(what, where=where, fix="give both lines the same `part`, or leave one out")

    def _parsed(self, raw: Path) -> Iterator[tuple[str, Question]]:
        for batch in self.batches(raw):
            for where, record in self.lines(raw, batch):
                yield where, self._question(record, where)

    def _question(self, record: dict[str, Any], where: str) -> Question:
        only_keys(record, _QUESTION, where)
        question_id, question = id_of(value_of(record, "id", where), "id", where), text(record, "question", where)
        groups = _groups(record, where)
        evidence = tuple(_evidence(found, len(groups), where) for found in _listed(record, "evidence", where))
        kind = _kind(record, evidence, where)
        return Question(
            question_id,
            _part(record, where) if "part" in record else self.part_of(question),
            question,
            kind,
            answers=answers(texts(record, "answers", where), where) if kind == "single" else (),
            answer_groups=groups,
            references=tuple(texts(record, "references", where)) if "references" in record else (),
            evidence=evidence,
        )


def _files(place: str, follow_links: bool) -> list[str]:
    """The files of one entry of `path`."""
    if is_address(place) or not (folder := expanded(place)).is_dir():
        return [place]
    return [str(folder / name) for name in local_files(folder, _PATTERN, follow_links=follow_links)]


def _article(record: dict[str, Any], where: str) -> Article:
    title = " ".join(text_of(value_of(record, "title", where), "title", where).split())
    if ("text" in record) == ("paragraphs" in record):
        both = (
            "both 'text' and 'paragraphs'"
            if "text" in record
            else f"no key 'text', and no 'paragraphs' ({_keys(record)})"
        )
        raise SourceError(f"has {both}", where=where, fix="give one of them")
    if "text" in record:
        whole_text = text(record, "text", where)
        found = _BLANK_LINES.split("\n".join(whole_text.splitlines()))
    else:
        found = texts(record, "paragraphs", where)
    body = [Paragraph("text", " ".join(paragraph.split())) for paragraph in found]
    if not any(paragraph.text for paragraph in body):
        raise SourceError("'paragraphs' holds no text", where=where, fix=_MEND)
    return Article(id_of(value_of(record, "id", where), "id", where), title, (Paragraph("title", title), *body))


def _keys(record: Mapping[str, Any]) -> str:
    return f"its keys: {', '.join(sorted(record))[:80] or 'none'}"


def only_keys(record: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Refuse a key that means nothing.

    Raises:
        SourceError: names it, and the nearest known one.
    """
    for key in record:
        if key not in known:
            raise SourceError(f"unknown key {key!r:.40}", where=where, fix=nearest(key, known))


def _part(record: dict[str, Any], where: str) -> Split:
    if record["part"] not in get_args(Split):
        raise SourceError(f"'part' is {record['part']!r:.40}", where=where, fix=f"one of {', '.join(get_args(Split))}")
    return cast(Split, record["part"])


def _kind(record: dict[str, Any], evidence: tuple[Evidence, ...], where: str) -> str:
    """What is asked for: an answer, a list of answers, or passages in order of relevance."""
    graded = {each.grade is not None for each in evidence}
    if graded == {True, False}:
        raise SourceError("some evidence has a grade, some has none", where=where, fix="grade all of it, or none")
    given = [key for key in ("answers", "answer_groups") if key in record]
    if len(given) + (True in graded) != 1:
        found = [*given, *(["graded evidence"] if True in graded else [])]
        what = f"has {' and '.join(found)}" if found else "has no answer"
        raise SourceError(what, where=where, fix="give one of: answers, answer_groups, evidence with grades")
    return {"answers": "single", "answer_groups": "list"}[given[0]] if given else "search"


def _groups(record: dict[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    """One group of aliases for each item of a list answer."""
    if "answer_groups" not in record:
        return ()
    found = value_of(record, "answer_groups", where)
    if not isinstance(found, list) or not found or not all(isinstance(group, list) for group in found):
        raise SourceError("'answer_groups' is no list of lists of texts", where=where, fix=_MEND)
    return tuple(answers(texts({"answer_groups": group}, "answer_groups", where), where) for group in found)


def _listed(record: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    return objects(record, key, where) if key in record else []


def _evidence(record: dict[str, Any], groups: int, where: str) -> Evidence:
    """One piece; without `paragraph` or `text` it is the whole article.

    Raises:
        SourceError: a key or value that cannot be.
    """
    where = f"{where}: evidence"
    only_keys(record, _EVIDENCE, where)
    if "paragraph" in record and "text" in record:
        raise SourceError("has both 'paragraph' and 'text'", where=where, fix="give one of them")
    group = _below(record, "group", groups, where)
    grade = _below(record, "grade", _TOP_GRADE + 1, where)
    return Evidence(
        article_id=id_of(value_of(record, "article_id", where), "article_id", where),
        paragraph=whole(record, "paragraph", where) if "paragraph" in record else None,
        text=text(record, "text", where) if "text" in record else "",
        group=group,
        grade=grade,
    )


def _below(record: dict[str, Any], key: str, limit: int, where: str) -> int | None:
    """A whole number from 0, below a limit; None where the key is not given."""
    if key not in record:
        return None
    if (found := whole(record, key, where)) >= limit:
        fix = f"from 0 to {limit - 1}" if limit else "it counts `answer_groups`, and there are none"
        raise SourceError(f"{key!r} is {found}", where=where, fix=fix)
    return found
