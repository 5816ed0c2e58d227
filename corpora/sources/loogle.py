"""LooGLE: long Wikipedia articles with questions, and papers with their abstracts as summaries (Li et al. 2023).

Kind `loogle_mirror`: the two files of the sample that LooGLE keeps in its repository, five documents each; all of it is part
test. It gives real documents to the tasks whose own sources the mirror lacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import Batch, FetchContext, Piece, RawFile, SourceInfo
from corpora.sources.document_source import DocumentSource, document
from corpora.sources.formats.fields import answers, text, texts
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.loogle_faults import fault
from corpora.sources.loogle_papers import paper
from corpora.sources.loogle_records import folded, pairs, parted, summary_of
from corpora.sources.loogle_repair import holed, mended, on_one_line
from corpora.sources.loogle_timeline import numbered, order_of
from haymaker.core.rows.source_records import Document, DocumentQuestion

_FILES = {"loogle_qa": "longdep_qa.jsonl", "loogle_sum": "longdep_summarization.jsonl"}
_OPTIONS = re.compile(r"\n[0-9]+\.(.*)")  # a few questions hold their options and are answered by a number
_ASIDE = re.compile(r"([^()]*[^()\s])\s*\([^()]*\)\.?")


class LoogleMirror(DocumentSource):
    """Kind `loogle_mirror`; no options."""

    kind: ClassVar[str] = "loogle_mirror"
    version: ClassVar[int] = 7
    info: ClassVar[SourceInfo] = SourceInfo(
        title="LooGLE (mirror copy: its sample of 10 documents)",
        homepage="https://github.com/bigai-nlco/LooGLE",
        licence="MIT (LooGLE); CC BY-SA (Wikipedia articles); papers under their authors' terms",
        licences=("mit", "cc-by-sa", "others"),
        redistribution="articles under the same licence; ask before publishing papers",
        roles=("documents", "document_questions"),
        download_bytes=983_442,
        note="evidence is given where all its sentences stand in the document; papers have lost their formulas",
    )
    sets: ClassVar[tuple[str, ...]] = tuple(_FILES)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(name, f"mirror:loogle/{name}") for name in _FILES.values()]

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, list(_FILES.values()))

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece):
                where = f"{piece.path}:{number}"
                name = text(record, "title", where)  # of a paper a number
                is_paper = piece.path == _FILES["loogle_sum"]
                found = document(record, "input", name, f"Paper {number}" if is_paper else name, "test", where)
                whole = paper(found.text, summary_of(record, where)) if is_paper else found.text
                yield replace(found, text=parted(whole))

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        odd = Counter[str]()
        for number, record in json_lines(raw, Piece(_FILES[name], 0, -1)):
            where = f"{_FILES[name]}:{number}"
            title = text(record, "title", where)
            if name == "loogle_sum":
                summary = summary_of(record, where)
                yield DocumentQuestion(title, title, "test", "summary", "", references=(summary,))
                continue
            whole = folded(text(record, "input", where))
            for count, pair in enumerate(pairs(record, where)):
                found = _question(pair, title, count, whole, where)
                if fault(found.text) or holed(" ".join((found.text, *found.answers))):
                    odd["answers known to be wrong"] += 1
                elif (things := numbered(found.text)[1]) and order_of(found.answers[0], len(things)):
                    odd["orders: short answers are compared as words, whose order is of no account"] += 1
                else:
                    yield found
        self._odd.update({f"{name} ({reason})": count for reason, count in odd.items()})


def _question(pair: dict[str, Any], title: str, count: int, whole: str, where: str) -> DocumentQuestion:
    where, question_id, repairs = f"{where}, pair {count + 1}", f"{title}-{count}", Counter[str]()
    question = mended(text(pair, "Q", where), whole, repairs, question=True)
    answer = mended(text(pair, "A", where), whole, repairs)
    evidence = _evidence(texts(pair, "S", where), whole)
    stem, options = _OPTIONS.sub("", question), [found[1].strip() for found in _OPTIONS.finditer(question)]
    if answer.isdecimal() and 0 < int(answer) <= len(options):
        accepted, choices = (options[int(answer) - 1],), tuple(options)
        return DocumentQuestion(
            question_id, title, "test", "choice", stem, answers=accepted, choices=choices, evidence=evidence
        )
    given = answers([*_answers(on_one_line(answer, repairs))], where)
    return DocumentQuestion(question_id, title, "test", "qa", question, answers=given, evidence=evidence)


def _answers(text: str) -> Iterator[str]:
    """An answer, and what stands before the bracket in which it ends: "21 days" of "21 days(from 3 March to 24 March)."."""
    yield text
    if found := _ASIDE.fullmatch(text):
        yield found[1]


def _evidence(sentences: list[str], whole: str) -> tuple[str, ...]:
    """The sentences, white space folded, if all stand in the document; else nothing: a part would prove nothing."""
    found = [folded(sentence) for sentence in sentences]
    return tuple(map(parted, found)) if all(sentence and sentence in whole for sentence in found) else ()
