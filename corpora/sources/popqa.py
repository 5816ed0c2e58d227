"""PopQA: questions on 16 relations of little-known things (Mallen et al. 2023; docs/spec/helmet.md 3, 5.2).

HELMET keeps questions whose subject has fewer than 1,000 page views a month, for tests and for worked examples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import Mirrored, OnHub
from corpora.sources.formats.fields import answers, objects, text, text_of, texts, whole
from corpora.sources.formats.json_files import json_array
from corpora.sources.formats.tsv import quoted_table
from corpora.sources.question_source import Placed, Shared
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_PLACES = ("place of birth", "capital", "capital of", "country")  # relations whose answers are places
_COLUMNS = ("id", "prop", "subj", "s_wiki_title", "question", "possible_answers", "s_pop")


class _PopQa(Shared):
    """Both kinds.

    Attributes:
        popularity_below: maximum page views a month of the subject; None keeps every question.
    """

    sets: ClassVar[tuple[str, ...]] = ("popqa",)
    version: ClassVar[int] = 5
    popularity_below: Annotated[int, Field(ge=1)] | None = 1000

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question | None:
        popularity = whole(record, "s_pop", where)
        if self.popularity_below is not None and popularity >= self.popularity_below:
            return None
        relation = text(record, "prop", where)
        return Question(
            str(whole(record, "id", where)),
            split,
            text(record, "question", where),
            "longtail",
            answers=with_own_name(answers(_listed(record, "possible_answers", where), where), relation),
            evidence=_evidence(record, where),
            popularity=popularity,
            subject=text(record, "s_wiki_title" if record.get("s_wiki_title") else "subj", where),
            relation=relation,
        )


class PopQa(_PopQa, OnHub):
    """Options of kind `popqa`: `popularity_below`, `splits`, `revision`, `url`."""

    kind: ClassVar[str] = "popqa"
    revision: str | None = "098765c79ea10a2cb19c828324e33281b8336ec0"

    def raw_records(self, raw: Path, name: str) -> Iterable[Placed]:
        return quoted_table(raw / "test.tsv", _COLUMNS)


class PopQaMirror(Mirrored, _PopQa):
    """Options of kind `popqa_mirror`, 1,000 of the questions, each with two Wikipedia paragraphs: `popularity_below`, `splits`."""

    kind: ClassVar[str] = "popqa_mirror"

    def raw_records(self, raw: Path, name: str) -> Iterable[Placed]:
        return json_array(raw / "popqa_1000_with_paragraphs.json")


def with_own_name(accepted: tuple[str, ...], relation: str) -> tuple[str, ...]:
    """Accepted answers, and the own name of a place that includes its region: "Rathmore" of "Rathmore, County Kerry".

    Only of the first: the others are misspellings and forms of it. As with any answer, no distractor may hold the name.
    """
    name, comma, _ = (part.strip() for part in accepted[0].partition(","))
    return (*accepted, name) if comma and name not in accepted and relation in _PLACES else accepted


def _listed(record: dict[str, Any], key: str, where: str) -> list[str]:
    """A JSON list of texts inside a string."""
    try:
        found = json.loads(text(record, key, where))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{key!r} is not JSON: {error}", where=where, fix="fix that record") from None
    return texts({key: found}, key, where)


def _evidence(record: dict[str, Any], where: str) -> tuple[Evidence, ...]:
    """Passages of the subject's own paragraph.

    The file also marks the object's paragraph as supporting ("Politician" for a man's occupation), which does not mention
    the subject.
    """
    subject = record.get("s_wiki_title")
    paragraphs = objects(record, "paragraphs", where) if "paragraphs" in record else []
    supporting = [item for item in paragraphs if item.get("is_supporting") and item.get("title") == subject]
    pieces = (piece for item in supporting for piece in slice_pieces(text(item, "text", where)))
    return tuple(Evidence(title=text_of(subject, "title", where), text=piece) for piece in pieces)
