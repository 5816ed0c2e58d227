"""ALCE: ASQA (ambiguous questions, long answers) and QAMPARI (answers that are lists), asked on the DPR Wikipedia split.

Gao et al. 2023; docs/spec/helmet.md 3, 7. Kinds `alce` (the published archive) and `qampari_mirror` (its 1,000 QAMPARI
questions). The archive's own retrieved passages stop at 100 a question and are not used: passages come from the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import answers, id_of, json_array, objects, text, text_of, texts, value_of
from corpora.sources.formats.odd_records import OddRecordError, OddRecords, sound
from corpora.sources.question_source import Shared
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_COMMIT = "334fa2e7dd32040c3fef931a123c4be1a81e91a0"
_FILES = {"asqa": "asqa_eval_gtr_top100.json", "qampari": "qampari_eval_gtr_top100.json"}
_MIRROR_FILE = "qampari_1000_no_docs.json"
_NO_CONTEXT = "No context provided"


class Alce(Shared, OnHub):
    """Options of kind `alce`.

    Attributes:
        tasks: which of asqa (948 questions) and qampari (1,000).
    """

    kind: ClassVar[str] = "alce"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="ALCE: ASQA and QAMPARI",
        homepage="https://github.com/princeton-nlp/ALCE",
        licence="MIT (ALCE); Apache-2.0 (ASQA); QAMPARI names none for its data",
        licences=("mit", "apache-2.0", "unstated"),
        redistribution="with attribution; ask before publishing QAMPARI",
        roles=("questions",),
        download_bytes=451_000_000,
        note="gold of ASQA is found by retrieval in the articles that it names; QAMPARI names none",
    )
    repo: ClassVar[str] = "princeton-nlp/ALCE-data"
    revision: str | None = _COMMIT
    names: ClassVar[tuple[str, ...]] = ("ALCE-data.tar",)
    tasks: Annotated[tuple[Literal["asqa", "qampari"], ...], Field(min_length=1)] = ("asqa", "qampari")

    def question_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.tasks))

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        found = sorted((raw / "unpacked").rglob(_FILES[name]))
        if len(found) != 1:
            where = f"source {self.name}"
            raise SourceError(f"{len(found)} files {_FILES[name]} in the archive, not one", where=where)
        reader = asqa if name == "asqa" else qampari

        def read(placed: tuple[str, dict[str, Any]]) -> Question | None:
            where, record = placed
            return reader(record, where, part) if self.part_of(text(record, "question", where)) == part else None

        odd = OddRecords(name)
        yield from sound(odd, json_array(found[0]), read)
        self.left_out_of(f"{name} {part}", odd)


class QampariMirror(Shared):
    """Options of kind `qampari_mirror`: `parts`."""

    kind: ClassVar[str] = "qampari_mirror"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="QAMPARI (mirror copy: the 1,000 questions of ALCE)",
        homepage="https://samsam3232.github.io/qampari",
        licence="not stated",
        roles=("questions",),
        download_bytes=230_633,
        note="questions and answers alone: no passage is known to be gold",
    )
    sets: ClassVar[tuple[str, ...]] = ("qampari",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_MIRROR_FILE}.gz", f"mirror:alce/{_MIRROR_FILE}.gz")]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        for where, record in json_array(raw / _MIRROR_FILE):
            if self.part_of(text(record, "question", where)) == part:
                yield qampari(record, where, part)


def asqa(record: dict[str, Any], where: str, part: Split) -> Question:
    """An ASQA record: one reading and one group of short answers per entry of qa_pairs, long answers as references.

    Raises:
        SourceError: another shape.
    """
    pairs = objects(record, "qa_pairs", where)
    groups = tuple(answers(texts(pair, "short_answers", where), where) for pair in pairs)
    if not groups:
        raise OddRecordError("'qa_pairs' is empty", where=where, fix="fetch the source again")
    long = [text(item, "long_answer", where) for item in objects(record, "annotations", where)]
    return Question(
        id_of(value_of(record, "sample_id", where), "sample_id", where),
        part,
        text(record, "question", where),
        "ambiguous",
        answer_groups=groups,
        readings=tuple(text(pair, "question", where) for pair in pairs),
        references=tuple(dict.fromkeys(long)),
        evidence=tuple(item for group, pair in enumerate(pairs) for item in _context(pair, group, where)),
    )


def qampari(record: dict[str, Any], where: str, part: Split) -> Question:
    """A QAMPARI record: one group of aliases per answer; empty groups and repeated ones are left out.

    Raises:
        SourceError: another shape.
    """
    listed = value_of(record, "answers", where)
    if not isinstance(listed, list) or not all(isinstance(group, list) for group in listed):
        raise SourceError("'answers' holds no lists of aliases", where=where, fix="fetch the source again")
    named = ([alias for alias in texts({"answers": group}, "answers", where) if alias.strip()] for group in listed)
    groups = [answers(group, where) for group in named if group]
    if not groups:
        raise OddRecordError("'answers' is empty", where=where, fix="fetch the source again")
    return Question(
        id_of(value_of(record, "id", where), "id", where),
        part,
        text(record, "question", where),
        "list",
        answer_groups=tuple(dict.fromkeys(groups)),
    )


def _context(pair: dict[str, Any], group: int, where: str) -> Iterator[Evidence]:
    """The passage that ASQA's writers saw: of a later Wikipedia, so the corpus may not hold it word for word."""
    context, page = pair.get("context"), pair.get("wikipage")
    if isinstance(context, str) and isinstance(page, str) and context.strip() not in ("", _NO_CONTEXT):
        title, seen = text_of(page, "wikipage", where), text_of(context, "context", where)
        yield Evidence(title=title, text=seen.strip(), group=group)
