"""The three kinds of tasks on long documents: what a reader is asked, and what he may answer."""

from __future__ import annotations

from typing import Any

from corpora.stores.documents.store import PreparedQuestion
from generators.documents.prepared import Prepared
from generators.documents.prompts import LETTERS, PromptQuestion
from generators.documents.task import DocumentTask
from generators.spec import Candidate, Check

ENDS = "the longest document"
SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.CLEAN: "a text may say its answer again in other places; among others, the question names its text",
    Check.FILL: "texts are cut at sentence ends and never padded; a check of the task holds that no further sentence fits",
}


class Questions(DocumentTask):
    """A short answer."""

    kind = "qa"

    def unfit(self, candidate: Candidate) -> str:
        """The answer must fit its room."""
        if kept := super().unfit(candidate):
            return kept
        tokens = self.inputs.tokenizers[0].count_part(f" {self.question_of(candidate).source.answers[0]}")
        return "the answer is longer than the room for it" if tokens > self.spec.max_new_tokens else ""

    def query(self, question: PreparedQuestion, letter: int) -> PromptQuestion:
        """The question alone."""
        return PromptQuestion(question.source.text, question.source.answers[0])


class Choices(DocumentTask):
    """One letter of several."""

    kind = "choice"

    def query(self, question: PreparedQuestion, letter: int) -> PromptQuestion:
        """The right answer stands at the letter, the wrong ones around it in an order of the question's own."""
        right = question.source.answers[0].strip()
        wrong = [choice.strip() for choice in question.source.choices if choice.strip() != right]
        shown = self.stock.stream(question.source.question_id, "choices").shuffled(wrong)
        shown.insert(letter, right)
        return PromptQuestion(question.source.text, LETTERS[letter], tuple(shown))

    def answered(self, prepared: Prepared) -> dict[str, Any]:
        """The letter, as it is asked for, alone and with its text."""
        letter, choices = prepared.query.answer, prepared.query.choices
        at = LETTERS.index(letter)
        return {"answers": self.wording.answers(letter, choices[at]), "choices": list(choices), "answer_index": at}


class Summaries(DocumentTask):
    """A summary of a whole document, or of its beginning; or of what it says to a query."""

    kind = "summary"

    def unfit(self, candidate: Candidate) -> str:
        """Either the task shows queries and there is one, or neither."""
        if kept := super().unfit(candidate):
            return kept
        query, shown = bool(self.question_of(candidate).source.text), self.wording.shows_query
        return (
            ""
            if query == shown
            else "there is no query"
            if shown
            else "there is a query, which this task does not show"
        )

    def query(self, question: PreparedQuestion, letter: int) -> PromptQuestion:
        """Its length follows from the references of the collection and the room for it."""
        words = self.stock.summary_words(self.spec.max_new_tokens)
        return PromptQuestion(question.source.text, question.source.references[0], words=words)

    def answered(self, prepared: Prepared) -> dict[str, Any]:
        """The reference that is scored against, and all of them."""
        source = prepared.question.source
        return {"answers": list(source.answers) or [prepared.query.answer], "references": list(source.references)}
