"""Reminders of the main plot: who reads any part of a story meets what has happened so far more than once.

Of a story of 60,000 words the plot itself is one sentence in a hundred; without reminders a summary asked for the scenes, which are
told at length and in which nothing of it happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from haymaker.core.rng import Stream

from .wording import Endless, capital, data, fill

_EVERY = 500  # words between two reminders, about
_LATEST = 2  # of so many reminders one is of what happened last
_LEANS = "Then "


def sayings(told: Sequence[str], points: Iterable[str], barred: Iterable[str]) -> tuple[tuple[str, bool], ...]:
    """What a later scene may say again of a part of the plot, each with whether it is told as past.

    Args:
        told: its sentences, of which the first can be understood alone, if it does not go on from what was told before.
        points: its key points, in the present tense.
        barred: what is asked for: it stands at one place alone.
    """
    barred = tuple(barred)
    found = [(sentence, True) for sentence in told[:1] if not sentence.startswith(_LEANS)] + [
        (point, False) for point in points
    ]
    return tuple((text, past) for text, past in found if not any(value in text for value in barred))


class Reminders:
    """The reminders of one story, as it grows.

    Args:
        s: decides which, and in what words.
    """

    def __init__(self, s: Stream) -> None:
        leads = data("stories.yaml")["reminders"]
        self._s, self._told = s, list[Endless[tuple[str, bool]]]()
        self._leads = {past: Endless[str](s, leads["past" if past else "present"]) for past in (True, False)}
        self._next = 0

    def happened(self, said: Sequence[tuple[str, bool]], spent: int) -> None:
        """A part of the plot has been told, `spent` words from the beginning; the next reminder comes some time later."""
        if said:
            self._told.append(Endless(self._s, said))
        self._next = spent + _EVERY

    def due(self, spent: int) -> str:
        """A reminder with a space before it, or "" where none is due."""
        if spent < self._next or not self._told:
            return ""
        self._next = spent + _EVERY
        text, past = (self._told[-1] if self._s.below(_LATEST) == 0 else self._s.choice(self._told)).deal()
        return f" {fill(self._s, self._leads[past].deal(), {})}: {capital(text)}"
