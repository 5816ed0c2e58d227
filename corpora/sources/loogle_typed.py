"""LooGLE with the type of each long-dependency question, as Marathon needs it (docs/spec/marathon.md 2).

Kinds `loogle` (the revision on the Hub that last had the types, as plain files or as the archive) and `loogle_typed_mirror` (the
sample in its repository: nine articles, five scripts). A document is a distinct text, known by its hash, in whichever files it stands.
All of it is part test. Questions, answers and evidence are repaired (loogle_questions.py); evidence need not stand verbatim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, FetchedFile, Piece, RawFile, SourceInfo
from corpora.sources.document_source import WithChoices, first_lines, text_id
from corpora.sources.formats.fields import text
from corpora.sources.loogle_questions import PINNED, SHORT, missing_sorts, questions
from corpora.sources.loogle_records import Line, lines, text_key
from haymaker.errors import SourceError
from haymaker.records import Document, DocumentQuestion

_LONG_FILE, _SHORT_FILE, _CLOZE_FILE = _FILES = ("longdep_qa.jsonl", "shortdep_qa.jsonl", "shortdep_cloze.jsonl")
_SCRIPTS = "scripts"
_ARCHIVE = "data.zip"


def _info(title: str, size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/bigai-nlco/LooGLE",
        licence="MIT (repository), CC BY-SA 4.0 (data card); scripts under their authors' terms",
        licences=("mit", "cc-by-sa-4.0", "others"),
        redistribution="articles under the same licence; ask before publishing scripts",
        edition="real",
        roles=("documents", "document_questions"),
        languages=("en",),
        download_bytes=size,
        note=note,
    )


class _Typed(WithChoices):
    """What both kinds share: three files."""

    sets: ClassVar[tuple[str, ...]] = ("longdep", "shortdep", _SCRIPTS)

    def in_place(self, stage: Path) -> None:
        """Bring the files to where they are read."""

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
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
        return first_lines(raw, _FILES, lambda record, where: text_id(text(record, text_key(record), where)))

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for line in lines(raw, piece, questions=False):
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
            return questions(_lines(raw, _SHORT_FILE), SHORT)
        found, counts = questions(_lines(raw, _LONG_FILE))
        if name != "longdep":
            scripts = {line.doc_id for line in _lines(raw, _CLOZE_FILE, questions=False)}
            found = [question for question in found if (question.doc_id in scripts) == (name == "longdep_scripts")]
        return found, counts


class Loogle(_Typed, OnHub):
    """Options of kind `loogle`.

    Attributes:
        replies, review: data for wrong options (WithChoices).
        revision: the pinned one is the last that says of which type a question is.
        url: a folder with the three files longdep_qa.jsonl, shortdep_qa.jsonl, shortdep_cloze.jsonl, in either form.
    """

    kind: ClassVar[str] = "loogle"
    info: ClassVar[SourceInfo] = _info(
        "LooGLE",
        45_000_000,
        "articles and scripts, about 1,100 long-dependency and 1,950 short-dependency questions; the size is an estimate, files are "
        "locked at the first download",
    )
    repo: ClassVar[str] = "bigai-nlco/LooGLE"
    names: ClassVar[tuple[str, ...]] = (*(f"data/{name}" for name in _FILES), _ARCHIVE)
    sets: ClassVar[tuple[str, ...]] = (*_Typed.sets, "longdep_articles", "longdep_scripts")
    revision: str | None = PINNED

    def files(self) -> list[RawFile]:
        return [file for file in super().files() if file.path != _ARCHIVE]

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        found = super().raw_files(context)
        plain = any(file.path.endswith(_LONG_FILE) for file in found)
        return [file for file in found if not (plain and file.path == _ARCHIVE)]

    def in_place(self, stage: Path) -> None:
        """Bring the three files out of the folder or archive that the Hub has them in."""
        for folder in ("data", "unpacked"):
            for path in filter(Path.is_file, sorted((stage / folder).rglob("*"))):
                is_wanted = (
                    path.name in _FILES and "__MACOSX" not in path.parts
                )  # leftovers of another system's archiver
                path.replace(stage / path.name) if is_wanted else path.unlink()


class LoogleTypedMirror(_Typed):
    """Options of kind `loogle_typed_mirror`: `replies`, `review`."""

    kind: ClassVar[str] = "loogle_typed_mirror"
    info: ClassVar[SourceInfo] = _info(
        "LooGLE (mirror copy: its sample of 9 articles and 5 scripts)", 1_582_889, "43 and 80 questions, of all types"
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [*(RawFile(name, f"mirror:loogle/{name}") for name in _FILES), *super().raw_files(context)]


def _lines(raw: Path, path: str, *, questions: bool = True) -> Iterator[Line]:
    return lines(raw, Piece(path, 0, -1), questions=questions)
