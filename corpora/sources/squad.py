"""SQuAD: questions on paragraphs of Wikipedia articles (Rajpurkar et al. 2016, 2018; docs/spec/synthetic.md A1, A3).

Paragraphs are passages; questions without an answer are left out. Dev is split test, train split train; an article is in one
split only. The passages are those of both splits, so contexts of a few million tokens repeat none (docs/defects/synthetic.md
A5 #6), and questions alternate between articles, because the files go article by article (docs/defects/synthetic.md A5 #12).
A question that two paragraphs share ("Who was the king?") cannot be answered from one of them and is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from corpora.sources.addressed import Addressed, Mirrored
from corpora.sources.base import Batch, Piece, group
from corpora.sources.formats.fields import answers, id_of, objects, text, value_of
from corpora.sources.formats.json_files import json_object
from corpora.sources.question_source import QuestionSource
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split
from haymaker.core.text.strings import padded

T = TypeVar("T")
RawQuestion = tuple[str, str, tuple[str, ...]]
"""Id, text and answers of a question."""


@dataclass(slots=True)
class _Article:
    """An article of one split: its paragraphs, each with its questions."""

    name: str
    split: Split
    paragraphs: dict[str, list[RawQuestion]] = field(default_factory=dict)

    def questions(self) -> Iterator[Question]:
        """The first question of every paragraph, then the second ..."""
        numbered = enumerate(self.paragraphs.values())
        for number, (key, words, accepted) in _alternating([(n, each) for each in asked] for n, asked in numbered):
            evidence = (Evidence(passage_id=f"{self.name}:{number}"),)
            yield Question(key, self.split, words, "single", answers=accepted, evidence=evidence)


class _Squad(QuestionSource):
    """Both kinds. Pieces of batches are runs of articles, counted over all files."""

    sets: ClassVar[tuple[str, ...]] = ("squad",)
    splits: ClassVar[dict[str, Split]]  # of each file; those of split test first

    def batches(self, raw: Path) -> list[Batch]:
        sizes = [sum(map(len, article.paragraphs)) for article in self._articles(raw)]
        whole = next(iter(self.splits))
        return group((Piece(whole, at, at + 1), size) for at, size in enumerate(sizes))

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        articles = self._articles(raw)
        for article in (each for piece in batch.pieces for each in articles[piece.start : piece.stop]):
            for number, paragraph in enumerate(article.paragraphs):
                yield Passage(f"{article.name}:{number}", article.name, article.name.replace("_", " "), "", paragraph)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        articles = self._articles(raw)
        times = Counter(padded(question.text) for article in articles for question in article.questions())
        asked = _alternating(article.questions() for article in articles if article.split == split)
        return (question for question in asked if times[padded(question.text)] == 1)

    def _articles(self, raw: Path) -> list[_Article]:
        """All articles; a paragraph or question that is repeated, in any file, counts once."""
        found: dict[str, _Article] = {}
        for file, split in self.splits.items():
            for number, record in enumerate(objects(json_object(raw / file), "data", file), 1):
                where = f"{file}: article {number}"
                name = text(record, "title", where)
                article = found.setdefault(name, _Article(name, split))
                for count, paragraph in enumerate(objects(record, "paragraphs", where), 1):
                    at = f"{where}, paragraph {count}"
                    known = article.paragraphs.setdefault(text(paragraph, "context", at), [])
                    if article.split == split:
                        known.extend(_new_questions(paragraph, known, at))
        return list(found.values())


class Squad(_Squad, Addressed):
    """Options of kind `squad`, version 2.0: `url`."""

    kind: ClassVar[str] = "squad"
    splits: ClassVar[dict[str, Split]] = {"dev-v2.0.json": "test", "train-v2.0.json": "train"}


class SquadMirror(Mirrored, _Squad):
    """Kind `squad_mirror`: half of dev 2.0, XQuAD's English slice of dev 1.1, and 44 articles of train 1.1."""

    kind: ClassVar[str] = "squad_mirror"
    splits: ClassVar[dict[str, Split]] = {
        "cs224n-dev-v2.0.json": "test",
        "xquad.en.json": "test",
        "du-test-v1.1.json": "train",
    }


def _new_questions(paragraph: dict[str, Any], known: list[RawQuestion], where: str) -> Iterator[RawQuestion]:
    """Questions of a paragraph that have an answer and new words: copies of the files changed the ids."""
    seen = {padded(words) for _, words, _ in known}
    for record in objects(paragraph, "qas", where):
        question_id = id_of(value_of(record, "id", where), "id", where)
        at = f"{where}, question {question_id}"
        words = text(record, "question", at)
        if not record.get("is_impossible") and padded(words) not in seen:
            seen.add(padded(words))
            yield question_id, words, answers((text(item, "text", at) for item in objects(record, "answers", at)), at)


def _alternating(groups: Iterable[Iterable[T]]) -> Iterator[T]:
    """The first of every group, then the second of every group that has one ..."""
    for row in zip_longest(*([(item,) for item in items] for items in groups), fillvalue=()):
        for item in row:
            yield from item
