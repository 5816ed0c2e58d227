"""The rule judge: whether a text tells an event, by its words alone; the same verdict for ever, no model needed.

A phrase is told in a text where one sentence holds all its words that carry something (folding.py), in any order; or where these stand in the
phrase's own order with as many other words between them as there, whatever marks, which is what a quotation does. So "hike in the hills" is told by "hiking the hills" and by "In the hills we set out on a hike", not by "We went
on a hike. The hills were green." A sentence ends at . ! ? or an ellipsis before white space, and at the end of a line, unless a
lower-case letter follows; at an empty line always.

The rule reads words, not sense: "no hike in the hills this week" tells the hike too, and "a walk in the mountains" does not.
docs/reference/metrics.md has what that means for the figures.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import compress, count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from haymaker.text import folded
from scoring.longgen.folding import empty, stem, stems

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

WINDOW_WORDS = 8  # length of the runs of words that repetition is counted by
NEW_SHARE = 0.5  # of the runs of an entry, at least, that are new where the entry is no copy
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]+\s*|\n")
_ENDS = frozenset(".!?…")
_NONE, _OTHER = -1, -2  # no word that carries something; one that no phrase has
_NUMBER, _PADDING = -1, -2  # in place of a word: it begins with a digit; there is none
_ODD = 0x9E3779B97F4A7C15


class Texts:
    """Texts in which phrases are looked for; each is read once, whatever number of phrases there is.

    Args:
        texts: entries of an output.
        phrases: that will be looked for.
    """

    def __init__(self, texts: Sequence[str], phrases: Iterable[str]) -> None:
        import numpy as np

        self._phrases = {phrase: stems(phrase) for phrase in phrases}
        wanted = {word for words in self._phrases.values() for word in words.values()}
        self._stems = {word: number for number, word in enumerate(sorted(wanted))}
        self._openings = {word[:2] for word in wanted}
        self._told = dict[str, frozenset[int]]()
        met, numbers = dict[str, int](), count()  # of each token, where it comes first among all
        found = (_TOKEN.findall(_composed(text)) for text in texts)
        chunks = [np.fromiter(map(met.setdefault, tokens, numbers), np.int64, len(tokens)) for tokens in found]
        tokens = np.concatenate([np.zeros(0, np.int64), *chunks])
        dense = np.zeros(len(tokens), np.int64)
        dense[np.fromiter(met.values(), np.int64, len(met))] = np.arange(len(met))
        self._read(dense[tokens], [len(chunk) for chunk in chunks], list(met))

    def _read(self, tokens: Array, lengths: list[int], vocabulary: list[str]) -> None:
        """Keep, of the words that carry something: stem, sentence, text, place among all words; of all words: which."""
        import numpy as np

        known = _vocabulary(vocabulary)
        stems, which = np.full(len(vocabulary), _NONE), np.zeros(len(vocabulary), np.int64)
        stems[known.word] = self._stems_of(known.forms)
        which[known.word] = list(map(dict[str, int]().setdefault, known.forms, count()))
        next_lower = np.append(known.lower[tokens[1:]], False)[: len(tokens)]
        ends = known.ends[tokens]
        breaks = (ends == 2) | ((ends == 1) & ~next_lower)
        text = np.repeat(np.arange(len(lengths)), lengths)
        sentence = np.cumsum(breaks) + text  # a new text is a new sentence
        kept = np.flatnonzero(stems[tokens] != _NONE)
        self._content, self._sentence, self._text = stems[tokens[kept]], sentence[kept], text[kept]
        said = known.word[tokens]
        self._at = np.cumsum(said)[kept]
        self._said = which[tokens[said]]
        self._lengths = np.bincount(text[said], minlength=len(lengths))
        self._numbers = np.array([form[:1].isdigit() for form in known.forms], bool)
        self._index()

    def _stems_of(self, forms: list[str]) -> list[int]:
        """Numbers of folded words' stems; few are worth finding, as phrases have few words."""
        openings = self._openings
        return [
            _NONE if empty(form) else self._stems.get(stem(form), _OTHER) if form[:2] in openings else _OTHER
            for form in forms
        ]

    def _index(self) -> None:
        """Where each wanted stem stands, as positions among the words that carry something."""
        import numpy as np

        at = np.flatnonzero(self._content >= 0)
        order = at[np.argsort(self._content[at], kind="stable")]
        limits = np.searchsorted(self._content[order], np.arange(len(self._stems) + 1))
        self._places = [order[limits[i] : limits[i + 1]] for i in range(len(self._stems))]

    def telling(self, phrase: str) -> frozenset[int]:
        """Numbers of the texts that tell a phrase, from 0; none of a phrase without a word that carries something.

        Args:
            phrase: one of those given.
        """
        if phrase not in self._told:
            self._told[phrase] = self._look_for(phrase)
        return self._told[phrase]

    def _look_for(self, phrase: str) -> frozenset[int]:
        import numpy as np

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
        """Runs of WINDOW_WORDS neighbouring words, and how many of them stood before; case and accents do not matter.

        Runs are compared by a 64-bit hash: of a million, two different ones are taken for equal once in 40 million outputs.
        """
        import numpy as np

        total = _runs(self._said)
        total.sort()
        return len(total), int(np.count_nonzero(total[1:] == total[:-1]))

    def mostly_new(self) -> Array:
        """Whether at least NEW_SHARE of each text's runs of WINDOW_WORDS words are new: not in the text or an earlier one before.

        All words that begin with a digit are the same word here, so a copy with another number is a copy. A text with fewer words is one
        run; a text without words is not new.
        """
        import numpy as np

        words = np.where(self._numbers[self._said], _NUMBER, self._said)
        padding = WINDOW_WORDS - 1  # after each text: no run reaches the next one
        ends = np.cumsum(self._lengths)
        padded = np.insert(words, np.repeat(ends, padding), _PADDING)
        runs = np.where(self._lengths > 0, np.maximum(1, self._lengths - padding), 0)
        text = np.repeat(np.arange(len(runs)), runs)
        starts = ends - self._lengths + padding * np.arange(len(runs))  # of the texts, in `padded`
        at = np.arange(len(text)) + np.repeat(starts - np.cumsum(runs) + runs, runs)
        _, first = np.unique(_runs(padded)[at], return_index=True)
        new = np.bincount(text[first], minlength=len(runs))
        found: Array = (runs > 0) & (new >= NEW_SHARE * runs)
        return found


