"""LooGLE: long Wikipedia articles with questions, film scripts, and papers with their abstracts (Li et al. 2023; docs/spec/marathon.md 2).

Kinds: `loogle` (the revision on the Hub that last had question types, as plain files or as the archive), `loogle_typed_mirror` (the sample in
its repository: nine articles, five scripts) and `loogle_mirror` (five articles and five papers of the sample, without types). Everything is
split test. In the first two, a document is a distinct text of any file, identified by its hash; questions, answers and evidence are
repaired (loogle_questions.py), and evidence need not be verbatim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources import loogle_questions as reader
from corpora.sources.addressed import Mirrored, OnHub
from corpora.sources.base import Batch, FetchContext, Piece, RawFile
from corpora.sources.document_source import DocumentSource, WithChoices, document, summary_question, text_id
from corpora.sources.formats.fields import text
from corpora.sources.formats.lines import first_lines, json_file, json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecords
from corpora.sources.loogle_text import paper
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion

_LONG_FILE, _SHORT_FILE, _CLOZE_FILE = _FILES = ("longdep_qa.jsonl", "shortdep_qa.jsonl", "shortdep_cloze.jsonl")
_SUMMARY_FILE, _LATER_SUMMARY_FILE = "longdep_summarization.jsonl", "summarization.jsonl"
_SCRIPTS, _SUMMARIES = "scripts", "summaries"
_MIRROR_FILES = {"loogle_qa": _LONG_FILE, "loogle_sum": _SUMMARY_FILE}


class _Typed(WithChoices):
    published: ClassVar[str] = "loogle"
    sets: ClassVar[tuple[str, ...]] = ("longdep", "shortdep", _SCRIPTS)

    def read_files(self) -> tuple[str, ...]:
        """The files whose texts are documents, in order."""
        return _FILES

    def arrange(self, stage: Path, context: FetchContext) -> None:
        for name in ("longdep", "shortdep"):
            found, counts = self.repaired(stage, name)
            noted = ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))
            context.report(f"{name}: {len(found)} questions; repaired, noted or left out: {noted or 'nothing'}")

    def check(self, raw: Path) -> None:
        super().check(raw)
        there = {reader.sort_of(asked) for line in self._asked(raw, _LONG_FILE) for asked in line.asked}
        if missing := [sort for sort in reader.SORTS if sort not in there]:
            what = f"has no question of type {', '.join(missing)}"
            raise SourceError(what, where=_LONG_FILE, fix=f"use revision {reader.PINNED}")

    def batches(self, raw: Path) -> list[Batch]:
        return first_lines(raw, self.read_files(), lambda record, where: text_id(reader.document_text(record, where)))

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for line in reader.lines(raw, piece, questions=False, papers=piece.path == _SUMMARY_FILE):
                yield Document(line.doc_id, line.title, "test", line.text)

    def load(self, raw: Path, name: str) -> list[DocumentQuestion]:
        return self.repaired(raw, name)[0]

    def repaired(self, raw: Path, name: str) -> tuple[list[DocumentQuestion], Counter[str]]:
        """The questions of a set, and counts of repairs, notes and left-out questions by name.

        The questions of set `scripts` have no words: they list the texts of the cloze file, as distractor documents.
        """
        if name == "shortdep":
            return reader.questions(self._asked(raw, _SHORT_FILE), reader.SHORT)
        if name == "longdep":
            return reader.questions(self._asked(raw, _LONG_FILE))
        scripts = dict.fromkeys(line.doc_id for line in reader.lines(raw, Piece(_CLOZE_FILE, 0, -1), questions=False))
        if name == _SCRIPTS:
            return [DocumentQuestion(doc_id, doc_id, "test", "qa", "") for doc_id in scripts], Counter()
        found, counts = reader.questions(self._asked(raw, _LONG_FILE))
        return [each for each in found if (each.doc_id in scripts) == (name == "longdep_scripts")], counts

    def _asked(self, raw: Path, path: str) -> Iterator[reader.Line]:
        """Lines of a file with their questions; blank ones are left out and counted."""
        odd = OddRecords(path)
        yield from reader.lines(raw, Piece(path, 0, -1), questions=True, odd=odd)
        self.left_out_of(path, odd)


class Loogle(_Typed, OnHub):
    """Options of kind `loogle`.

    Attributes:
        revision: commit; default: the last one with question types.
        summaries: also fetch LooGLE's papers, as set `summaries`: their abstracts are the references.
        url: a folder with the three files longdep_qa.jsonl, shortdep_qa.jsonl, shortdep_cloze.jsonl (and longdep_summarization.jsonl),
            in either form.
    """

    kind: ClassVar[str] = "loogle"
    version = 7
    sets: ClassVar[tuple[str, ...]] = (*_Typed.sets, "longdep_articles", "longdep_scripts")
    revision: str | None = reader.PINNED
    summaries: bool = False

    def document_sets(self) -> tuple[str, ...]:
        return (*self.sets, _SUMMARIES) if self.summaries else self.sets

    def read_files(self) -> tuple[str, ...]:
        return (*_FILES, _SUMMARY_FILE) if self.summaries else _FILES

    def download_bytes(self) -> int:
        return super().download_bytes() + self.summaries * 54_000_000

    def files(self) -> list[RawFile]:
        """The files with `url`; otherwise the Hub lists them."""
        return [RawFile(name, f"hf://datasets/{self.repo}/data/{name}") for name in self.read_files()]

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        papers = (_SUMMARY_FILE, _LATER_SUMMARY_FILE)
        found = [file for file in super().raw_files(context) if self.summaries or not file.path.endswith(papers)]
        plain = any(file.path.endswith(_LONG_FILE) for file in found)
        return [file for file in found if not (plain and file.path == "data.zip")]

    def arrange(self, stage: Path, context: FetchContext) -> None:
        """Move the files out of the folder or archive of the Hub."""
        for folder in ("data", "unpacked"):
            for path in filter(Path.is_file, sorted((stage / folder).rglob("*"))):
                name = _SUMMARY_FILE if path.name == _LATER_SUMMARY_FILE else path.name
                left_over = "__MACOSX" in path.parts  # from the archiver of macOS
                path.replace(stage / name) if name in self.read_files() and not left_over else path.unlink()
        super().arrange(stage, context)

    def load(self, raw: Path, name: str) -> list[DocumentQuestion]:
        if name != _SUMMARIES:
            return super().load(raw, name)
        found = self.sound(_SUMMARIES, json_file(raw, _SUMMARY_FILE), _summary)
        return list({each.doc_id: each for each in found}.values())


class LoogleTypedMirror(_Typed, Mirrored):
    """Options of kind `loogle_typed_mirror`: `replies`, `review`."""

    kind: ClassVar[str] = "loogle_typed_mirror"
    version = 6


class LoogleMirror(Mirrored, DocumentSource):
    """Kind `loogle_mirror`; no options. Real documents for tasks whose sources are not in the mirror; their ids are titles."""

    kind: ClassVar[str] = "loogle_mirror"
    version = 8
    sets = tuple(_MIRROR_FILES)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, list(_MIRROR_FILES.values()))

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            is_paper = piece.path == _SUMMARY_FILE
            for where, record in json_lines(raw, piece):
                name = text(record, "title", where)  # of a paper a number
                title = f"Paper {where.rpartition(':')[2]}" if is_paper else name
                found = document(record, "input", name, title, "test", where)
                whole = paper(found.text, reader.summary_of(record, where)) if is_paper else found.text
                yield replace(found, text=reader.parted(whole))

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        left_out = Counter[str]()
        for where, record in json_file(raw, _MIRROR_FILES[name]):
            title = text(record, "title", where)
            if name == "loogle_sum":
                yield summary_question(title, "test", reader.summary_of(record, where))
            else:
                yield from reader.untyped_questions(record, title, where, left_out)
        self._odd.update({f"{name} ({reason})": count for reason, count in left_out.items()})


def _summary(placed: tuple[str, dict[str, Any]]) -> DocumentQuestion:
    where, record = placed
    return summary_question(text_id(reader.document_text(record, where)), "test", reader.summary_of(record, where))
