"""SQuAD: questions on paragraphs of Wikipedia articles (Rajpurkar et al. 2016, 2018; docs/spec/synthetic.md A1, A3).

Kinds `squad` (version 2.0) and `squad_mirror` (half of dev 2.0, XQuAD's English slice of dev 1.1, 44 articles of train 1.1).
They give paragraphs as passages and the questions that have an answer. Dev is part test, train part train; an article is in
one part alone. The passages are those of both parts, so contexts of a few million tokens repeat none
(docs/defects/synthetic.md A5 #6), and questions alternate between articles, so that the first hundred are of many (the files go
article by article, docs/defects/synthetic.md A5 #12). What is asked of two paragraphs in the same words ("Who was the king?")
cannot be answered from one of them and is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import Batch, FetchContext, Piece, RawFile, SourceInfo, group
from corpora.sources.formats.fields import answers, id_of, json_object, objects, text, value_of
from corpora.sources.question_source import QuestionSource
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split
from haymaker.core.text.strings import padded

_URL = "https://rajpurkar.github.io/SQuAD-explorer/dataset"
_MD5 = {
    "dev-v2.0.json": "246adae8b7002f8679c027697b0b7cf8",
    "train-v2.0.json": "62108c273c268d70893182d5cf8df740",
}


T = TypeVar("T")
RawQuestion = tuple[str, str, tuple[str, ...]]  # id, text and answers of a question


@dataclass(slots=True)
class _Article:
    """An article of one part: its paragraphs, each with its questions."""

    name: str
    part: Split
    paragraphs: dict[str, list[RawQuestion]] = field(default_factory=dict)

    def passage_id(self, number: int) -> str:
        """The id of its paragraph `number`, from 0."""
        return f"{self.name}:{number}"

    def questions(self) -> Iterator[tuple[int, RawQuestion]]:
        """Paragraph and question: the first question of every paragraph, then the second ..."""
        numbered = enumerate(self.paragraphs.values())
        return _alternating([(number, each) for each in questions] for number, questions in numbered)


class _Squad(QuestionSource):
    """What both kinds share. Pieces of batches are runs of articles, counted over all files."""

    sets: ClassVar[tuple[str, ...]] = ("squad",)
    parts: ClassVar[dict[str, Split]]  # file -> part, those of part test first

    def batches(self, raw: Path) -> list[Batch]:
        sizes = [sum(map(len, article.paragraphs)) for article in self._articles(raw)]
        whole = next(iter(self.parts))
        return group((Piece(whole, at, at + 1), size) for at, size in enumerate(sizes))

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        articles = self._articles(raw)
        for piece in batch.pieces:
            for article in articles[piece.start : piece.stop]:
                title = article.name.replace("_", " ")
                for number, paragraph in enumerate(article.paragraphs):
                    yield Passage(article.passage_id(number), article.name, title, "", paragraph)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        articles = self._articles(raw)
        times = Counter(padded(words) for article in articles for _, (_, words, _) in article.questions())
        questions = _alternating(_questions(article) for article in articles if article.part == part)
        yield from (question for question in questions if times[padded(question.text)] == 1)

    def _articles(self, raw: Path) -> list[_Article]:
        """All articles; a paragraph or question that comes again, in any file, counts once."""
        found: dict[str, _Article] = {}
        for file, part in self.parts.items():
            for number, record in enumerate(objects(json_object(raw / file), "data", file), 1):
                where = f"{file}: article {number}"
                name = text(record, "title", where)
                article = found.setdefault(name, _Article(name, part))
                for count, paragraph in enumerate(objects(record, "paragraphs", where), 1):
                    at = f"{where}, paragraph {count}"
                    known = article.paragraphs.setdefault(text(paragraph, "context", at), [])
                    if article.part == part:  # a part has whole articles
                        known.extend(_new_questions(paragraph, known, at))
        return list(found.values())


class Squad(_Squad, Addressed):
    """Options of kind `squad`: `url`."""

    kind: ClassVar[str] = "squad"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="SQuAD 2.0",
        homepage="https://rajpurkar.github.io/SQuAD-explorer",
        licence="CC BY-SA 4.0",
        roles=("passages", "questions"),
        download_bytes=46_500_000,
        note="477 articles; dev is part test; questions without an answer are left out",
        passages=20_200,
    )
    parts: ClassVar[dict[str, Split]] = {"dev-v2.0.json": "test", "train-v2.0.json": "train"}

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"{_URL}/{name}", md5=_MD5[name]) for name in self.parts]


class SquadMirror(_Squad):
    """Kind `squad_mirror`; no options."""

    kind: ClassVar[str] = "squad_mirror"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="SQuAD (mirror copy: 92 articles)",
        homepage="https://rajpurkar.github.io/SQuAD-explorer",
        licence="CC BY-SA 4.0",
        roles=("passages", "questions"),
        download_bytes=1_579_092,
        note="articles of dev are part test, those of train part train",
        passages=3_237,
    )
    parts: ClassVar[dict[str, Split]] = {
        "cs224n-dev-v2.0.json": "test",
        "xquad.en.json": "test",
        "du-test-v1.1.json": "train",
    }

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{name}.gz", f"mirror:squad/{name}.gz") for name in self.parts]


def _new_questions(paragraph: dict[str, Any], known: list[RawQuestion], where: str) -> Iterator[RawQuestion]:
    """Questions of a paragraph that have an answer and are not known yet: copies of the files changed their ids."""
    seen = {padded(words) for _, words, _ in known}
    for record in objects(paragraph, "qas", where):
        question_id = id_of(value_of(record, "id", where), "id", where)
        at = f"{where}, question {question_id}"
        words = text(record, "question", at)
        if not record.get("is_impossible") and padded(words) not in seen:
            seen.add(padded(words))
            yield question_id, words, answers((text(item, "text", at) for item in objects(record, "answers", at)), at)


def _questions(article: _Article) -> Iterator[Question]:
    for number, (question_id, words, accepted) in article.questions():
        evidence = (Evidence(passage_id=article.passage_id(number)),)
        yield Question(question_id, article.part, words, "single", answers=accepted, evidence=evidence)


def _alternating(groups: Iterable[Iterable[T]]) -> Iterator[T]:
    """The first of every group, then the second of every group that has one ..."""
    ones = ([(item,) for item in group] for group in groups)
    for row in zip_longest(*ones, fillvalue=()):
        for item in row:
            yield from item
