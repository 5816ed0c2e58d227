"""Who writes the summary of a paragraph that a row asks for, where its source brings none.

A writer is one class and one entry of WRITERS; the task's parameter `writer` names it, and its rows are a variant of that name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from corpora.stores.sentences.split import SENTENCES_VERSION, splitter
from haymaker.core.text.strings import words

GAP = " [...] "
_MOST_WORDS, _FEWEST_WORDS = 40, 8
_WHOLE = re.compile(r"[\"'“‘(]?[A-Z0-9][^\n]*[.!?][\"'”’)]?")
_SHORTENED = re.compile(
    r"\b(?:r|c|ca|cf|d|b|fl|vs|a\.k\.a|e\.g|i\.e|Dr|Mr|Mrs|Ms|St|No|Jr|Sr|etc)\.$"
)  # a sentence goes on behind these
_UNIT = 1_000_000  # weights are whole numbers, so that a last digit that differs between machines decides nothing


class Corpus(NamedTuple):
    """What a writer may know of the corpus.

    Attributes:
        passages: how many.
        frequency: word -> passages that have it.
    """

    passages: int
    frequency: Mapping[str, int]


class Writer(Protocol):
    """Writes summaries; of one text and corpus always the same one.

    Attributes:
        version: raised when a summary can change.
        verbatim: whether the text holds each part of a summary (between GAPs) word for word, so that a solver can prove rows.
    """

    version: int
    verbatim: bool

    def write(self, text: str, corpus: Corpus) -> str:
        """The summary of a text; empty where it has none to offer."""


class Extractive:
    """The sentences of a text whose words are the rarest in the corpus, in the text's order: as many as 40 words hold."""

    version, verbatim = 200 + SENTENCES_VERSION, True

    def write(self, text: str, corpus: Corpus) -> str:
        """Whole sentences alone: those that open with a capital or a digit and end with a full stop."""
        sentences = [text[start:end] for start, end in splitter("punkt")(text)]
        ranked = sorted(
            (place for place, sentence in enumerate(sentences) if _fits(sentence)),
            key=lambda place: (-_rarity(sentences[place], corpus), place),
        )
        taken, left = list[int](), _MOST_WORDS
        for place in ranked:
            size = len(sentences[place].split())
            if size <= left:
                taken.append(place)
                left -= size
        return GAP.join(sentences[place] for place in sorted(taken))


def _fits(sentence: str) -> bool:
    enough = _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS
    return enough and GAP.strip() not in sentence and _WHOLE.fullmatch(sentence) is not None and _is_closed(sentence)


def _is_closed(sentence: str) -> bool:
    """Whether it is no piece of one that was split at an abbreviation or within a quotation."""
    brackets = all(sentence.count(one) == sentence.count(other) for one, other in ("()", "[]", "“”"))
    return brackets and sentence.count('"') % 2 == 0 and _SHORTENED.search(sentence) is None


def _rarity(sentence: str, corpus: Corpus) -> int:
    """Mean weight of its different words; a word's weight is the logarithm of how many passages there are to one that has it."""
    found = set(words(sentence))
    weights = (round(_UNIT * math.log((1 + corpus.passages) / (1 + corpus.frequency.get(word, 0)))) for word in found)
    return sum(weights) // max(1, len(found))


WRITERS: Mapping[str, Writer] = MappingProxyType({"extractive": Extractive()})
