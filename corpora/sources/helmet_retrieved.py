"""HELMET's released retrieval results: questions with their gold and about a thousand retrieved passages each (docs/spec/helmet.md 4, 7).

Kind `helmet_retrieved`. HELMET's users do not search 36 million passages: its organisers did, and published what they found. The archive (11.3 GB, 34 GB
unpacked) is read as it streams by; of each list the longest file is taken, once per question, and every passage once. What stays are questions with the
ids of their passages, and the passages: a few GB.

Differs from the reference: gold is what the lists name as positive (KILT's provenance); a question of PopQA has gold where a passage of its
subject's article states its relation, one of ASQA where a passage of the article that ASQA names says a short answer; QAMPARI names no article and is
not built (docs/reference/gold.md). Depths and orders are ours, drawn anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.alce import asqa
from corpora.sources.base import Batch, SourceInfo
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import answers, id_of, objects, text, texts, value_of, whole
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.helmet_archive import LINE_MB, PASSAGES, Reading, title_of
from corpora.sources.popqa import with_own_name
from corpora.sources.question_source import Shared
from haymaker.core.files.disk import disk_errors
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split

_KINDS = {"nq": "single", "triviaqa": "trivia", "hotpotqa": "bridge", "popqa": "longtail", "dl19": "search"}
_SHARED = ("popqa", "dl19", "asqa")  # published as one part: worked examples come from a share of it
_RELATIONS = (
    (re.compile(r"What is (.+)'s occupation\?"), "occupation"),
    (re.compile(r"In what city was (.+) born\?"), "place of birth"),
)
_KIND = re.compile(r" \([^()]*\)\Z")  # of a title: (composer)


class HelmetRetrieved(Shared, OnHub):
    """Options of kind `helmet_retrieved`: `parts` (of popqa, dl19 and asqa), `popularity_below`, `revision`, `url`.

    Attributes:
        popularity_below: page views a month of a subject of popqa; the lists hold all, HELMET asks these; None asks every question.
    """

    kind: ClassVar[str] = "helmet_retrieved"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = SourceInfo(
        title="HELMET: released retrieval results",
        homepage="https://github.com/princeton-nlp/HELMET",
        licence="not stated by the archive; passages of Wikipedia CC BY-SA 3.0, MS MARCO for non-commercial research",
        licences=("unstated", "cc-by-sa-3.0", "research"),
        roles=("passages", "questions"),
        download_bytes=11_300_000_000,
        note="gold of its lists, dense retrieval by its organisers (gte-large; GTR for ASQA); about 16 GB of disk while it is read, 4 GB after",
        passages=3_500_000,
    )
    repo: ClassVar[str] = "princeton-nlp/HELMET"
    names: ClassVar[tuple[str, ...]] = ("data.tar.gz",)
    popularity_below: Annotated[int, Field(ge=1)] | None = 1000
    sets: ClassVar[tuple[str, ...]] = ("nq", "triviaqa", "hotpotqa", "popqa", "dl19", "asqa")

    def open_up(self, path: Path) -> None:
        """Read the archive as it streams by, keep what is asked, and remove it."""
        with disk_errors(path):
            Reading(path.parent).read(path)
        path.unlink()

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [PASSAGES])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece):
                where = f"{PASSAGES}:{number}"
                yield Passage(text(record, "id", where), "", title_of(record), "", text(record, "text", where))

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        path = f"{name}.jsonl"
        for number, record in json_lines(raw, Piece(path, 0, -1), LINE_MB):
            where = f"{path}:{number}"
            question = text(record, "question", where)
            mine = self.part_of(question) if name in _SHARED else record.get("part")
            if mine == part and (name != "popqa" or self._is_rare(record, where)):
                yield _asqa(record, where, part) if name == "asqa" else _question(record, name, where, part)

    def _is_rare(self, record: dict[str, Any], where: str) -> bool:
        return self.popularity_below is None or whole(record, "s_pop", where) < self.popularity_below


def _question(record: dict[str, Any], name: str, where: str, part: Split) -> Question:
    """A question with the passages that its list names."""
    key, asked = id_of(value_of(record, "id", where), "id", where), text(record, "question", where)
    if name == "dl19":
        labels: dict[str, int] = value_of(record, "labels", where)
        judged = tuple(Evidence(passage_id=i, grade=grade) for i, grade in labels.items() if grade)
        rest = tuple(Evidence(passage_id=i) for i, grade in labels.items() if not grade)
        return Question(key, part, asked, "search", evidence=judged, shown=rest)
    ids, gold = texts(record, "shown", where), texts(record, "gold", where)
    made = Question(
        key, part, asked, _KINDS[name], answers=answers(texts(record, "answers", where), where),
        evidence=tuple(Evidence(passage_id=i) for i in gold), shown=tuple(Evidence(passage_id=i) for i in ids),
    )  # fmt: skip
    if name != "popqa":
        return made
    subject, relation = next(((m[1], said) for form, said in _RELATIONS if (m := form.fullmatch(asked))), ("", ""))
    titled = zip(ids, (_KIND.sub("", title) for title in texts(record, "titles", where)), strict=True)
    found = tuple(Evidence(passage_id=i) for i, title in titled if subject and title == subject)
    accepted = with_own_name(made.answers, relation)
    return replace(
        made,
        answers=accepted,
        evidence=found,
        subject=subject,
        relation=relation,
        popularity=whole(record, "s_pop", where),
    )


def _asqa(record: dict[str, Any], where: str, part: Split) -> Question:
    """Gold: passages of the articles that ASQA names for a reading; the search's first of each is not known to be more."""
    made, docs = asqa(record, where, part), objects(record, "docs", where)
    found = [
        Evidence(passage_id=text(doc, "id", where), group=each.group)
        for each in made.evidence
        for doc in docs
        if each.title and doc.get("title") == each.title
    ]
    shown = tuple(Evidence(passage_id=text(doc, "id", where)) for doc in docs)
    named = next((each.title for each in made.evidence if each.title), "")
    return replace(made, evidence=tuple(found), shown=shown, subject=named)
