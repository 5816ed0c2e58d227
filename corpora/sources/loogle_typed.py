"""LooGLE with the type of each long-dependency question, as Marathon needs it (docs/spec/marathon.md 2).

Kinds `loogle` (the revision on the Hub that last had the types, as plain files or as the archive) and `loogle_typed_mirror` (the
sample in its repository: nine articles, five scripts). A document is a distinct text, known by its hash, in whichever files it stands.
All of it is part test. Questions, answers and evidence are repaired (loogle_questions.py); evidence need not stand verbatim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, FetchedFile, Piece, RawFile, SourceInfo
from corpora.sources.document_source import WithChoices, first_lines, text_id
from corpora.sources.formats.fields import text
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.loogle_questions import PINNED, SHORT, missing_sorts, questions
from corpora.sources.loogle_records import Line, lines, summary_of, text_key
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion

_LONG_FILE, _SHORT_FILE, _CLOZE_FILE = _FILES = ("longdep_qa.jsonl", "shortdep_qa.jsonl", "shortdep_cloze.jsonl")
_SUMMARY_FILE, _LATER_SUMMARY_FILE = "longdep_summarization.jsonl", "summarization.jsonl"
_SUMMARY_BYTES = 54_000_000
_SCRIPTS, _SUMMARIES = "scripts", "summaries"
_ARCHIVE = "data.zip"


def _info(title: str, size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/bigai-nlco/LooGLE",
        licence="MIT (repository), CC BY-SA 4.0 (data card); scripts under their authors' terms",
        licences=("mit", "cc-by-sa-4.0", "others"),
        redistribution="articles under the same licence; ask before publishing scripts",
        roles=("documents", "document_questions"),
        download_bytes=size,
        note=note,
    )


class _Typed(WithChoices):
    """What both kinds share: three files."""

    sets: ClassVar[tuple[str, ...]] = ("longdep", "shortdep", _SCRIPTS)

    def read_files(self) -> tuple[str, ...]:
        """The files whose texts are documents, in order."""
        return _FILES

    def in_place(self, stage: Path) -> None:
        """Bring the files to where they are read."""

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            self.in_place(stage)
            for name in ("longdep", "shortdep"):
                found, counts = self.repaired(stage, name)
                noted = ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))
                context.report(f"{name}: {len(found)} questions; repaired, noted or left out: {noted or 'nothing'}")
        return got

    def check(self, raw: Path) -> None:
        super().check(raw)
        if missing := missing_sorts(_lines(raw, _LONG_FILE)):
            raise SourceError(
                f"has no question of type {', '.join(missing)}", where=_LONG_FILE, fix=f"use revision {PINNED}"
            )

    def batches(self, raw: Path) -> list[Batch]:
        return first_lines(raw, self.read_files(), lambda record, where: text_id(text(record, text_key(record), where)))

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for line in lines(raw, piece, questions=False, papers=piece.path == _SUMMARY_FILE):
                yield Document(line.doc_id, line.title, "test", line.text)

    def load(self, raw: Path, name: str) -> list[DocumentQuestion]:
        return self.repaired(raw, name)[0]

    def repaired(self, raw: Path, name: str) -> tuple[list[DocumentQuestion], Counter[str]]:
        """The questions of a set, and what was repaired, noted or left out: name -> how often.

        Set `scripts` asks nothing: it names the texts of the cloze file, in questions without words, to stand around others.

        Raises:
            SourceError: a damaged file, or questions without a type.
        """
        if name == _SCRIPTS:
            ids = dict.fromkeys(line.doc_id for line in _lines(raw, _CLOZE_FILE, questions=False))
            return [DocumentQuestion(doc_id, doc_id, "test", "qa", "") for doc_id in ids], Counter()
        if name == "shortdep":
            return questions(self._asked(raw, _SHORT_FILE), SHORT)
        found, counts = questions(self._asked(raw, _LONG_FILE))
        if name != "longdep":
            scripts = {line.doc_id for line in _lines(raw, _CLOZE_FILE, questions=False)}
            found = [question for question in found if (question.doc_id in scripts) == (name == "longdep_scripts")]
        return found, counts

    def _asked(self, raw: Path, path: str) -> Iterator[Line]:
        """Lines of a file with their questions; those that are blank are left out and counted."""
        odd = OddRecords(path)
        yield from lines(raw, Piece(path, 0, -1), questions=True, odd=odd)
        self.left_out_of(path, odd)


class Loogle(_Typed, OnHub):
    """Options of kind `loogle`.

    Attributes:
        replies, review: data for wrong options (WithChoices).
        revision: the pinned one is the last that says of which type a question is.
        summaries: whether LooGLE's papers come too, as set `summaries`: their abstracts are the references.
        url: a folder with the three files longdep_qa.jsonl, shortdep_qa.jsonl, shortdep_cloze.jsonl (and longdep_summarization.jsonl),
            in either form.
    """

    kind: ClassVar[str] = "loogle"
    version: ClassVar[int] = 5
    info: ClassVar[SourceInfo] = _info(
        "LooGLE",
        45_000_000,
        "articles and scripts, about 1,100 long-dependency and 1,950 short-dependency questions; the size is an estimate, files are "
        "locked at the first download",
    )
    repo: ClassVar[str] = "bigai-nlco/LooGLE"
    names: ClassVar[tuple[str, ...]] = (
        *(f"data/{name}" for name in (*_FILES, _SUMMARY_FILE, _LATER_SUMMARY_FILE)),
        _ARCHIVE,
    )
    sets: ClassVar[tuple[str, ...]] = (*_Typed.sets, "longdep_articles", "longdep_scripts")
    revision: str | None = PINNED
    summaries: bool = False

    def document_sets(self) -> tuple[str, ...]:
        return (*self.sets, _SUMMARIES) if self.summaries else self.sets

    def read_files(self) -> tuple[str, ...]:
        return (*_FILES, _SUMMARY_FILE) if self.summaries else _FILES

    def download_bytes(self) -> int:
        return super().download_bytes() + self.summaries * _SUMMARY_BYTES

    def files(self) -> list[RawFile]:
        """With `url`; the Hub is asked what it has."""
        return [RawFile(name, f"hf://datasets/{self.repo}/data/{name}") for name in self.read_files()]

    def load(self, raw: Path, name: str) -> list[DocumentQuestion]:
        return self._summarised(raw) if name == _SUMMARIES else super().load(raw, name)

    def _summarised(self, raw: Path) -> list[DocumentQuestion]:
        """Every paper with its abstract."""
        odd = OddRecords(_SUMMARY_FILE)
        found = sound(odd, json_lines(raw, Piece(_SUMMARY_FILE, 0, -1)), _summary)
        papers = {each.doc_id: each for each in found}
        self.left_out_of(_SUMMARIES, odd)
        return list(papers.values())

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        papers = (_SUMMARY_FILE, _LATER_SUMMARY_FILE)
        found = [file for file in super().raw_files(context) if self.summaries or not file.path.endswith(papers)]
        plain = any(file.path.endswith(_LONG_FILE) for file in found)
        return [file for file in found if not (plain and file.path == _ARCHIVE)]

    def in_place(self, stage: Path) -> None:
        """Bring the files out of the folder or archive that the Hub has them in."""
        for folder in ("data", "unpacked"):
            for path in filter(Path.is_file, sorted((stage / folder).rglob("*"))):
                name = _SUMMARY_FILE if path.name == _LATER_SUMMARY_FILE else path.name
                left_over = "__MACOSX" in path.parts  # by another system's archiver
                path.replace(stage / name) if name in self.read_files() and not left_over else path.unlink()


class LoogleTypedMirror(_Typed):
    """Options of kind `loogle_typed_mirror`: `replies`, `review`."""

    kind: ClassVar[str] = "loogle_typed_mirror"
    version: ClassVar[int] = 4
    info: ClassVar[SourceInfo] = _info(
        "LooGLE (mirror copy: its sample of 9 articles and 5 scripts)", 1_582_889, "43 and 80 questions, of all types"
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [*(RawFile(name, f"mirror:loogle/{name}") for name in _FILES), *super().raw_files(context)]


def _summary(numbered: tuple[int, dict[str, Any]]) -> DocumentQuestion:
    """A paper's abstract."""
    number, record = numbered
    where = f"{_SUMMARY_FILE}:{number}"
    doc_id = text_id(text(record, text_key(record), where))
    return DocumentQuestion(doc_id, doc_id, "test", "summary", "", references=(summary_of(record, where),))


def _lines(raw: Path, path: str, *, questions: bool = True) -> Iterator[Line]:
    return lines(raw, Piece(path, 0, -1), questions=questions)
