"""PopQA: questions on 16 relations of little-known things (Mallen et al. 2023; docs/spec/helmet.md 3, 5.2).

Kinds `popqa` (test.tsv on the Hub) and `popqa_mirror` (1,000 of its questions, each with two Wikipedia paragraphs).
HELMET keeps questions whose subject has fewer than 1,000 page views a month, for tests and for worked examples alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import answers, json_array, objects, text, text_of, whole
from corpora.sources.formats.odd_records import OddRecords
from corpora.sources.formats.tsv import quoted_table
from corpora.sources.question_source import Shared
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_MIRROR_FILE = "popqa_1000_with_paragraphs.json"
_OF_PLACES = frozenset({"place of birth", "capital", "capital of", "country"})  # relations whose answers are places
_COLUMNS = ("id", "prop", "subj", "s_wiki_title", "question", "possible_answers", "s_pop")


class _PopQa(Shared):
    """What both kinds share.

    Attributes:
        popularity_below: page views a month of the subject; None keeps every question.
    """

    sets: ClassVar[tuple[str, ...]] = ("popqa",)
    version: ClassVar[int] = 4
    popularity_below: Annotated[int, Field(ge=1)] | None = 1000

    def records(self, raw: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Place and fields of every question."""
        raise NotImplementedError

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        odd = OddRecords(name)
        for where, record in self.records(raw):
            with odd:
                yield from self._of_part(where, record, part)
        self.left_out_of(name, odd)

    def _of_part(self, where: str, record: Mapping[str, Any], part: Split) -> Iterator[Question]:
        """The question of a record, where it is rare enough and of that part."""
        fields = dict(record)
        popularity = whole(fields, "s_pop", where)
        question = text(fields, "question", where)
        relation = text(fields, "prop", where)
        rare = self.popularity_below is None or popularity < self.popularity_below
        if not rare or self.part_of(question) != part:
            return
        yield Question(
            str(whole(fields, "id", where)),
            part,
            question,
            "longtail",
            answers=with_own_name(answers(_listed(fields, "possible_answers", where), where), relation),
            evidence=_evidence(fields, where),
            popularity=popularity,
            subject=text(fields, "s_wiki_title" if fields.get("s_wiki_title") else "subj", where),
            relation=relation,
        )


class PopQa(_PopQa, OnHub):
    """Options of kind `popqa`: `popularity_below`, `parts`, `revision`, `url`."""

    kind: ClassVar[str] = "popqa"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="PopQA",
        homepage="https://huggingface.co/datasets/akariasai/PopQA",
        licence="MIT (code repository; the data card names none)",
        licences=("mit", "unstated"),
        redistribution="with attribution",
        roles=("questions",),
        download_bytes=5_210_000,
        note="14,267 questions in one split, no provenance: gold is a passage of the subject's article that states the relation",
    )
    repo: ClassVar[str] = "akariasai/PopQA"
    revision: str | None = "098765c79ea10a2cb19c828324e33281b8336ec0"
    names: ClassVar[tuple[str, ...]] = ("test.tsv",)

    def records(self, raw: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
        return quoted_table(raw / "test.tsv", _COLUMNS)


class PopQaMirror(_PopQa):
    """Options of kind `popqa_mirror`: `popularity_below`, `parts`."""

    kind: ClassVar[str] = "popqa_mirror"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="PopQA (mirror copy: 1,000 questions with paragraphs)",
        homepage="https://github.com/AlexTMallen/adaptive-retrieval",
        licence="MIT; paragraphs of Wikipedia CC BY-SA 3.0",
        licences=("mit", "cc-by-sa-3.0"),
        redistribution="with attribution, paragraphs under the same licence",
        roles=("questions",),
        download_bytes=845_778,
        note="evidence is the subject's own paragraph; it states the relation for 342 of 772 questions on rare subjects",
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_MIRROR_FILE}.gz", f"mirror:popqa/{_MIRROR_FILE}.gz")]

    def records(self, raw: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
        return iter(json_array(raw / _MIRROR_FILE))


def with_own_name(accepted: tuple[str, ...], relation: str) -> tuple[str, ...]:
    """Accepted answers, and the own name of a place that is called by where it lies: "Rathmore" of "Rathmore, County Kerry".

    Of the first one alone: others are misspellings and forms of what the first already names. No distractor may hold the name, as any answer.
    """
    name, comma, _ = (part.strip() for part in accepted[0].partition(","))
    return (*accepted, name) if comma and name not in accepted and relation in _OF_PLACES else accepted


def _listed(fields: dict[str, Any], key: str, where: str) -> list[str]:
    """A JSON list inside a string."""
    try:
        found = json.loads(text(fields, key, where))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{key!r} is not JSON: {error}", where=where, fix="mend that record") from None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise SourceError(f"{key!r} holds no list of texts", where=where, fix="mend that record")
    return found


def _evidence(fields: dict[str, Any], where: str) -> tuple[Evidence, ...]:
    """Passages of the subject's own paragraph.

    The file marks the object's paragraph as supporting too ("Politician" for a man's occupation), which says nothing of the
    subject.
    """
    subject = fields.get("s_wiki_title")
    paragraphs = objects(fields, "paragraphs", where) if "paragraphs" in fields else []
    supporting = [item for item in paragraphs if item.get("is_supporting") and item.get("title") == subject]
    pieces = (piece for item in supporting for piece in slice_pieces(text(item, "text", where)))
    return tuple(Evidence(title=text_of(subject, "title", where), text=piece) for piece in pieces)
