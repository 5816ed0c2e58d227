"""Verdicts of readers on the questions of a source: reviewed/<kind>.yaml, or one file for a kind and its mirror (docs/reference/gold.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, StrictStr

from haymaker.core.errors import ParamsError, SourceError
from haymaker.core.files.disk import sha256_file
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import Section, parse
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import DocumentQuestion, LabelledText, Question

FOLDER = Path(__file__).with_name("reviewed")
R = TypeVar("R", Question, DocumentQuestion, LabelledText)
Text = Annotated[StrictStr, Field(min_length=1)]


class Forms(Section):
    """Accepted answers to add or to drop, with the reason."""

    answers: Annotated[tuple[Text, ...], Field(min_length=1)]
    reason: Text


class SetReview(Section):
    """The verdicts on one set; keys are ids of questions.

    Attributes:
        keep: read together with the text, and right as published.
        leave_out: id -> why the question is unusable.
        drop_answers: accepted answers that are wrong.
        extra_answers: right answers that were not accepted, added after the others.
    """

    keep: tuple[StrictStr, ...] = ()
    leave_out: dict[StrictStr, Text] = Field(default_factory=dict)
    drop_answers: dict[StrictStr, Forms] = Field(default_factory=dict)
    extra_answers: dict[StrictStr, Forms] = Field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """All ids; an id that has two verdicts is in the list twice."""
        return [*self.keep, *self.leave_out, *dict.fromkeys([*self.drop_answers, *self.extra_answers])]

    def answered(self, record: R, where: str) -> R:
        """Return the record with the reviewed answers."""
        key = record_id(record)
        dropped, extra = self.drop_answers.get(key), self.extra_answers.get(key)
        if isinstance(record, LabelledText) or not (dropped or extra):
            return record
        given = list(record.answers)
        for answer in dropped.answers if dropped else ():
            if answer not in given:
                raise SourceError(f"{answer!r} is not an accepted answer", where=f"{where}.drop_answers.{key}")
            given.remove(answer)
        for answer in extra.answers if extra else ():
            if answer in given:
                raise SourceError(f"{answer!r} is accepted already", where=f"{where}.extra_answers.{key}")
            given.append(answer)
        if not given:
            raise SourceError("no accepted answer remains", where=f"{where}.drop_answers.{key}", fix="use leave_out")
        return replace(record, answers=tuple(given))


def record_id(record: Question | DocumentQuestion | LabelledText) -> str:
    """Return the id that the reviews use."""
    return record.text_id if isinstance(record, LabelledText) else record.question_id


def reviewed(kind: str, name: str, found: Iterable[R]) -> list[R]:
    """Return the records of a set without those left out, and with the reviewed answers.

    Raises:
        SourceError: an extra answer is accepted already, or a dropped one is not.
    """
    path = review_file(kind)
    review = _read(path).get(name) if path else None
    if path is None or review is None:
        return list(found)
    left = (each for each in found if record_id(each) not in review.leave_out)
    return [review.answered(each, f"{_place(path)}: {name}") for each in left]


def reviews_of(kind: str) -> Mapping[str, SetReview]:
    """Return set -> verdicts for a kind of source; empty without a file."""
    path = review_file(kind)
    return _read(path) if path else {}


def review_file(kind: str) -> Path | None:
    """Return the file for a kind of source, if there is one: its own, or the file of the published kind for a mirror."""
    names = dict.fromkeys([kind, kind.removesuffix("_mirror")])
    return next((path for name in names if (path := FOLDER / f"{name}.yaml").is_file()), None)


def review_digest(kind: str) -> str | None:
    """Return the SHA-256 of the file of a kind for SOURCE.json: a changed verdict rebuilds what was made from the source."""
    path = review_file(kind)
    return sha256_file(path) if path else None


def reviews_version() -> str:
    """Return a digest of all files, which versions.yaml repeats so that DVC sees a change."""
    return digest(*(f"{path.name} {sha256_file(path)}" for path in sorted(FOLDER.glob("*.yaml"))), size=4).hex()


@cache
def _read(path: Path) -> Mapping[str, SetReview]:
    where = _place(path)
    found = {
        name: parse(SetReview, each, where=f"{where}: {name}") for name, each in read_yaml(path, name=where).items()
    }
    for name, each in found.items():
        if twice := [key for key, count in Counter(each.ids).items() if count > 1]:
            raise ParamsError(f"{twice[0]!r} has two verdicts", where=f"{where}: {name}", fix="keep one of them")
    return found


def _place(path: Path) -> str:
    return f"corpora/sources/{path.parent.name}/{path.name}"
