"""Record types that real and simulated sources share.

A generator sees these and nothing else, so it cannot tell (or care) whether a book was downloaded or written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

Split = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a background corpus: a book, an article, a judgement.

    Attributes:
        doc_id: unique within its source.
        title: for people; may be empty.
        part: which split it belongs to; never changes, so that training text stays out of tests.
        text: raw text, Unicode, before any cleaning.
    """

    doc_id: str
    title: str
    part: Split
    text: str


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """One bAbI question with all facts that stand before it in its story (docs/spec/babilong.md 2.3).

    Attributes:
        task: "qa1" .. "qa20".
        part: train, dev (en-valid's "valid") or test.
        story: position of the story in its file, from 0.
        position: position of the question in its file, from 0; the record's key together with task and part.
        facts: fact sentences in story order, without line numbers.
        question: without the trailing space of the file.
        answer: as in the file: one word, or words joined by commas (qa8, qa19).
        supporting: indices into `facts`, in the file's order (docs/spec/babilong.md 5).
    """

    task: str
    part: Split
    story: int
    position: int
    facts: tuple[str, ...]
    question: str
    answer: str
    supporting: tuple[int, ...]


ParagraphKind = Literal["title", "section", "bullet", "text"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of an article, its source's marks taken off.

    Attributes:
        kind: paragraph 0 of an article is its title; `section` is a heading.
        text: one line.
    """

    kind: ParagraphKind
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """An article of an encyclopaedia, not yet cut into passages (KILT's knowledge source, docs/spec/helmet.md 3).

    Attributes:
        article_id: unique within its source.
        title: as its source has it.
        paragraphs: numbered as in the source, so that provenance by paragraph finds its place; the first is the title.
    """

    article_id: str
    title: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """About 100 words: what is searched for, and what a context of passages is made of.

    Attributes:
        passage_id: unique within its corpus.
        article_id: of the article it was cut from; empty where its source has passages alone.
        title: of the article; empty where there is none (MS MARCO).
        section: the heading it stands under; empty before the first, or where not known.
        text: stripped, not empty; may hold line breaks.
        start, end: characters in the flattened article (corpora/stores/passages/cut.py); 0, 0 where its source has passages alone.
        first_paragraph, last_paragraph: numbers of the paragraphs that it touches; -1, -1 likewise.
    """

    passage_id: str
    article_id: str
    title: str
    section: str
    text: str
    start: int = 0
    end: int = 0
    first_paragraph: int = -1
    last_paragraph: int = -1


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where the answer to a question stands, in the terms of its source; mining looks for the passage.

    The first of these that is given decides: `passage_id`; `article_id` (with `paragraph` or `text`); `title` and `text`.

    Attributes:
        passage_id: in the corpus.
        article_id: in the corpus.
        paragraph: number in the article.
        title: of the article.
        text: a sentence of the article, or the whole passage.
        group: the entry of `Question.answer_groups` that it supports.
        grade: relevance 0 .. 3 where passages are judged; None where they are gold or not.
    """

    passage_id: str = ""
    article_id: str = ""
    paragraph: int | None = None
    title: str = ""
    text: str = ""
    group: int | None = None
    grade: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question on an encyclopaedia, or a search query.

    Attributes:
        question_id: unique within its source and set.
        part: test, dev, or train (worked examples come from train).
        text: the question.
        kind: single, trivia, longtail, bridge, comparison, ambiguous, list, search, absent.
        answers: accepted answers, the canonical one first; empty for lists, searches and what has no answer.
        answer_groups: aliases per item of a list answer, or per reading of an ambiguous question.
        readings: the unambiguous questions, one per answer group (ASQA).
        references: long answers.
        evidence: where it stands.
        popularity: page views a month of what is asked about (PopQA); None where not known.
        twin_of: question of the same form that has an answer (kind absent).
        shown: passages that its publisher shows beside the gold, in the publisher's order (docs/spec/longbench.md 2.2).
        subject: title of the article on what is asked about, where its source says it.
        relation: what is asked of it, in the words of its source ("place of birth"): gold must state it
            (corpora/retrieval/mining/relations.py), and questions take turns over relations.
    """

    question_id: str
    part: Split
    text: str
    kind: str
    answers: tuple[str, ...] = ()
    answer_groups: tuple[tuple[str, ...], ...] = ()
    readings: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    popularity: int | None = None
    twin_of: str = ""
    shown: tuple[Evidence, ...] = ()
    subject: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A short text with its class: a shot of many-shot in-context learning, or a question of it (docs/spec/helmet.md 9).

    Attributes:
        text_id: unique within its source and set.
        part: train gives shots, test (or dev) gives questions.
        text: one line, stripped.
        label: natural name of its class, as the source spells it.
    """

    text_id: str
    part: Split
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """One claim that a good summary makes (docs/spec/helmet.md 8).

    Attributes:
        text: the claim.
        terms: what a summary must hold to make it: of each group one alias; empty where only a judge can tell.
        origin: who says so: "source", "judge" or "world".
        evidence: texts of the document that tell it, each where it stands; empty where nobody knows.
    """

    text: str
    terms: tuple[tuple[str, ...], ...] = ()
    origin: Literal["source", "judge", "world"] = "source"
    evidence: tuple[str, ...] = ()

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """From the object that JSON makes of one."""
        terms = tuple(map(tuple, record["terms"]))
        return cls(record["text"], terms, record["origin"], tuple(record["evidence"]))


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """Something asked about one document (docs/spec/helmet.md 8).

    Attributes:
        question_id: unique within its source and set.
        doc_id: the document.
        part: as the document's.
        kind: qa (short answer), choice (one of `choices`), summary.
        text: the question; of a summary the query, empty where the whole document is to be summed up.
        answers: accepted answers, the canonical one first; of a choice its text; of a summary nothing.
        choices: all options of a choice in the source's order.
        evidence: verbatim sentences of the document that give the answer; empty where the source does not say.
        references: reference summaries, the one that is scored against first.
        key_points: claims a summary should make.
        sort: what kind of question its source says it is (LooGLE's type), of a simulated story's summary its plot; empty where it says nothing.
        origins: who wrote each of `choices`: "source", or a writer of wrong options (corpora/choices); empty where all are the source's.
        verified: of choices that were written here, who looked at them: unverified, auto (the filters) or human; else empty.
    """

    question_id: str
    doc_id: str
    part: Split
    kind: Literal["qa", "choice", "summary"]
    text: str
    answers: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    key_points: tuple[KeyPoint, ...] = ()
    sort: str = ""
    origins: tuple[str, ...] = ()
    verified: Literal["", "unverified", "auto", "human"] = ""


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of source code, whole.

    Attributes:
        path: below its folder, with forward slashes; unique within its source.
        part: which split it belongs to: files of one part never show those of another.
        text: as it stands, its lines ended by line feeds alone, without a byte order mark.
    """

    path: str
    part: Split
    text: str
