"""A document as a shot: a text, what is asked of it, the answer, and in which form they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from generators.shots.prompts import GAP
from haymaker.core.text.strings import padded, words

_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True)
class Headers:
    """What opens the parts of a shot, each at the beginning of a line.

    Attributes:
        opener: before the text.
        question: before what is asked; empty where nothing is, as of summaries.
        cue: before the answer.
    """

    opener: str
    question: str
    cue: str

    @property
    def ending(self) -> str:
        """What the unit of a shot ends with: the opener of the next one (docs/decisions/0009)."""
        return GAP + self.opener

    @cached_property
    def _any(self) -> re.Pattern[str]:
        names = filter(None, (self.opener, self.question, self.cue))
        return re.compile(rf"^(?:{'|'.join(map(re.escape, names))})", re.MULTILINE | re.IGNORECASE)

    def stand_in(self, text: str) -> bool:
        """Whether a line of a text begins like one of them: nobody could tell where its shot ends."""
        return self._any.search(text) is not None


@dataclass(frozen=True, slots=True)
class Worked:
    """A text with what is asked of it.

    Attributes:
        name: id of the question.
        doc_id: of the text.
        text: lines, none of them blank.
        asked: one line; empty for summaries.
        answers: accepted, one line each, the canonical one first.
        answer: the one that a shot shows; of a question one that stands in the text, empty where none does.
        text_hash: of its text without case.
    """

    name: str
    doc_id: str
    text: str
    asked: str
    answers: tuple[str, ...]
    answer: str
    text_hash: str

    def shown(self, headers: Headers) -> str:
        """As far as its answer, behind the opener."""
        return f"{self.text}\n{headers.question} {self.asked}" if self.asked else self.text

    def unit(self, headers: Headers) -> str:
        """A whole shot, in the form that adds up."""
        return f" {self.shown(headers)}\n{headers.cue} {self.answer}{headers.ending}"

    def keys(self, answers: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What two of them may have in common, with some of its answers."""
        yield "document", self.doc_id
        yield "text", self.text_hash
        if self.asked:
            yield "question", folded(self.asked)
        yield from (("answer", answer) for answer in map(folded, answers) if answer)


def standing(text: str, answers: Sequence[str]) -> str:
    """The first answer that a text says as whole words, or empty; case, accents and punctuation do not count where no answer stands as it is."""
    for answer in answers:
        if re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text):
            return answer
    read = padded(text)
    return next((answer for answer in answers if words(answer) and padded(answer) in read), "")


def folded(text: str) -> str:
    """An answer or a question by its words, without articles: what metrics take for the same."""
    return " ".join(word for word in words(text) if word not in _ARTICLES)
