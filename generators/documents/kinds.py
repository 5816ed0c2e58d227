"""The three kinds of tasks on long documents: what a reader is asked, and what he may answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.stores.documents.store import PreparedQuestion
from generators.documents.lengths import LEAST, asked_for, told
from generators.documents.prepared import Prepared
from generators.documents.prompts import LETTERS, PromptQuestion
from generators.documents.task import DocumentTask
from generators.documents.text import Text
from generators.spec import Candidate
from haymaker.core.rows.question_checks import GIVEN_AWAY, gives_away
from haymaker.core.rows.row_checks import Check

ENDS = "the longest document"
_FEW = f"the part that fits tells fewer than {LEAST} key points"
_UNTOLD = "the document is longer than the bucket, and nobody knows which part of it its summary tells"
SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.CLEAN: "a text may say its answer again in other places; among others, the question names its text",
    Check.FILL: "texts are cut at sentence ends and never padded; a check of the task holds that no further sentence fits",
}


class Questions(DocumentTask):
    """A short answer."""

    kind = "qa"

    def rejection_reason(self, candidate: Candidate) -> str:
        """The answer must fit its room, and not stand in the question."""
        if kept := super().rejection_reason(candidate):
            return kept
        asked = self.question_of(candidate).source
        if gives_away(asked.text, asked.answers):
            return GIVEN_AWAY
        tokens = self.inputs.tokenizers[0].count_part(f" {asked.answers[0]}")
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

    def answered(self, prepared: Prepared, text: Text) -> dict[str, Any]:
        """The letter, as it is asked for, alone and with its text."""
        letter, choices = prepared.query.answer, prepared.query.choices
        at = LETTERS.index(letter)
        return {"answers": self.wording.answers(letter, choices[at]), "choices": list(choices), "answer_index": at}


class Summaries(DocumentTask):
    """A summary of a whole document, or of the beginning of one whose key points stand at known places; or of what it says to a query."""

    kind = "summary"

    def rejection_reason(self, candidate: Candidate) -> str:
        """Either the task shows queries and there is one, or neither; and there are examples of other plots."""
        if kept := super().rejection_reason(candidate):
            return kept
        question = self.question_of(candidate)
        if self.settings.shots and not self.stock.enough_demos(question, candidate.part, self.settings.shots):
            return "too few examples have another plot"
        query, shown = bool(question.source.text), self.wording.shows_query
        return (
            ""
            if query == shown
            else "there is no query"
            if shown
            else "there is a query, which this task does not show"
        )

    def query(self, question: PreparedQuestion, letter: int) -> PromptQuestion:
        """Its length follows from the references of the collection and the room for it."""
        words = asked_for(self.stock.lengths(1.0), self.spec.max_new_tokens)
        return PromptQuestion(question.source.text, question.source.references[0], words=words)

    def of_beginning(self, query: PromptQuestion, question: PreparedQuestion, share: float) -> PromptQuestion:
        """As long as what such a part is scored against: the claims that it tells, about as large a share of all. So do examples answer."""
        words = asked_for(self.stock.lengths(round(share, 2)), self.spec.max_new_tokens)
        return replace(query, beginning=True, words=words, answer=told(question.source, share))

    def unshown(self, text: Text) -> str:
        """Nobody knows what of the summary is shown, or there is too little of it."""
        if text.question.units or not self.wording.beginning:
            return super().unshown(text)
        return (_FEW if len(text.points) < LEAST else "") if text.question.told else _UNTOLD

    def answered(self, prepared: Prepared, text: Text) -> dict[str, Any]:
        """The reference that is scored against, and all of them; of a beginning the key points that it tells."""
        source = prepared.question.source
        if text.is_cut and text.question.told:
            told = " ".join(point.text for point in text.points)
            return {"answers": [told], "references": [told]}
        return {"answers": list(source.answers) or [prepared.query.answer], "references": list(source.references)}
