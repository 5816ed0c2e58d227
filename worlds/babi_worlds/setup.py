"""Settings for a file of simulated stories, and the cast of a story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from haymaker.core.rng import Stream
from worlds.babi_worlds.vocabulary import Vocabulary

T = TypeVar("T")
MOST_FACTS = 320
"""The longest story that can be asked for: that of the longest real one (docs/spec/babilong.md 2.4)."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Settings for a file of stories.

    Attributes:
        vocabulary: source of the words.
        facts: number of facts before the last question of every story; None: lengths as in the real files.
    """

    vocabulary: Vocabulary
    facts: int | None = None


def pairs_of_facts(words: Vocabulary) -> range:
    """Numbers of facts of a task whose facts come in pairs."""
    return range(2, MOST_FACTS + 1, 2)


def cast(stream: Stream, words: Sequence[T], size: int) -> Sequence[T]:
    """Return `size` words for one story; a list without more words is returned unchanged, without a draw."""
    return words if len(words) <= size else stream.sample(words, size)
