"""Cutting a text into chunks of a fixed number of tokens, without tokenising it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from corpora.tokenizers.tokenizer import Tokenizer

_CUT = re.compile(r"(?<=\S)(?= )")  # token counts add up here for every tokenizer (corpora/tokenizers/cuts.py)


class Chunker:
    """Cuts texts into chunks of at most `size` tokens, each as long as it can be, between words.

    A text is given as units whose tokens are known, so only the unit in which a chunk ends is looked at. A cut between words
    is a cut between tokens and never goes through a character; a word of more than `size` tokens is a chunk of its own.

    Args:
        tokenizer: counts each word with the space before it.
        size: tokens.
    """

    def __init__(self, tokenizer: Tokenizer, size: int) -> None:
        self._size = size
        self._count = lru_cache(maxsize=1 << 16)(tokenizer.count_part)

    def bounds(self, text: str, characters: Sequence[int], tokens: Sequence[int]) -> list[int]:
        """n + 1 characters: chunk i is text[bounds[i]:bounds[i + 1]].

        Args:
            text: units one after another, each with the space before it.
            characters: characters before each unit, and of the whole text.
            tokens: tokens likewise.
        """
        bounds, begin = [0], 0
        while tokens[-1] - begin > self._size:
            unit = bisect_right(tokens, begin + self._size) - 1
            at, end = characters[unit], tokens[unit]
            for word in _CUT.split(text[at : characters[unit + 1]]):
                count = self._count(word)
                if begin < end and end + count > begin + self._size:
                    break
                at, end = at + len(word), end + count
            bounds.append(at)
            begin = end
        return [*bounds, characters[-1]] if bounds[-1] < characters[-1] else bounds
