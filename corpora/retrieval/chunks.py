"""Cutting a text into chunks of a fixed number of tokens, without tokenising it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from corpora.tokenizers.tokenizer import Tokenizer

_CUT = re.compile(r"(?<=\S)(?= )")  # token counts add up here for every tokenizer (corpora/tokenizers/cuts.py)


class Chunker:
    """Cuts texts between words into chunks of at most `size` tokens, each as long as possible.

    Texts are given as units with known tokens, so only the unit in which a chunk ends is tokenized. A word of more than
    `size` tokens is a chunk.
    """

    def __init__(self, tokenizer: Tokenizer, size: int) -> None:
        self._size = size
        self._count = lru_cache(maxsize=1 << 16)(tokenizer.count_part)

    def bounds(self, text: str, characters: Sequence[int], tokens: Sequence[int]) -> list[int]:
        """Return n + 1 characters: chunk i is text[bounds[i]:bounds[i + 1]].

        Args:
            text: concatenated units, each with the space before it.
            characters: number of characters before each unit, and in the whole text.
            tokens: the same in tokens.
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
