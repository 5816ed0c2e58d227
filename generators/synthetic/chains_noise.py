"""The sentences that chains stand among, and the numbers that they say."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints
from generators.synthetic.counting_stock import BLOCK, Stock
from generators.synthetic.parts import texts_of
from generators.synthetic.phrases import Phrases
from generators.synthetic.vocabulary import noise as sentences
from haymaker.core.rng import Key
from haymaker.core.rows.source_records import Split

NOISE = 1 << 20  # sentences, about 17 million tokens; noise itself does not end
_NUMBER = re.compile(r"(?<!\d)\d{5}(?!\d)")


class Noise(Stock):
    """Sentences of noise, and what they say."""

    _numbers: Ints = np.empty(0, dtype=np.int64)

    def numbers(self, count: int) -> Ints:
        """Five digits that each of the first `count` sentences or more says; 0: none."""
        if len(self._numbers) < count:
            found = map(_NUMBER.search, self.pieces(count).texts)
            self._numbers = np.fromiter((int(each[0]) if each else 0 for each in found), dtype=np.int64)
        return self._numbers


@lru_cache(maxsize=3)
def noise(stream_key: Key, part: Split, tokenizers: tuple[Tokenizer, ...], phrases: Phrases) -> Noise:
    """One for all entries of a release: a million tokens of sentences take two seconds to make and count."""
    grammar = phrases.filler()

    def drawn(many: int) -> list[str]:
        return sentences(many, stream_key, "vt", grammar=grammar)

    return Noise(lambda count: texts_of(drawn, count, part), most_noise(phrases), tokenizers)


def most_noise(phrases: Phrases) -> int:
    """Sentences of a part, in whole blocks: a grammar that makes few is drawn no further than to an eighth of them."""
    grammar = phrases.filler()
    return NOISE if grammar is None else min(NOISE, max(1, grammar.least // 24 // BLOCK) * BLOCK)
