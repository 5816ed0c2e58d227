"""Documents with questions: a sentence store (corpora/stores/sentences/store.py) and questions.jsonl.

Paragraphs and headings are kept: a unit that opens one begins with a blank line. questions.jsonl has one line per
question or summary with the sentences of its evidence. The place of the evidence is `verified` (given by the source,
every sentence found), `aligned` (an accepted answer occurs in only one place of the document; or, with `fuzzy_match_threshold`, every
piece of the evidence is similar enough to a place), or `unknown`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.sentences.store import Background, CorpusParams
from corpora.stores.store import AGAIN
from haymaker.core.errors import CorpusError
from haymaker.core.params import Name, RefersTo, Section, omit_if_default
from haymaker.core.rows.source_records import DocumentQuestion, KeyPoint, Split

DOCUMENTS_VERSION = 8
QUESTIONS = "questions.jsonl"
_LATER = ("sort", "origins", "verified")  # fields that came after releases had been built

Evidence = Literal["verified", "aligned", "unknown"]


class DocumentCleaning(CleaningParams):
    """Keeps what a document says: its headings, tables and short lines may be asked about."""

    as_written: ClassVar[bool] = True
    front_matter: bool = False
    headings: bool = False
    tables: bool = False
    page_numbers: bool = False
    min_tokens: Annotated[int, Field(ge=1)] = 1
    max_tokens: Annotated[int, Field(ge=8)] = 100_000
    min_letter_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    abbreviations: tuple[str, ...] = ("app", "eq", "eqs", "ref", "refs", "sec", "secs")  # of papers


class ChoiceParams(Section):
    """Wrong options for the questions of a collection (corpora/choices).

    Attributes:
        options: number of options of a question, including the right one. Wrong options come from the source or from its `replies`.
    """

    options: Annotated[int, Field(ge=2, le=8)] = 4


class DocumentParams(Section):
    """Documents with questions (params key `documents.<name>`).

    Attributes:
        source: source of documents and questions.
        set: set of questions to use.
        distractor_sets: further sets without questions: their documents may surround those of `set` if these are too few.
        clean: cleaning rules.
        choices: turn questions with short answers into multiple choice with wrong options; None: leave them unchanged.
        fuzzy_match_threshold: least similarity of evidence that is not found verbatim, 0.5 .. 1; None: it must be verbatim.
    """

    source: Annotated[Name, RefersTo("sources", ("document_questions",))]
    set: str
    distractor_sets: tuple[str, ...] = omit_if_default(())
    clean: DocumentCleaning = DocumentCleaning()
    choices: ChoiceParams | None = omit_if_default(None)
    fuzzy_match_threshold: Annotated[float, Field(ge=0.5, le=1)] | None = omit_if_default(None)

    @property
    def corpus(self) -> CorpusParams:
        """The same for the sentence store: a story may say a thing twice."""
        return CorpusParams(source=self.source, duplicates=True, clean=self.clean)


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question, and the place of its evidence.

    Attributes:
        source: from the source; answers without words are removed, evidence is cleaned like the document.
        evidence: how well its place is known.
        units: [first, last) sentences in the document, in order; empty if unknown.
        text: hash of the text of the document: documents with equal texts count as one (docs/defects/helmet.md D8).
        aligned: per piece of evidence its first character in the document (-1: not found) and similarity; empty without
            `fuzzy_match_threshold`.
        told: per key point the sentences [first, last) that state it; empty if unknown.
    """

    source: DocumentQuestion
    evidence: Evidence
    units: tuple[tuple[int, int], ...]
    text: str
    aligned: tuple[tuple[int, float], ...] = ()
    told: tuple[tuple[int, int], ...] = ()

    @property
    def bounds(self) -> tuple[int, int]:
        """First sentence of the evidence, one past the last; (0, 0) where unknown."""
        return (self.units[0][0], max(last for _, last in self.units)) if self.units else (0, 0)


def write_questions(path: Path, questions: Iterable[PreparedQuestion]) -> None:
    """Write questions.jsonl: one JSON object per line; fields in _LATER only if they have a value."""
    lines = (json.dumps(_fields(question), ensure_ascii=False) + "\n" for question in questions)
    path.write_bytes("".join(lines).encode())


def _fields(question: PreparedQuestion) -> dict[str, Any]:
    found = asdict(question)
    found["source"] = {key: value for key, value in found["source"].items() if value or key not in _LATER}
    return {key: value for key, value in found.items() if value or key not in ("aligned", "told")}


class Documents:
    """A finished collection in data/documents/<name>/.

    Attributes:
        store: the documents, sentence by sentence.
        provenance: source -> record of its download.
        facts: rules, totals and counts of left out items.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Background(folder)
        meta = self.store.meta
        if QUESTIONS not in meta["files"] or meta.get("questions_version") != DOCUMENTS_VERSION:
            found = (
                f"has documents of version {meta['questions_version']}; this program reads version {DOCUMENTS_VERSION}"
                if "questions_version" in meta
                else "contains no questions"
            )
            raise CorpusError(found, where=str(folder), fix=AGAIN)
        self.provenance, self.facts = self.store.provenance, self.store.facts

    @property
    def digest(self) -> str:
        """One name for the content: changes with any byte."""
        return self.store.digest

    def verify(self) -> None:
        """Compare the SHA-256 of every file with meta.json."""
        self.store.verify()

    @cached_property
    def all(self) -> list[PreparedQuestion]:
        """Return all questions, in the order of the documents."""
        lines = (self.folder / QUESTIONS).read_text(encoding="utf-8").split("\n")[:-1]
        try:
            return [_read(json.loads(line)) for line in lines]
        except (ValueError, KeyError, TypeError):
            raise CorpusError("is unreadable", where=str(self.folder / QUESTIONS), fix=AGAIN) from None

    def questions(self, split: Split | str, kind: str) -> list[PreparedQuestion]:
        """Return the questions of one split and one kind: qa, choice or summary."""
        return [each for each in self.all if each.source.split == split and each.source.kind == kind]


def _read(fields: dict[str, Any]) -> PreparedQuestion:
    source = fields["source"]
    points = tuple(map(KeyPoint.read, source["key_points"]))
    lists = {key: tuple(source.get(key, ())) for key in ("answers", "choices", "evidence", "references", "origins")}
    units, told = (tuple((first, last) for first, last in fields.get(key, ())) for key in ("units", "told"))
    aligned = tuple((offset, score) for offset, score in fields.get("aligned", ()))
    return PreparedQuestion(
        DocumentQuestion(**source | lists | {"key_points": points}), fields["evidence"], units, fields["text"], aligned, told
    )  # fmt: skip
