"""Find the longest prefix or suffix of whole words in a text with at most a number of tokens."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice, pairwise

from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.text.strings import SPACELESS, is_spaceless
from haymaker.core.text.word_index import WordIndex

_SHOWN = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
"""A word between spaces, or one character in scripts without spaces."""
_APART = 300  # characters between two cuts without a sentence end
_SHORT = 500  # maximum characters of a text whose result is cached


def last_words(scan: WordIndex, tokenizer: Tokenizer, tokens: int) -> int:
    """Return the start of the longest suffix of whole words with at most `tokens` tokens."""
    text, starts = scan.text, _starts(scan, tokens)
    if not starts:
        return len(text)
    cuts = [*_cuts(text, starts[0], len(text), tokenizer), len(text)]
    counts = [tokenizer.count_part(text[first:last]) for first, last in pairwise(cuts)]
    behind = [*accumulate(reversed(counts), initial=0)][::-1]  # tokens after each cut

    def count(words: int) -> int:
        cut = bisect_right(cuts, starts[-words], hi=len(cuts) - 1)
        return tokenizer.count(text[starts[-words] : cuts[cut]]) + behind[cut]

    fits = _most(len(starts), tokens, count)
    return starts[-fits] if fits else len(text)


def first_end(scan: WordIndex, tokenizer: Tokenizer, tokens: int) -> int:
    """Return the end of the longest prefix of whole words with at most `tokens` tokens."""
    text, stops = scan.text, _stops(scan, tokens)
    if not stops:
        return 0
    count = _counter(text, stops, tokenizer)
    fits = _most(len(stops), tokens, count)
    return stops[fits - 1] if fits else 0


def _counter(text: str, stops: Sequence[int], tokenizer: Tokenizer) -> Callable[[int], int]:
    """Return a function that counts the tokens up to the n-th word end; the whole text is tokenized once."""
    cuts = [0, *_cuts(text, 0, stops[-1], tokenizer), stops[-1]]
    counts = [tokenizer.count(text[: cuts[1]]), *(tokenizer.count_part(text[a:b]) for a, b in pairwise(cuts[1:]))]
    before = [*accumulate(counts, initial=0)]  # tokens before each cut

    def count(words: int) -> int:
        stop = stops[words - 1]
        cut = bisect_right(cuts, stop) - 1
        rest = text[cuts[cut] : stop]
        return before[cut] + ((tokenizer.count_inside if cut else tokenizer.count)(rest) if rest else 0)

    return count


def _cuts(text: str, first: int, last: int, tokenizer: Tokenizer) -> Iterator[int]:
    """Yield positions between `first` and `last` at which token counts add up (corpora/tokenizers/cuts.py), at sentence
    ends if these are close enough, so that other texts have the same pieces.
    """
    while True:
        end = text.find(". ", first, min(first + _APART, last))
        cut = end + 1 if end >= 0 else text.find(" ", first + _APART, last)
        if cut < 0:
            return
        if tokenizer.cuts_between(text[cut - 1], text[cut]):
            yield cut
        first = cut + 1


def _starts(scan: WordIndex, most: int) -> list[int]:
    """Return the start positions of the last `most` words between spaces."""
    text = scan.text
    if scan.has_spaceless:
        ahead = text.rsplit(None, most)  # each part is at least one word
        begin = len(ahead[0]) if len(ahead) > most else 0
        return [begin + word.start() for word in _SHOWN.finditer(text[begin:])]
    starts = [stop for stop in scan.spaces[1][-most - 1 :].tolist() if stop < len(text)]
    if len(scan.spaces[1]) <= most and text[:1].strip():
        starts.insert(0, 0)
    return starts[-most:]


def _stops(scan: WordIndex, most: int) -> list[int]:
    """Return the end positions of the first `most` words between spaces."""
    text = scan.text
    if scan.has_spaceless:
        return [word.end() for word in islice(_SHOWN.finditer(text), most)]
    stops = [start for start in scan.spaces[0][: most + 1].tolist() if start]
    if len(scan.spaces[0]) <= most and text[-1:].strip():
        stops.append(len(text))
    return stops[:most]


def _most(words: int, tokens: int, count: Callable[[int], int]) -> int:
    """Return the largest number of words with at most `tokens` tokens. The first guess is that all words are alike.

    Args:
        words: number of available words.
        tokens: maximum number of tokens.
        count: returns the tokens of n words; must not decrease with n.
    """
    low, high, guess = 0, words + 1, words  # low fits, high does not
    while high - low > 1:
        found = count(guess)
        low, high = (guess, high) if found <= tokens else (low, guess)
        near = guess + round((tokens - found) * guess / max(1, found))
        guess = min(max(near, low + 1), high - 1)
    return low


def first_words(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    """Return the longest prefix of whole words with at most `tokens` tokens, words separated by one space."""
    return (_kept if len(text) <= _SHORT else _first_words)(text, tokenizer, tokens)


def _first_words(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    if is_spaceless(text):
        plain = " ".join(text.split())
        return plain[: first_end(WordIndex(plain), tokenizer, tokens)]
    words = text.split(None, tokens)[:tokens]
    if not words:
        return ""
    plain, stops = " ".join(words), [*accumulate(words, lambda stop, word: stop + 1 + len(word), initial=-1)][1:]
    count = _counter(plain, stops, tokenizer)
    fits = bisect_left(range(1, len(words) + 1), True, key=lambda size: count(size) > tokens)
    return plain[: stops[fits - 1]] if fits else ""


_kept = lru_cache(maxsize=1 << 13)(_first_words)
"""Cached for short outputs, which many rows share: labels, names, option letters."""
