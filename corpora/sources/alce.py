"""ALCE: ASQA (ambiguous questions, long answers) and QAMPARI (answers that are lists), on the DPR Wikipedia split.

Gao et al. 2023; docs/spec/helmet.md 3, 7. The archive's own retrieved passages stop at 100 a question and are not used:
passages come from the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import Mirrored, OnHub
from corpora.sources.formats.fields import answers, id_of, objects, text, text_of, texts, value_of
from corpora.sources.formats.json_files import json_array
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.question_source import Placed, Shared
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split


class Alce(Shared, OnHub):
    """Options of kind `alce`, the published archive.

    Attributes:
        tasks: sets to read: asqa (948 questions), qampari (1,000).
    """

    kind: ClassVar[str] = "alce"
    revision: str | None = "334fa2e7dd32040c3fef931a123c4be1a81e91a0"
    tasks: Annotated[tuple[Literal["asqa", "qampari"], ...], Field(min_length=1)] = ("asqa", "qampari")

    def question_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.tasks))

    def raw_records(self, raw: Path, name: str) -> Iterable[Placed]:
        file = f"{name}_eval_gtr_top100.json"
        found = sorted((raw / "unpacked").rglob(file))
        if len(found) != 1:
            raise self.error(f"the archive contains {len(found)} files {file}, not one")
        return json_array(found[0])

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question:
        return asqa(record, where, split) if where.startswith("asqa") else qampari(record, where, split)


class QampariMirror(Mirrored, Shared):
    """Options of kind `qampari_mirror`: `splits`."""

    kind: ClassVar[str] = "qampari_mirror"
    sets: ClassVar[tuple[str, ...]] = ("qampari",)

    def raw_records(self, raw: Path, name: str) -> Iterable[Placed]:
        return json_array(raw / "qampari_1000_no_docs.json")

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question:
        return qampari(record, where, split)


def asqa(record: dict[str, Any], where: str, split: Split) -> Question:
    """An ASQA record: one reading and one group of short answers per entry of qa_pairs, long answers as references."""
    pairs = objects(record, "qa_pairs", where)
    groups = tuple(answers(texts(pair, "short_answers", where), where) for pair in pairs)
    if not groups:
        raise OddRecordError("'qa_pairs' is empty", where=where, fix="fetch the source again")
    long = [text(item, "long_answer", where) for item in objects(record, "annotations", where)]
    return Question(
        id_of(value_of(record, "sample_id", where), "sample_id", where),
        split,
        text(record, "question", where),
        "ambiguous",
        answer_groups=groups,
        readings=tuple(text(pair, "question", where) for pair in pairs),
        references=tuple(dict.fromkeys(long)),
        evidence=tuple(item for group, pair in enumerate(pairs) for item in _context(pair, group, where)),
    )


def qampari(record: dict[str, Any], where: str, split: Split) -> Question:
    """A QAMPARI record: one group of aliases per answer; empty groups and repeated ones are left out."""
    listed = value_of(record, "answers", where)
    if not isinstance(listed, list):
        raise SourceError("'answers' is not a list", where=where, fix="fetch the source again")
    named = ([alias for alias in texts({"answers": group}, "answers", where) if alias.strip()] for group in listed)
    groups = [answers(group, where) for group in named if group]
    if not groups:
        raise OddRecordError("'answers' is empty", where=where, fix="fetch the source again")
    return Question(
        id_of(value_of(record, "id", where), "id", where),
        split,
        text(record, "question", where),
        "list",
        answer_groups=tuple(dict.fromkeys(groups)),
    )


def _context(pair: dict[str, Any], group: int, where: str) -> Iterator[Evidence]:
    """The passage that ASQA's writers saw: of a later Wikipedia, so the corpus may not hold it word for word."""
    context, page = pair.get("context"), pair.get("wikipage")
    if isinstance(context, str) and isinstance(page, str) and context.strip() not in ("", "No context provided"):
        title, seen = text_of(page, "wikipage", where), text_of(context, "context", where)
        yield Evidence(title=title, text=seen.strip(), group=group)
