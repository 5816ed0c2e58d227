"""From questions with short answers to choices: writers in turn, filters, a set in which the right option has no place of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

from corpora.choices.balance import balanced
from corpora.choices.filters import problem, stands_out
from corpora.choices.form import bare, form_of, normal
from corpora.choices.llm import ReplyWriter
from corpora.choices.mined import MinedWriter
from corpora.choices.options import Answer, Asked, Candidate, Offer, Writer
from corpora.choices.reading import Reading
from corpora.choices.review import Review
from corpora.choices.rules import RulesWriter
from corpora.stores.documents.build import Chosen
from corpora.stores.documents.store import ChoiceParams, PreparedQuestion
from corpora.stores.sentences.store import Background
from haymaker.core.rng import digest
from haymaker.core.rows.model_requests import Replies

CHOICES_VERSION = 5  # raised whenever options could change
_SOURCE = "source"


class Item(NamedTuple):
    """A right option, its wrong ones, and who wrote these."""

    right: str
    wrong: tuple[Candidate, ...]


@dataclass
class Counts:
    """What became of questions and candidates."""

    writers: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    review: Counter[str] = field(default_factory=Counter)

    @property
    def report(self) -> dict[str, Any]:
        """As meta.json and the stage's report have it."""
        return {
            key: dict(sorted((+getattr(self, key)).items()))
            for key in ("writers", "left_out", "removed", "replies", "review")
        }


class Maker:
    """Gives questions their options.

    Args:
        params: of the collection.
        replies: of a language model, where the source has them.
        review: of people, where the source has one.
    """

    def __init__(self, params: ChoiceParams, replies: Replies | None = None, review: Review | None = None) -> None:
        self._n = params.options - 1
        self._replies = ReplyWriter(replies)
        known: dict[str, Writer] = {w.name: w for w in (RulesWriter(), MinedWriter(), self._replies)}
        self._writers = [known[name] for name in params.writers]
        self._review = review or Review({})

    def __call__(self, store: Background, questions: Sequence[PreparedQuestion]) -> Chosen:
        """Questions of kind qa become choices or are left out; choices of the source keep their options; summaries stay.

        Args:
            store: the documents.
            questions: of the collection.

        Returns:
            What can be asked, in the same order, and the counts.
        """
        counts, out = Counts(replies=self._replies.counts), []
        reading = lru_cache(maxsize=1)(partial(reading_of, store))  # questions come document by document
        answers = _answers(questions)
        for question in questions:
            source = question.source
            if source.kind == "summary":
                out.append(question)
            elif source.kind == "choice" and len(source.choices) > self._n:
                counts.writers[_SOURCE] += 1
                out.append(question)
            else:
                asked = asked_of(question, reading(source.doc_id), answers[source.doc_id])
                found = self._made(asked, _own(question), counts)
                if found and (made := self._reviewed(question, found, counts)):
                    counts.writers[
                        "+".join(sorted({o.partition(":")[0] for o in made.source.origins if o != _SOURCE}))
                    ] += 1
                    out.append(made)
        ids = [question.source.question_id for question in questions]
        counts.replies["unknown_question"] += self._replies.unused(ids)
        counts.review["unknown_question"] += self._review.unused(ids)
        return Chosen(out, counts.report | {"version": CHOICES_VERSION})

    def _made(self, asked: Asked, own: Sequence[str], counts: Counts) -> Item | None:
        """Right option and wrong ones; None, with the reason counted, where there are not enough or the right one stands out."""
        form = form_of(asked.right)
        reason = "yes_no" if form == "yes_no" else "no_words" if not asked.right else ""
        for wrong in () if reason else self._sets(asked, own, counts):
            texts = [candidate.text for candidate in wrong]
            reason = stands_out(asked.right, texts, asked.question) or found_alone(asked, texts)
            if not reason:
                return Item(asked.right, wrong)
        counts.left_out[reason or f"too_few_{form}"] += 1
        return None

    def _sets(self, asked: Asked, own: Sequence[str], counts: Counts) -> Iterator[tuple[Candidate, ...]]:
        """Sets of wrong options, the first writer's first; candidates that do not suffice alone go on to the next."""
        pool = self._passed(asked, Offer(tuple(Candidate(text, _SOURCE) for text in own)), [], counts)
        for writer in self._writers:
            for offer in writer.offers(asked, self._n, asked.stream(writer.name)):
                if offer.whole or offer.designed:  # others beside them would be unlike the right option
                    made = self._passed(asked, offer, [], counts)
                    if len(made) >= self._n:
                        yield tuple(made) if offer.whole else _chosen(asked, made, 0, self._n)
                    continue
                first = len(pool) if len(pool) < self._n else 0  # too few of earlier writers are all taken
                pool = [*pool, *self._passed(asked, offer, pool, counts)]
                if len(pool) >= self._n:
                    yield _chosen(asked, pool, first, self._n)

    def _passed(self, asked: Asked, offer: Offer, kept: Sequence[Candidate], counts: Counts) -> list[Candidate]:
        """Candidates that no filter removes."""
        out: list[Candidate] = []
        for candidate in offer.candidates:
            text = normal(candidate.text)
            reason = problem(text, asked, [other.text for other in (*kept, *out)], designed=offer.designed)
            counts.removed[reason] += bool(reason)
            if not reason:
                out.append(candidate._replace(text=text))
        return out

    def _reviewed(self, question: PreparedQuestion, item: Item, counts: Counts) -> PreparedQuestion | None:
        """The question as a choice, as people left it; None where they rejected it."""
        found = self._review.judge(question.source.question_id, question.source.text, item.right, item.wrong)
        counts.review[found.outcome] += bool(found.outcome)
        if found.rejected:
            counts.left_out[f"review_{found.outcome}"] += 1
            return None
        known = bool(question.units or question.source.evidence)
        verified: Literal["human", "auto", "unverified"] = "human" if found.human else "auto" if known else "unverified"
        options = [Candidate(found.right, _SOURCE if found.right == item.right else "human"), *found.wrong]
        options.sort(key=lambda option: digest("option", question.source.question_id, option.text))
        source = replace(
            question.source, kind="choice", answers=(found.right,), choices=tuple(option.text for option in options),
            origins=tuple(option.origin for option in options), verified=verified,
        )  # fmt: skip
        return replace(question, source=source)


