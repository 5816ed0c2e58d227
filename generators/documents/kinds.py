"""Kinds of questions on long documents: prompt text, accepted answers, reasons to reject a question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from corpora.stores.documents.store import PreparedQuestion
from generators.documents import prompts
from generators.documents.prompts import LEAST_POINTS, LETTERS, PromptQuestion, Wording
from generators.documents.stock import Stock
from generators.documents.text import Text
from generators.inputs import DocumentSet
from generators.spec import TaskSettings
from haymaker.core.rows.question_checks import GIVEN_AWAY, gives_away
from haymaker.core.rows.row_checks import Check

SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.CLEAN: "a text may say its answer again in other places; among others, the question names its text",
}
_FEW = f"the part that fits tells fewer than {LEAST_POINTS} key points"
_UNTOLD = "the document is longer than the length, and it is unknown which part of it the summary covers"
_UNKNOWN = "the document is longer than the length, and the place of its evidence is unknown"


class DocumentSettings(TaskSettings):
    """Settings of a task on long documents.

    Attributes:
        documents: documents with questions, from `documents`.
        shots: number of worked examples: questions and answers on other documents, without their text.
        distractor_documents: surround the document with other documents; never in rows of natural length.
        cut: part of a document that is longer than the length: around the evidence if its place is known, or always the beginning.
    """

    documents: DocumentSet
    shots: Annotated[int, Field(ge=0, le=8)] = 2
    distractor_documents: bool = False
    cut: Literal["window", "beginning"] = "window"


@dataclass(frozen=True, eq=False)
class Kind(ABC):
    """One kind of questions in a task; `name` is DocumentQuestion.kind."""

    name: ClassVar[str]
    stock: Stock
    wording: Wording
    settings: DocumentSettings
    max_new_tokens: int

    @abstractmethod
    def query(self, question: PreparedQuestion, letter: int, share: float) -> PromptQuestion:
        """Return the question of a row or example as the prompt shows it, without the title of its document.

        Args:
            question: prepared question.
            letter: index of the right choice.
            share: share of the document that is shown; below 1, its beginning.
        """

    def orders(self, query: PromptQuestion) -> Sequence[PromptQuestion]:
        """Return the question of each row at one length (Task.variants)."""
        return (query,)

    @abstractmethod
    def columns(self, query: PromptQuestion, text: Text, variant: int) -> dict[str, Any]:
        """Return the accepted answers and other columns of this kind; `metadata` is merged into the facts of the text."""

    def rejection_reason(self, question: PreparedQuestion, split: str) -> str:
        """Return why the question is unusable at every length, or an empty string."""
        return ""

    def item_rejection_reason(self, question: PreparedQuestion) -> str:
        """Return why the question is unusable as a published item, or an empty string."""
        # The evidence may have been in a table that was dropped (docs/defects/longbench.md D10).
        lost = question.source.evidence and question.evidence != "verified"
        return "evidence that its source names does not stand in the document" if lost else ""

    def cut_rejection_reason(self, text: Text) -> str:
        """Return why a part of a document cannot replace it, or an empty string."""
        return "" if text.question.units else _UNKNOWN

    def _is_too_long(self, answer: str) -> bool:
        return self.stock.tokenizers[0].count_part(f" {answer}") > self.max_new_tokens


class Questions(Kind):
    """Questions with a short answer."""

    name = "qa"

    def query(self, question: PreparedQuestion, letter: int, share: float) -> PromptQuestion:
        return PromptQuestion(question.source.text, question.source.answers[0])

    def columns(self, query: PromptQuestion, text: Text, variant: int) -> dict[str, Any]:
        return {"answers": list(text.question.source.answers)}

    def rejection_reason(self, question: PreparedQuestion, split: str) -> str:
        if gives_away(question.source.text, question.source.answers):
            return GIVEN_AWAY
        return "the answer is longer than the room for it" if self._is_too_long(question.source.answers[0]) else ""

    def item_rejection_reason(self, question: PreparedQuestion) -> str:
        """Metrics read only the first line of an answer."""
        several = "\n" in question.source.answers[0]
        return "the answer takes several lines" if several else super().item_rejection_reason(question)


class Choices(Kind):
    """Questions that are answered by a letter."""

    name = "choice"

    def query(self, question: PreparedQuestion, letter: int, share: float) -> PromptQuestion:
        """The wrong choices are in an order drawn for the question, the right one is at the letter."""
        right = question.source.answers[0].strip()
        wrong = [choice.strip() for choice in question.source.choices if choice.strip() != right]
        shown = self.stock.stream(question.source.question_id, "choices").shuffled(wrong)
        shown.insert(letter, right)
        return PromptQuestion(question.source.text, LETTERS[letter], tuple(shown))

    def columns(self, query: PromptQuestion, text: Text, variant: int) -> dict[str, Any]:
        at = LETTERS.index(query.answer)
        answers = prompts.accepted(self.wording.form, query.answer, query.choices[at])
        return {"answers": answers, "choices": list(query.choices), "answer_index": at}


class Summaries(Kind):
    """Summaries of a document, of its beginning (if the places of its key points are known), or for a query."""

    name = "summary"

    def query(self, question: PreparedQuestion, letter: int, share: float) -> PromptQuestion:
        """The requested length follows the references of the collection; for a beginning, their first key points."""
        answer = prompts.reference(question.source, share)
        own = self.stock.reference(question, share)
        words = prompts.words_requested(self.stock.usual_words(round(share, 2)), len(own.split()), self.max_new_tokens)
        return PromptQuestion(question.source.text, answer, words=words, beginning=share < 1)

    def columns(self, query: PromptQuestion, text: Text, variant: int) -> dict[str, Any]:
        """The references come from the source, or are the key points in the beginning that is shown."""
        source = text.question.source
        if text.is_cut and text.question.told:
            claims = prompts.summary_of(text.points)
            return {"answers": [claims], "references": [claims]}
        return {"answers": list(source.answers) or [query.answer], "references": list(source.references)}

    def rejection_reason(self, question: PreparedQuestion, split: str) -> str:
        if self.settings.shots and not self.stock.has_demos(question, split, self.settings.shots):
            return "too few examples have another plot"
        if bool(question.source.text) == self.wording.shows_query:
            return ""
        return "there is no query" if self.wording.shows_query else "there is a query, which this task does not show"

    def item_rejection_reason(self, question: PreparedQuestion) -> str:
        """An output as long as the reference must fit the token budget."""
        if self._is_too_long(question.source.references[0]):
            return "the summary is longer than the room for it"
        return super().item_rejection_reason(question)

    def cut_rejection_reason(self, text: Text) -> str:
        if text.question.units or not self.wording.beginning:
            return super().cut_rejection_reason(text)
        return (_FEW if len(text.points) < LEAST_POINTS else "") if text.question.told else _UNTOLD


class Asks(NamedTuple):
    """Questions of a task on documents (TaskSpec.kind).

    Attributes:
        kind: kind of the questions.
        item: whether documents are published items (docs/spec/longbench.md 4, 6): questions on short ones come first, other items
            are the first distractors, and damaged items are rejected.
    """

    kind: type[Kind]
    item: bool = False
