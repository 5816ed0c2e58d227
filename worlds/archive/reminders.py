"""Later mentions of the main plot: people talk about past events, or live with them, in scenes about other things.

In a story of 60,000 words, one sentence in a hundred belongs to the plot. Without mentions, a summary would be about the scenes,
which are long and in which nothing of the plot happens. No mention has a lead-in, and no mention occurs twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from haymaker.core.rng import Stream

from .plot import Beat

_LATEST = 2  # one of this number of mentions is about the last event
_RECENT = 3  # parts of the plot that people still mention


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
        """Return a mention with a space before it, or "" if none is due."""
        left = [each for each in self._told[-_RECENT:] if each]
        if spent < self._next or not left:
            return ""
        self._next = spent + self._every
        return f" {(left[-1] if self._s.below(_LATEST) == 0 else self._s.choice(left)).pop()}"
