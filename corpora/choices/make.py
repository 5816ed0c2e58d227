"""Add wrong options to the questions of a collection: published options, or options of the source and of model replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from corpora.choices.filters import problem, stands_out
from corpora.choices.form import form_of, normal
from corpora.choices.llm import ReplyOptions, request_id
from corpora.choices.options import Asked, Candidate, with_documents
from corpora.choices.published import Published
from corpora.choices.review import EDITED, HUMAN, OK, Item, Review
from corpora.stores.documents.build import Chosen
from corpora.stores.documents.store import ChoiceParams, PreparedQuestion
from corpora.stores.sentences.store import Background
from haymaker.core.rng import digest
from haymaker.core.rows.model_requests import Replies

CHOICES_VERSION = 9  # raise it after any change of options
_SOURCE, _MODEL = "source", "llm"


class Maker:
    """Adds wrong options to questions.

    Published options are used only without `replies`. `counts` has numbers by reason: `origins` of wrong options, questions
    `left_out`, candidates `removed`, `replies`, `review`.
    """

    def __init__(
        self,
        params: ChoiceParams,
        replies: Replies | None = None,
        review: Review | None = None,
        published: Mapping[str, Published] | None = None,
    ) -> None:
        self._n = params.options - 1
        self._replies, self._review = ReplyOptions(replies), review or Review({})
        self._published = {} if replies else published or {}
        names = ("origins", "left_out", "removed", "review")
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in names} | {"replies": self._replies.counts}

    def __call__(self, store: Background, questions: Sequence[PreparedQuestion]) -> Chosen:
        """Return summaries and choices with enough options unchanged, other questions as choices if they get enough options.

        A published line also applies to a choice: its options of the source may be easy to guess.
        """
        found = list(map(self._chosen, questions, with_documents(store, questions)))
        ids = {question.source.question_id for question in questions}
        self.counts["replies"]["unknown_question"] = self._replies.unused(ids)
        self.counts["review"]["unknown_question"] = self._review.unused(ids)
        report = {name: dict(sorted((+counts).items())) for name, counts in sorted(self.counts.items())}
        return Chosen([question for question in found if question], report | {"version": CHOICES_VERSION})

    def _chosen(self, question: PreparedQuestion, asked: Asked) -> PreparedQuestion | None:
        source = question.source
        if source.kind == "summary":
            return question
        known = self._published.get(request_id(asked))
        if source.kind == "choice" and len(source.choices) > self._n and not known:
            self.counts["origins"][_SOURCE] += 1
            return question
        own = [Candidate(text, _SOURCE) for text in source.choices if text.strip() != source.answers[0].strip()]
        item = self._published_item(asked, known) if known else self._item(asked, own)
        made = self._reviewed(question, asked, item, is_published=known is not None) if item else None
        if made:
            origins = {origin.partition(":")[0] for origin in made.source.origins}
            self.counts["origins"]["+".join(sorted(origins - {_SOURCE})) or _SOURCE] += 1
        return made

    def _published_item(self, asked: Asked, known: Published) -> Item | None:
        """Return the published options of a question, or None if there are too few or a reader rejected them."""
        reason = known.outcome.replace(" ", "_")
        if reason == OK and len(known.wrong) < self._n:
            reason = "too_few_published"
        if reason != OK:
            self.counts["left_out"][reason] += 1
            return None
        wrong = tuple(Candidate(text, _MODEL) for text in known.wrong[: self._n])
        return Item(known.right or asked.right, wrong)

    def _item(self, asked: Asked, own: Sequence[Candidate]) -> Item | None:
        """Return the options of a question, or None if there are too few or the right one stands out."""
        form = form_of(asked.right)
        reason = "yes_no" if form == "yes_no" else "" if asked.right else "no_words"
        wrong: list[Candidate] = []
        for candidate in () if reason else (*own, *self._replies.of(asked)):
            text = normal(candidate.text)
            if found := problem(text, asked, [other.text for other in wrong]):
                self.counts["removed"][found] += 1
            else:
                wrong.append(Candidate(text, candidate.origin))
        wrong = wrong[: self._n]
        reason = reason or (f"too_few_{form}" if len(wrong) < self._n else "")
        reason = reason or stands_out(asked.right, [candidate.text for candidate in wrong], asked.question)
        self.counts["left_out"][reason] += bool(reason)
        return None if reason else Item(asked.right, tuple(wrong))

    def _reviewed(
        self, question: PreparedQuestion, asked: Asked, item: Item, *, is_published: bool
    ) -> PreparedQuestion | None:
        """Return the question as a choice with the corrections of people, or None if they rejected it."""
        source = question.source
        found, outcome = self._review.judge(source.question_id, source.text, item)
        self.counts["review"][outcome] += bool(outcome)
        if found is None:
            self.counts["left_out"][f"review_{outcome}"] += 1
            return None
        written = _SOURCE if item.right == asked.right else _MODEL
        options = [Candidate(found.right, written if found.right == item.right else HUMAN), *found.wrong]
        unseen: Literal["model", "auto", "unverified"] = "auto" if question.units or source.evidence else "unverified"
        if is_published:
            unseen = "model"
        options.sort(key=lambda option: digest("option", source.question_id, option.text))
        made = replace(
            source,
            kind="choice",
            answers=(found.right,),
            choices=tuple(option.text for option in options),
            origins=tuple(option.origin for option in options),
            verified="human" if outcome in (OK, EDITED) else unseen,
        )
        return replace(question, source=made)
