"""Articles and questions of a user in JSON Lines: kinds `articles_jsonl` and `questions_jsonl` (docs/reference/own-corpus.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast, get_args

from corpora.sources.base import Batch
from corpora.sources.formats.fields import (
    answers,
    content,
    objects,
    own_id,
    own_text,
    own_title,
    texts,
    value_of,
    whole,
)
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.question_source import Shared
from corpora.sources.user_files import ANY, JsonLines, check_ids
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Article, Evidence, Paragraph, Question, Split
from haymaker.core.text.strings import padded

USER_SET = "user"
_BLANK_LINES = re.compile(r"\n\s*\n")
_ARTICLE = ("id", "title", "text", "paragraphs")
_QUESTION = ("id", "question", "split", "answers", "answer_groups", "references", "evidence")
_EVIDENCE = ("article_id", "paragraph", "text", "group", "grade")
_TOP_GRADE = 3
_FIX = "correct that line"
_PASSAGE_BYTES = 600


class ArticlesJsonl(JsonLines):
    """Options of kind `articles_jsonl`: `path`. A line is {id, title, text} or {id, title, paragraphs}; other keys are ignored.

    Blank lines separate the paragraphs of `text`. They are numbered from 1; paragraph 0 is the title, which may be empty.
    """

    kind: ClassVar[str] = "articles_jsonl"
    version: ClassVar[int] = 2

    def check(self, raw: Path) -> None:
        found = self.usable("articles", self.all_records(raw), _article)
        check_ids(((article.article_id, where) for where, article in found), self.name, "article")

    def passage_count(self) -> int:
        return self.download_bytes() // _PASSAGE_BYTES

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        return (article for _, article in self.usable("articles", self.records(raw, batch), _article, few=ANY))


class QuestionsJsonl(JsonLines, Shared):
    """Options of kind `questions_jsonl`: `path`, and `splits` (shares) for lines without a split. One set: "user".

    A line is {id, question, answers, ...}; or has `answer_groups` instead of `answers` (kind list); or graded evidence and no
    answer (kind search). Unknown keys are mistakes, because an omitted key has a meaning too.
    """

    kind: ClassVar[str] = "questions_jsonl"
    sets: ClassVar[tuple[str, ...]] = (USER_SET,)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        return (question for _, question in self._parsed(raw) if question.split == split)

    def check(self, raw: Path) -> None:
        check_ids(((question.question_id, where) for where, question in self._parsed(raw)), self.name, "question")
        first: dict[bytes, tuple[Split, str]] = {}
        for where, question in self._parsed(raw):
            split, before = first.setdefault(digest(padded(question.text)), (question.split, where))
            if split != question.split:
                what = f"a question of split {question.split} is also a question of split {split} ({before})"
                raise SourceError(what, where=where, fix="give both lines the same `split`, or remove one of them")

    def _parsed(self, raw: Path) -> Iterator[tuple[str, Question]]:
        return self.usable("questions", self.all_records(raw), self._question)

    def _question(self, given: dict[str, Any], where: str) -> Question:
        record = content(given, where)
        only_keys(record, _QUESTION, where)
        question_id, question = own_id(record, "id", where), own_text(record, "question", where).strip()
        groups = _groups(record, where)
        listed = objects(record, "evidence", where) if "evidence" in record else []
        evidence = tuple(_evidence(found, len(groups), where) for found in listed)
        kind = _kind(record, evidence, where)
        return Question(
            question_id,
            _part(record, where) if "split" in record else self.split_of(question),
            question,
            kind,
            answers=answers(texts(record, "answers", where), where) if kind == "single" else (),
            answer_groups=groups,
            references=optional_texts(record, "references", where),
            evidence=evidence,
        )


def _article(given: dict[str, Any], where: str) -> Article:
    record = content({key: given[key] for key in _ARTICLE if key in given}, where)
    title = " ".join(own_title(record, "title", where).split())
    if "text" in record and "paragraphs" in record:
        raise SourceError("has both 'text' and 'paragraphs'", where=where, fix="give one of them")
    if "paragraphs" in record:
        found = texts(record, "paragraphs", where)
    else:
        found = _BLANK_LINES.split("\n".join(own_text(given, "text", where).strip().splitlines()))
    body = [Paragraph("text", " ".join(paragraph.split())) for paragraph in found]
    if not any(paragraph.text for paragraph in body):
        raise OddRecordError("'paragraphs' is empty", where=where, fix=_FIX)
    return Article(own_id(given, "id", where), title, (Paragraph("title", title), *body))


def optional_texts(record: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Return a list of texts without empty ones; a missing list is empty."""
    return tuple(filter(None, texts(record, key, where))) if key in record else ()


def only_keys(record: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Raise SourceError for an unknown key, with the nearest known one."""
    for key in record:
        if key not in known:
            raise SourceError(f"unknown key {key!r:.40}", where=where, fix=nearest(key, known))


def _part(record: dict[str, Any], where: str) -> Split:
    if record["split"] not in get_args(Split):
        raise SourceError(
            f"'split' is {record['split']!r:.40}", where=where, fix=f"use one of {', '.join(get_args(Split))}"
        )
    return cast(Split, record["split"])


def _kind(record: dict[str, Any], evidence: tuple[Evidence, ...], where: str) -> str:
    """Return the kind of answer: a single answer, a list of answers, or passages in order of relevance (search)."""
    graded = {each.grade is not None for each in evidence}
    if graded == {True, False}:
        raise SourceError("only some evidence has a grade", where=where, fix="grade all of it, or none")
    kinds = {"answers": "single", "answer_groups": "list"}
    found = [key for key in kinds if key in record] + (["graded evidence"] if True in graded else [])
    fix = "give one of: answers, answer_groups, evidence with grades"
    if not found:
        raise OddRecordError("has no answer", where=where, fix=fix)
    if len(found) > 1:
        raise SourceError(f"has {' and '.join(found)}", where=where, fix=fix)
    return kinds.get(found[0], "search")


def _groups(record: dict[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    if "answer_groups" not in record:
        return ()
    found = value_of(record, "answer_groups", where)
    if not isinstance(found, list) or not found or not all(isinstance(group, list) for group in found):
        raise SourceError("'answer_groups' is not a list of lists of texts", where=where, fix=_FIX)
    return tuple(answers(texts({"answer_groups": group}, "answer_groups", where), where) for group in found)


def _evidence(record: dict[str, Any], groups: int, where: str) -> Evidence:
    """Return one piece of evidence; without `paragraph` and `text` it is the whole article."""
    where = f"{where}: evidence"
    only_keys(record, _EVIDENCE, where)
    if "paragraph" in record and "text" in record:
        raise SourceError("has both 'paragraph' and 'text'", where=where, fix="give one of them")
    return Evidence(
        article_id=own_id(record, "article_id", where),
        paragraph=whole(record, "paragraph", where) if "paragraph" in record else None,
        text=own_text(record, "text", where).strip() if "text" in record else "",
        group=_below(record, "group", groups, where),
        grade=_below(record, "grade", _TOP_GRADE + 1, where),
    )


def _below(record: dict[str, Any], key: str, limit: int, where: str) -> int | None:
    """Return a whole number below a limit, or None if the key is missing."""
    if key not in record:
        return None
    if (found := whole(record, key, where)) >= limit:
        fix = f"use a number from 0 to {limit - 1}" if limit else "remove it, or add `answer_groups`"
        raise SourceError(f"{key!r} is {found}", where=where, fix=fix)
    return found
