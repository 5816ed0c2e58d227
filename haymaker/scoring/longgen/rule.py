"""Deterministic rule, without a model: whether a text contains an event, by its words.

A text contains a phrase if one sentence has all content words of the phrase (stems.py) in any order, or if the text has
them in the phrase's order with equal gaps, across any punctuation. A sentence ends at . ! ? or an ellipsis before white
space, and at a line end, unless a lower-case letter follows; always at an empty line (docs/reference/reading-answers.md).

Texts are arrays of numbers, so an event costs a few lookups even in a million tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import compress
from typing import Any

import numpy as np

from haymaker.core.text.strings import folded
from haymaker.scoring.longgen.stems import is_empty, stem, stems

Array = np.ndarray[Any, np.dtype[Any]]

WINDOW_WORDS = 8  # length of the word runs used to count repetition: see `_runs`
NEW_SHARE = 0.5  # minimum share of new runs in an entry that is no copy
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]+\s*|\n")
_ENDS = frozenset(".!?…")
_NONE, _OTHER = -1, -2  # stems of stop words, and of words in no phrase
_NUMBER, _PADDING = -1, -2  # in a run: a word that begins with a digit, no word


class Texts:
    """Index of texts for phrase lookup; each text is read once for any number of phrases.

    Args:
        texts: entries of an output.
        phrases: phrases to look up.
    """

    def __init__(self, texts: Sequence[str], phrases: Iterable[str]) -> None:
        self._phrases = {phrase: stems(phrase) for phrase in phrases}
        wanted = {word for words in self._phrases.values() for word in words.values()}
        self._stems = {word: number for number, word in enumerate(sorted(wanted))}
        self._openings = {word[:2] for word in wanted}  # stems keep the first letters, so few words need stemming
        number = _numbering()
        found = (_TOKEN.findall(text if text.isascii() else unicodedata.normalize("NFC", text)) for text in texts)
        chunks = [np.fromiter(map(number.__getitem__, tokens), np.int64, len(tokens)) for tokens in found]
        text = np.repeat(np.arange(len(chunks)), [len(chunk) for chunk in chunks])
        self._read(np.concatenate([np.zeros(0, np.int64), *chunks]), text, list(number))
        self._lengths = np.bincount(text[self._is_word], minlength=len(chunks))

    def _read(self, tokens: Array, text: Array, vocabulary: list[str]) -> None:
        """Store all words as numbers, and stem, sentence, text and position of each content word.

        Args:
            tokens: tokens of all texts, as indices of the vocabulary.
            text: index of the text of each token.
            vocabulary: distinct tokens; words are folded in one call, since there may be a million.
        """
        word = np.array([token.isalnum() for token in vocabulary], bool)
        forms = folded("\n".join(compress(vocabulary, word))).split("\n")[: word.sum()]
        stem_of, form_of, number = np.full(len(word), _NONE), np.zeros(len(word), np.int64), _numbering()
        stem_of[word] = [self._stem_of(form) for form in forms]
        form_of[word] = [number[form] for form in forms]
        self._is_word = word[tokens]
        self._words = form_of[tokens[self._is_word]]
        self._is_number = np.array([form[:1].isdigit() for form in number], bool)
        kept = np.flatnonzero(stem_of[tokens] != _NONE)
        self._text, self._at, self._content = text[kept], np.cumsum(self._is_word)[kept], stem_of[tokens[kept]]
        self._sentence = (np.cumsum(_breaks(tokens, vocabulary)) + text)[kept]  # a new text is a new sentence
        at = np.flatnonzero(self._content >= 0)
        order = at[np.argsort(self._content[at], kind="stable")]
        self._places = np.split(order, np.searchsorted(self._content[order], np.arange(1, len(self._stems))))

    def _stem_of(self, form: str) -> int:
        if is_empty(form):
            return _NONE
        return self._stems.get(stem(form), _OTHER) if form[:2] in self._openings else _OTHER

    def telling(self, phrase: str) -> frozenset[int]:
        """Return the indices of the texts that contain one of the given phrases; none without content words."""
        words = {at: self._stems[word] for at, word in self._phrases[phrase].items()}
        if not words:
            return frozenset()
        start, *_ = words
        together = self._places[words[start]]
        for offset, (at, word) in enumerate(words.items()):
            together = together[together + offset < len(self._content)]
            distance = self._at[together + offset] - self._at[together]
            together = together[(self._content[together + offset] == word) & (distance == at - start)]
        whole = self._text[together] == self._text[together + len(words) - 1]
        held = [np.unique(self._sentence[self._places[word]]) for word in set(words.values())]
        sentences = reduce(partial(np.intersect1d, assume_unique=True), sorted(held, key=len))
        first = np.searchsorted(self._sentence, sentences)
        return frozenset((*self._text[together[whole]].tolist(), *self._text[first].tolist()))

    def windows(self) -> tuple[int, int]:
        """Return the numbers of all and of repeated runs of WINDOW_WORDS words; case and accents are ignored."""
        runs = np.sort(_runs(self._words))
        return len(runs), int(np.count_nonzero(runs[1:] == runs[:-1]))

    def mostly_new(self) -> Array:
        """Return for each text whether at least NEW_SHARE of its runs did not occur before, in it or earlier texts.

        Words that begin with a digit are equal. A text below WINDOW_WORDS words is one run; no words: not new.
        """
        words = np.where(self._is_number[self._words], _NUMBER, self._words)
        padding = WINDOW_WORDS - 1  # after each text: no run reaches the next one
        ends = np.cumsum(self._lengths)
        padded = np.insert(words, np.repeat(ends, padding), _PADDING)
        counts = np.where(self._lengths > 0, np.maximum(1, self._lengths - padding), 0)
        text = np.repeat(np.arange(len(counts)), counts)
        starts = ends - self._lengths + padding * np.arange(len(counts))  # of the texts, in `padded`
        at = np.arange(len(text)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        _, first = np.unique(_runs(padded)[at], return_index=True)
        new = np.bincount(text[first], minlength=len(counts))
        found: Array = (counts > 0) & (new >= NEW_SHARE * counts)
        return found


def _numbering() -> defaultdict[str, int]:
    """Return a mapping that numbers strings from 0 in order of first lookup."""
    numbers = defaultdict[str, int]()
    numbers.default_factory = numbers.__len__
    return numbers


def _breaks(tokens: Array, vocabulary: list[str]) -> Array:
    """Return whether a sentence ends at each token."""
    ends = np.array([_end(token) for token in vocabulary], np.int8)[tokens]
    lower = np.array([token.isalnum() and token[0].islower() for token in vocabulary], bool)[tokens]
    found: Array = (ends == 2) | ((ends == 1) & ~np.append(lower[1:], False)[: len(lower)])
    return found


def _end(token: str) -> int:
    """Return whether a sentence ends at a token: 0 no, 1 unless a lower-case letter follows, 2 yes."""
    if token.isalnum():
        return 0
    soft = "\n" in token or (token[-1].isspace() and not _ENDS.isdisjoint(token))
    return 2 if token.count("\n") > 1 else int(soft)


def _runs(words: Array) -> Array:
    """Number each run of WINDOW_WORDS consecutive words; equal runs have equal numbers."""
    runs = words
    for width in (1, 2, 4):  # runs of twice the width are pairs of runs
        _, numbers = np.unique(runs, return_inverse=True)
        runs = numbers[:-width] * len(words) + numbers[width:]
    return runs
