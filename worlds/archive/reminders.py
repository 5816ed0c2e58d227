"""Later mentions of the main plot: people speak of what has happened, or live with it, in scenes that are about other things.

Of a story of 60,000 words the plot itself is one sentence in a hundred; without mentions a summary asked for the scenes, which are
told at length and in which nothing of it happens. No mention has a lead-in, and none comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from haymaker.core.rng import Stream

from .plot import Beat

_LATEST = 2  # of so many mentions one is of what happened last
_RECENT = 3  # parts of the plot that are still spoken of


class Reminders:
    """The mentions in one story, as it grows.

    Args:
        s: decides which.
        beats: the parts of the plot.
        words: length of the story.
    """

    def __init__(self, s: Stream, beats: Sequence[Beat], words: int) -> None:
        self._s, self._told = s, list[list[str]]()
        self._every = words // sum(1 + len(beat.again) for beat in beats)
        self._next = 0

    def happened(self, beat: Beat, spent: int) -> None:
        """A part of the plot has been told, `spent` words from the beginning; the next mention comes some time later."""
        if beat.again:
            self._told.append(self._s.shuffled(beat.again))
        self._next = spent + self._every

    def due(self, spent: int) -> str:
        """A mention with a space before it, or "" where none is due."""
        left = [each for each in self._told[-_RECENT:] if each]
        if spent < self._next or not left:
            return ""
        self._next = spent + self._every
        return f" {(left[-1] if self._s.below(_LATEST) == 0 else self._s.choice(left)).pop()}"
