"""What sources with role "questions" share: named sets, read whole at download once, and questions split by their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from corpora.sources.addressed import Unpacked
from corpora.sources.base import Source
from corpora.sources.splits import SomeShares, share_split
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Question, Split
from haymaker.core.text.strings import padded

SPLITS: tuple[Split, ...] = ("test", "dev", "train")


class QuestionSource(Unpacked):
    """A source of questions. A subclass names its sets and reads one set and part."""

    sets: ClassVar[tuple[str, ...]] = ()

    def load(self, raw: Path, name: str, part: Split) -> Iterable[Question]:
        """All questions of a set and part that exist, in file order."""
        raise NotImplementedError

    def question_sets(self) -> tuple[str, ...]:
        return self.sets

    def questions(self, raw: Path, name: str, part: Split) -> list[Question]:
        known = self.question_sets()
        if name not in known:
            fix = nearest(name, known)
            raise SourceError(f"has no set of questions {name!r}", where=f"source {self.name}", fix=fix)
        return list(self.load(raw, name, part))

    def check(self, raw: Path) -> None:
        check_questions(self, raw)


def _nine_to_one() -> dict[Split, int]:
    return {"test": 90, "train": 10}


class Shared(QuestionSource):
    """Sets that their publisher does not split: worked examples must come from other questions than the test's.

    Attributes:
        parts: whole-number shares. A question's words decide, so one asked twice is never on both sides.
    """

    parts: SomeShares = Field(default_factory=_nine_to_one)

    def part_of(self, question: str) -> Split:
        """The part of a question."""
        return share_split(padded(question), self.parts)


def held_out(keys: Sequence[str], count: int, *purpose: str) -> frozenset[str]:
    """`count` of the keys, chosen by the keys alone, so that their order does not matter."""
    return frozenset(sorted(keys, key=lambda key: digest("held out", *purpose, key))[:count])


def check_questions(source: Source, raw: Path) -> None:
    """Read all sets of questions once.

    Raises:
        SourceError: a damaged record, none at all, or an id twice.
    """
    for name in source.question_sets():
        found = (question for part in SPLITS for question in source.questions(raw, name, part))
        _check_ids(found, f"source {source.name}: set {name}")


def _check_ids(questions: Iterator[Question], where: str) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.question_id in seen:
            raise SourceError(f"question id {question.question_id!r:.60} was used before", where=where)
        seen.add(question.question_id)
    if not seen:
        raise SourceError("holds no question", where=where, fix="fetch the source again, or check its options")
