"""What a writer of wrong options is asked, and what it offers; every writer has this one face."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from corpora.choices.reading import Reading
from haymaker.core.rng import Stream

_AROUND = 2  # sentences before and behind the evidence that go on about it


class Answer(NamedTuple):
    """The right answer of another question of the same document.

    Attributes:
        text: in its normal form (corpora/choices/form.py).
        question: that it answers.
    """

    text: str
    question: str


@dataclass(frozen=True)
class Asked:
    """One question for which wrong options are wanted.

    Attributes:
        question_id: of its source.
        question: what is asked.
        right: the right answer, in its normal form.
        sort: what kind of question the source says it is.
        reading: the document.
        evidence: numbers of the document's sentences that give the answer; empty where unknown.
        quoted: the evidence as the source quotes it, which need not stand in the document word by word.
        others: right answers of the document's other questions.
    """

    question_id: str
    question: str
    right: str
    sort: str
    reading: Reading
    evidence: frozenset[int]
    quoted: tuple[str, ...] = ()
    others: tuple[Answer, ...] = ()

    @property
    def evidence_texts(self) -> list[str]:
        """Sentences that give the answer, and what the source quotes."""
        return [*(self.reading.sentences[i] for i in sorted(self.evidence)), *self.quoted]

    def stream(self, purpose: str) -> Stream:
        """Draws named by the question alone: a collection has the same options in every release."""
        return Stream("choices", purpose, self.question_id, self.question)


def is_near(place: int, evidence: Collection[int]) -> bool:
    """Whether a sentence is of the evidence or so near that it may go on about it, and give a second right answer."""
    return any(abs(place - i) <= _AROUND for i in evidence)


class Candidate(NamedTuple):
    """A wrong option that is offered.

    Attributes:
        text: the option.
        origin: who wrote it: rules, mined, llm:<segment>, source.
    """

    text: str
    origin: str


class Offer(NamedTuple):
    """Candidates for one question.

    Attributes:
        candidates: the best first.
        whole: they were made as one set with the right option: all of them are taken, or none.
        designed: they differ from the right option by one known change: likeness to it is no fault.
    """

    candidates: tuple[Candidate, ...]
    whole: bool = False
    designed: bool = False


class Writer(Protocol):
    """Offers wrong options."""

    name: str

    def offers(self, asked: Asked, n: int, stream: Stream) -> Iterator[Offer]:
        """Offers of `n` or more candidates, or fewer where there are not so many; the first that will do is taken.

        Args:
            asked: the question.
            n: wrong options that are wanted.
            stream: draws of this question and writer alone.
        """
        ...
