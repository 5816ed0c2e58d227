"""Record types for source data. Real and simulated sources use the same types, so generators handle both alike."""

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
        title: display title; may be empty.
        split: split of the document; fixed, so that training text stays out of tests.
        text: raw text, Unicode, before any cleaning.
    """

    doc_id: str
    title: str
    split: Split
    text: str


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """bAbI question with all facts that precede it in its story (docs/spec/babilong.md 2.3).

    Attributes:
        task: "qa1" .. "qa20".
        split: train, dev (`valid` in en-valid) or test.
        story: position of the story in its file, from 0.
        position: position of the question in its file, from 0; (task, split, position) is the record's key.
        facts: fact sentences in story order, without line numbers.
        question: question text, without the trailing space of the file.
        answer: answer text from the file: one word, or words joined by commas (qa8, qa19).
        supporting: indices into `facts`, in the file's order (docs/spec/babilong.md 5).
    """

    task: str
    split: Split
    story: int
    position: int
    facts: tuple[str, ...]
    question: str
    answer: str
    supporting: tuple[int, ...]


ParagraphKind = Literal["title", "section", "bullet", "text"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of an article, without the source's markup.

    Attributes:
        kind: kind of paragraph; paragraph 0 of an article is the title, `section` is a heading.
        text: text of the paragraph, on one line.
    """

    kind: ParagraphKind
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """Encyclopaedia article before it is split into passages (KILT's knowledge source, docs/spec/helmet.md 3).

    Attributes:
        article_id: unique within its source.
        title: title as given by the source.
        paragraphs: paragraphs numbered as in the source (for provenance by paragraph number); the first is the title.
    """

    article_id: str
    title: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """Passage of about 100 words: the unit of retrieval and of contexts made of passages.

    Attributes:
        passage_id: unique within its corpus.
        article_id: article that contains the passage; empty if the source has passages without articles.
        title: title of the article; empty if there is none (MS MARCO).
        section: heading of the enclosing section; empty before the first heading, or if unknown.
        text: stripped, non-empty text; may contain line breaks.
        start, end: offsets in the flattened article (corpora/stores/passages/cut.py); 0, 0 if there is no article.
        first_paragraph, last_paragraph: numbers of its first and last paragraph; -1, -1 if there is no article.
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
    """Location of an answer, in the terms of the source; the passage is found during mining.

    Uses the first available of `passage_id`, `article_id` (with `paragraph` or `text`), or `title` and `text`.

    Attributes:
        passage_id: passage in the corpus.
        article_id: article in the corpus.
        paragraph: paragraph number in the article.
        title: title of the article.
        text: sentence of the article, or the whole passage.
        group: index of the `Question.answer_groups` entry that it supports.
        grade: relevance 0 .. 3 for graded passages; None for binary gold labels.
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
    """Encyclopaedia question or search query.

    Attributes:
        question_id: unique within its source and set.
        split: test, dev, or train (worked examples come from train).
        text: question text.
        kind: single, trivia, longtail, bridge, comparison, ambiguous, list, search, absent.
        answers: accepted answers, canonical answer first; empty for lists, searches and questions without an answer.
        answer_groups: aliases per item of a list answer, or per reading of an ambiguous question.
        readings: the unambiguous questions, one per answer group (ASQA).
        references: long answers.
        evidence: locations of the answer.
        popularity: monthly page views of the subject (PopQA); None if unknown.
        twin_of: answerable question of the same form (kind absent).
        shown: passages the publisher shows with the gold, in the publisher's order (docs/spec/longbench.md 2.2).
        subject: title of the article on the subject, if the source gives it.
        relation: queried relation in the source's wording ("place of birth"). The gold must state it
            (corpora/retrieval/mining/relations.py); questions are interleaved by relation.
    """

    question_id: str
    split: Split
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
    """Short text with its class: an example or a question for many-shot in-context learning (docs/spec/helmet.md 9).

    Attributes:
        text_id: unique within its source and set.
        split: train provides shots, test (or dev) provides questions.
        text: stripped text, on one line.
        label: natural name of the class, spelled as in the source.
    """

    text_id: str
    split: Split
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """One claim that a good summary makes (docs/spec/helmet.md 8).

    Attributes:
        text: text of the claim.
        terms: required terms: one alias from each group must occur in the summary; empty if only a judge can decide.
        origin: origin of the claim: "source", "judge" or "simulated".
        evidence: verbatim document texts that state the claim; empty if unknown.
        sentence: sentence of the reference summary that makes the claim; empty if unknown.
    """

    text: str
    terms: tuple[tuple[str, ...], ...] = ()
    origin: Literal["source", "judge", "simulated"] = "source"
    evidence: tuple[str, ...] = ()
    sentence: str = ""

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """Create a key point from its decoded JSON object."""
        terms = tuple(map(tuple, record["terms"]))
        return cls(record["text"], terms, record["origin"], tuple(record["evidence"]), record.get("sentence", ""))


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """Question about one document, or a request to summarise it (docs/spec/helmet.md 8).

    Attributes:
        question_id: unique within its source and set.
        doc_id: id of the document.
        split: split of the document.
        kind: qa (short answer), choice (one of `choices`), summary.
        text: question, or the query of a summary; empty for a summary of the whole document.
        answers: accepted answers, canonical answer first. Text of the right option (choice), or empty (summary).
        choices: all options of a multiple-choice question, in the source's order.
        evidence: verbatim document sentences that give the answer; empty if the source does not provide them.
        references: reference summaries; the first is used for scoring.
        key_points: claims a summary should make.
        sort: question type from the source (LooGLE), or plot of a simulated story's summary; empty if not given.
        origins: author of each choice: "source", "llm:<segment>" or "human" (corpora/choices); empty if all are "source".
        verified: review status of generated choices: unverified, auto (filters), model or human; otherwise empty.
    """

    question_id: str
    doc_id: str
    split: Split
    kind: Literal["qa", "choice", "summary"]
    text: str
    answers: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    key_points: tuple[KeyPoint, ...] = ()
    sort: str = ""
    origins: tuple[str, ...] = ()
    verified: Literal["", "unverified", "auto", "model", "human"] = ""


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A complete source code file.

    Attributes:
        path: path relative to its folder, with forward slashes; unique within its source.
        split: split of the file; files of one split never show files of another split.
        text: file content, with line feeds as the only line ends and no byte order mark.
    """

    path: str
    split: Split
    text: str