def found_alone(asked: Asked, wrong: Sequence[str]) -> str:
    """Why a set cannot stay: whoever looks for the options finds the right one in the sentence that is most like the question."""
    right, *others = (asked.reading.shared(asked.question, text) for text in (asked.right, *wrong))
    return "right_found_alone" if right > max(others) else ""


def _chosen(asked: Asked, pool: Sequence[Candidate], first: int, n: int) -> tuple[Candidate, ...]:
    """`n` of a pool: all that earlier writers gave, and of the rest a set that does not point at the right option."""
    rest = pool[first:]
    texts = [candidate.text for candidate in rest]
    told = [asked.reading.shared(asked.question, text) for text in (asked.right, *texts)]
    places = balanced(asked.right, asked.question, texts, n - first, asked.stream("balance"), told)
    return (*pool[:first], *(rest[place] for place in places))


def questions_asked(
    store: Background, questions: Sequence[PreparedQuestion]
) -> Iterator[tuple[PreparedQuestion, Asked]]:
    """Every question with an answer, as writers are told of it."""
    reading, answers = lru_cache(maxsize=1)(partial(reading_of, store)), _answers(questions)
    for question in questions:
        if question.source.answers:
            doc_id = question.source.doc_id
            yield question, asked_of(question, reading(doc_id), answers[doc_id])


def asked_of(question: PreparedQuestion, reading: Reading, answers: Iterable[tuple[str, Answer]]) -> Asked:
    """What a writer is told of a question."""
    source = question.source
    evidence = frozenset(i for first, last in question.units for i in range(first, last))
    others = tuple(answer for question_id, answer in answers if question_id != source.question_id)
    right = bare(normal(source.answers[0]))
    return Asked(source.question_id, source.text, right, source.sort, reading, evidence, source.evidence, others)


def _own(question: PreparedQuestion) -> list[str]:
    """Wrong options that the source brings; too few of them are the first candidates."""
    return [choice for choice in question.source.choices if choice.strip() != question.source.answers[0].strip()]


def _answers(questions: Sequence[PreparedQuestion]) -> dict[str, list[tuple[str, Answer]]]:
    """Document -> (question id, answer) of all that is asked of it with an answer."""
    out: dict[str, list[tuple[str, Answer]]] = defaultdict(list)
    for question in questions:
        if question.source.answers:
            answer = Answer(normal(question.source.answers[0]), question.source.text)
            out[question.source.doc_id].append((question.source.question_id, answer))
    return out


def reading_of(store: Background, doc_id: str) -> Reading:
    """A document of a store as writers read it."""
    entry = next(entry for entry in store.documents if entry.doc_id == doc_id)
    return Reading(
        [bytes(store.text[store.byte_at[i] : store.byte_at[i + 1]]).decode() for i in range(entry.first, entry.last)]
    )
