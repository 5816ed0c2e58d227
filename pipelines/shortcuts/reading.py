"""A finished row as somebody looks at it who will not read all of it: units, last words, the unit nearest to its question.

Nothing is taken from what the row knows of its evidence: units are what the context is put together from, and a document that
has none is packed from its own sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

from corpora.retrieval.lexical import BM25
from corpora.retrieval.scorers import ranking
from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.text import SPACELESS, WORD, is_spaceless

UNIT_WORDS = 100
"""Words of a unit where a document is packed; a sentence that is longer is a unit of its own."""
_UNITS = frozenset({"passage", "gold", "distractor", "shot"})
_SHOWN = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
"""What stands between spaces; in scripts without them a character."""
ENDS = re.compile(r"(?<=[.?!;])\s+|(?<=[。！？；…])(?![”’」』])\s*|(?<=[。！？…][”’」』])\s*|\s*\n\s*")
"""Between sentences and lines."""
_NEAR = 4000  # characters in which the end of a sentence is looked for


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a context.

    Attributes:
        start: first character, in the prompt.
        end: one past the last.
        text: of it, behind its title where it has one.
        kind: of its span; empty where the document was packed.
        label: of its span.
        title: of its span.
    """

    start: int
    end: int
    text: str
    kind: str = ""
    label: str = ""
    title: str = ""


def context(row: Row) -> str:
    """The long text of a row."""
    return str(row["prompt"][row["context_start"] : row["context_end"]])


def units(row: Row) -> list[Unit]:
    """What the context of a row is made of, in order: passages or shots by their spans, else the document packed."""
    return marked(row) or packed(context(row), row["context_start"])


def marked(row: Row) -> list[Unit]:
    """Units that spans mark, the outermost ones, in order; none where they make up less than half of the context.

    Where all are gold they are units only if the row says that it has no others. All else marks the evidence in a text, and to
    look there would be to know the answer.
    """
    inside = [
        span
        for span in row["spans"]
        if span["kind"] in _UNITS and row["context_start"] <= span["start"] and span["end"] <= row["context_end"]
    ]
    found: list[Unit] = []
    for span in sorted(inside, key=lambda each: (each["start"], -each["end"])):
        if not found or span["start"] >= found[-1].end:
            found.append(_unit(row, span))
    covered = sum(unit.end - unit.start for unit in found)
    only_gold = all(unit.kind == "gold" for unit in found) and row["n_units"] != len(found)
    return [] if only_gold or 2 * covered < row["context_end"] - row["context_start"] else found


def _unit(row: Row, span: Row) -> Unit:
    text, title = row["prompt"][span["start"] : span["end"]], span["title"] or ""
    whole = text if text.startswith(title) else f"{title}\n{text}"
    return Unit(span["start"], span["end"], whole, span["kind"], span["label"] or "", title)


def packed(text: str, at: int = 0) -> list[Unit]:
    """Sentences and lines of a text, put together while they have no more than 100 words.

    Args:
        text: a document.
        at: where it begins in the prompt.
    """
    cuts = [0, *(cut.end() for cut in ENDS.finditer(text)), len(text)]
    bounds, words = [0], 0
    for first, last in pairwise(cuts):
        count = len(WORD.findall(text, first, last))
        if words and words + count > UNIT_WORDS:
            bounds.append(first)
            words = 0
        words += count
    spans = [(first, first + len(text[first:last].rstrip())) for first, last in pairwise([*bounds, len(text)])]
    return [Unit(at + first, at + last, text[first:last]) for first, last in spans if first < last]


def last_words(text: str, tokenizer: Tokenizer, tokens: int) -> int:
    """Where the last whole words of a text begin that have at most so many tokens together."""
    ahead = text.rsplit(None, tokens)  # a word is a token or more
    begin = len(ahead[0]) if len(ahead) > tokens else 0
    starts = [begin + word.start() for word in _SHOWN.finditer(text[begin:])]
    fits = _most(len(starts), tokens, lambda words: tokenizer.count(text[starts[-words] :]))
    return starts[-fits] if fits else len(text)


def first_end(text: str, tokenizer: Tokenizer, tokens: int) -> int:
    """Where the first whole words of a text end that have at most so many tokens together."""
    ends = [word.end() for word in islice(_SHOWN.finditer(text), tokens)]
    fits = _most(len(ends), tokens, lambda words: tokenizer.count(text[: ends[words - 1]]))
    return ends[fits - 1] if fits else 0


def _most(words: int, tokens: int, count: Callable[[int], int]) -> int:
    """The most of so many words that have at most so many tokens.

    Args:
        words: there are.
        tokens: they may have.
        count: tokens of the first n words, never fewer for more of them; it costs as much as there are words, so the first guess
            is that all are alike.
    """
    low, high, guess = 0, words + 1, words  # low fits, high does not
    while high - low > 1:
        found = count(guess)
        low, high = (guess, high) if found <= tokens else (low, guess)
        near = guess + round((tokens - found) * guess / max(1, found))
        guess = min(max(near, low + 1), high - 1)
    return low


def whole_until(text: str, at: int, found: Sequence[Unit], start: int) -> int:
    """The end of the last unit, or sentence, that ends at `at` or before; `at` itself where there is none near.

    Args:
        text: a context.
        at: place in it.
        found: its marked units.
        start: where it begins in the prompt.
    """
    if found:
        return max((unit.end - start for unit in found if unit.end - start <= at), default=at)
    near = max(0, at - _NEAR)
    ends = [cut.start() for cut in ENDS.finditer(text, near, at + 1)]
    return ends[-1] if ends and ends[-1] > 0 else at


def whole_from(text: str, at: int, found: Sequence[Unit], start: int) -> int:
    """The beginning of the first unit, or sentence, that begins at `at` or later; `at` itself where there is none near.

    Args:
        text: a context.
        at: place in it.
        found: its marked units.
        start: where it begins in the prompt.
    """
    if not at or found:
        return min((unit.start - start for unit in found if unit.start - start >= at), default=at)
    cut = ENDS.search(text, at - 1, at + _NEAR)
    return cut.end() if cut and cut.end() < len(text) else at


def first_words(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    """The first whole words of a text that have at most so many tokens together, one space between them."""
    if is_spaceless(text):
        plain = " ".join(text.split())
        return plain[: first_end(plain, tokenizer, tokens)]
    words = text.split(None, tokens)[:tokens]
    sizes = range(1, len(words) + 1)
    fits = bisect_left(sizes, True, key=lambda size: tokenizer.count(" ".join(words[:size])) > tokens)
    return " ".join(words[:fits])


def nearest(found: Sequence[Unit], question: str) -> Unit | None:
    """The unit that `ranked` puts first; None without units."""
    return next(iter(ranked(found, question)), None)


def ranked(found: Sequence[Unit], question: str) -> list[Unit]:
    """Units in the order in which BM25 puts them for a question, of equal ones the first first; by words, never by characters
    (docs/defects/longbench.md D13).
    """
    import numpy as np

    if not found:
        return []
    texts = [f"{unit.text}\n" for unit in found]
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64)
    return [found[place] for place in ranking(BM25("".join(texts)).scores(question, bounds))]
