"""Base of the sources of questions: named sets, each with splits, which may be shares of one published split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from corpora.sources.addressed import Unpacked
from corpora.sources.base import Source
from corpora.sources.formats.fields import text
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Question, Split
from haymaker.core.text.strings import padded

SPLITS: tuple[Split, ...] = ("test", "dev", "train")
Placed = tuple[str, dict[str, Any]]
"""Place of a record, and the record."""


def _some(shares: dict[Split, int]) -> dict[Split, int]:
    if not sum(shares.values()):
        raise ValueError("the shares in `splits` add up to 0")
    return shares


Shares = Annotated[dict[Split, Annotated[int, Field(ge=0, le=1_000_000)]], Field(min_length=1), AfterValidator(_some)]
"""Whole-number shares of the splits."""


def share_split(key: str, shares: Mapping[Split, int]) -> Split:
    """Return the split of a key, decided by the key and the shares only, so that new documents move no old one."""
    total = sum(shares.values())
    if total < 1:
        raise ValueError("shares add up to 0")
    at = int.from_bytes(digest("part", key, size=8)) % total
    return next(part for part in SPLITS if (at := at - shares.get(part, 0)) < 0)


class QuestionSource(Unpacked):
    """A source of questions. A subclass names its sets and reads one set and split."""

    sets: ClassVar[tuple[str, ...]] = ()

    def load(self, raw: Path, name: str, split: Split) -> Iterable[Question]:
        """All questions of a set and split, in file order."""
        raise NotImplementedError

    def question_sets(self) -> tuple[str, ...]:
        return self.sets

    def questions(self, raw: Path, name: str, split: Split) -> list[Question]:
        self.check_set("questions", name, self.question_sets())
        return self.reviewed(name, self.load(raw, name, split), split)

    def check(self, raw: Path) -> None:
        check_questions(self, raw)


class Shared(QuestionSource):
    """Sets without published splits, so that worked examples come from other questions than the test's.

    Attributes:
        splits: whole-number shares of the splits, assigned by the words of a question, so that equal questions are in one split.
    """

    splits: Shares = Field(default={"test": 90, "train": 10})

    def raw_records(self, raw: Path, name: str) -> Iterable[Placed]:
        """All records of a set, of every split; each has a "question"."""
        raise NotImplementedError

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question | None:
        """The question of a record, or None if it is left out for a known reason."""
        raise NotImplementedError

    def load(self, raw: Path, name: str, split: Split) -> Iterable[Question]:
        def read(placed: Placed) -> Question | None:
            where, record = placed
            return (
                self.question(record, where, split) if self.split_of(text(record, "question", where)) == split else None
            )

        return self.sound(f"{name} {split}", self.raw_records(raw, name), read)

    def split_of(self, question: str) -> Split:
        """The split of a question."""
        return share_split(padded(question), self.splits)


def held_out(keys: Sequence[str], count: int, *purpose: str) -> frozenset[str]:
    """Choose `count` of the keys by the keys only, in whatever order they come."""
    return frozenset(sorted(keys, key=lambda key: digest("held out", *purpose, key))[:count])


def check_questions(source: Source, raw: Path) -> None:
    """Read all sets of questions once; require a question in each, and no id twice."""
    for name in source.question_sets():
        where, seen = f"source {source.name}: set {name}", set[str]()
        for question in (each for split in SPLITS for each in source.questions(raw, name, split)):
            if question.question_id in seen:
                raise SourceError(f"question id {question.question_id!r:.60} appears twice", where=where)
            seen.add(question.question_id)
        if not seen:
            raise SourceError("contains no question", where=where, fix="fetch the source again, or check its options")