def _runs(words: Array) -> Array:
    """A 64-bit hash of each run of WINDOW_WORDS neighbouring words."""
    import numpy as np

    number = max(0, len(words) - WINDOW_WORDS + 1)
    mixed = _mixed(words)
    total = np.zeros(number, np.uint64)
    for offset in range(WINDOW_WORDS):
        total = total * np.uint64(_ODD) + mixed[offset : offset + number]
    return total


def _mixed(numbers: Array) -> Array:
    """64 bits of each number, every one of which depends on all of it (splitmix64)."""
    import numpy as np

    found = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
    return found ^ (found >> np.uint64(31))


def _composed(text: str) -> str:
    """A text whose accents are part of their letters: they do not cut words."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


class _Vocabulary(NamedTuple):
    """Different tokens.

    Attributes:
        word: which are words.
        ends: whether a sentence ends at one: 0 no, 1 unless a lower-case letter follows, 2 yes.
        lower: which begin with a lower-case letter.
        forms: the words, folded.
    """

    word: Array
    ends: Array
    lower: Array
    forms: list[str]


def _vocabulary(tokens: list[str]) -> _Vocabulary:
    """What is to be known of each token; an output may have a million, so words are folded at once."""
    import numpy as np

    word = np.fromiter(map(str.isalnum, tokens), bool, len(tokens))
    ends = np.zeros(len(tokens), np.int8)
    ends[~word] = [_end(token) for token in tokens if not token.isalnum()]
    lower = np.fromiter(map(str.islower, map(itemgetter(0), tokens)), bool, len(tokens)) & word
    forms = folded("\n".join(compress(tokens, word))).split("\n")
    return _Vocabulary(word, ends, lower, forms if word.any() else [])


def _end(marks: str) -> int:
    """Whether a sentence ends at marks or a new line, as _Vocabulary.ends."""
    soft = "\n" in marks or (marks[-1].isspace() and not _ENDS.isdisjoint(marks))
    return 2 if marks.count("\n") > 1 else int(soft)
