"""Write a shot in a prompt, and find its parts there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from haymaker.core.text.strings import words

GAP = "\n\n"
"""Text between shots; no shot contains it."""
_ARTICLES = frozenset({"a", "an", "the"})


@lru_cache(maxsize=1 << 15)
def _is_line(text: str) -> bool:
    """Whether a text is words with one space between them; rows show the same texts in other orders."""
    return bool(text) and text == " ".join(text.split())


class ShotText(NamedTuple):
    """A shot: its text, the question on it (may be empty), the answer or label."""

    text: str
    asked: str
    answer: str


@dataclass(frozen=True)
class ShotLayout:
    """Words that open the parts of a shot, each at the start of a line.

    Attributes:
        opener: before the text.
        question: before the question; empty if shots have none (labels, summaries).
        cue: before the answer.
        one_line: whether a text is one line, without a question; otherwise none of its lines may begin like a part of a shot.
        last: words before the question of a row and its answer, if they are not `opener` and `cue`.
    """

    opener: str
    question: str
    cue: str
    one_line: bool = False
    last: tuple[str, str] | None = None

    @property
    def ending(self) -> str:
        """End of the unit of a shot: the opener of the next one (docs/decisions/0009)."""
        return GAP + self.opener

    @property
    def last_cue(self) -> str:
        """End of the prompt; a base model continues it."""
        return self.last[1] if self.last else self.cue

    def tail(self, question: str) -> str:
        return f"{GAP}{self.last[0] if self.last else self.opener} {question}\n{self.last_cue}"

    def shown(self, shot: ShotText) -> str:
        """Return a shot up to its answer, without the opener."""
        return f"{shot.text}\n{self.question} {shot.asked}" if shot.asked else shot.text

    def unit(self, shot: ShotText) -> str:
        """Return a whole shot as a unit of a context."""
        return f" {self.shown(shot)}\n{self.cue} {shot.answer}{self.ending}"

    def read(self, shot: str) -> ShotText | None:
        """Return the parts of a shot as shown, without the opener; None if it does not have the form of a shot."""
        if self.one_line:
            text, _, answer = shot.rpartition(f"\n{self.cue} ")
            return ShotText(text, "", answer) if answer and "\n" not in answer and _is_line(text) else None
        found = self._form.fullmatch(shot)
        return None if found is None or GAP in shot or self.has_header(found[1]) else ShotText(*found.groups())

    @cached_property
    def _form(self) -> re.Pattern[str]:
        question = rf"\n{re.escape(self.question)} (.+)" if self.question else "()"
        return re.compile(rf"((?s:.+?)){question}\n{re.escape(self.cue)} (.+)")

    def has_header(self, text: str) -> bool:
        """Return whether a line of a text begins like a part of a shot, so that the end of the shot would be unclear."""
        return self._headers.search(text) is not None

    @cached_property
    def _headers(self) -> re.Pattern[str]:
        names = filter(None, (self.opener, self.question, self.cue))
        return re.compile(rf"^(?:{'|'.join(map(re.escape, names))})", re.MULTILINE | re.IGNORECASE)


def folded(text: str) -> str:
    """Return the words of an answer or a question without articles, as metrics compare them."""
    return " ".join(word for word in words(text) if word not in _ARTICLES)
