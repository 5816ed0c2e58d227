"""Documents as paragraphs of sentences, cut to equal size; names and numbers are masked where sentences are compared.

A new name must not make a new sentence. Words are runs of letters, so texts must part words by spaces; names are found by their
capitals, and the function words are English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from sys import intern

from corpora.stores.sentences.clean import CleaningParams, paragraphs
from corpora.stores.sentences.split import splitter
from haymaker.core.errors import CorpusError
from haymaker.core.rows.source_records import Document

_WORDS = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
FUNCTION_WORDS, NUMBER_WORDS = (frozenset(words.split()) for words in _WORDS.split("\n\n"))
"""Words that hold a sentence together; words for numbers, but not "one", which is mostly a pronoun."""
NAME, NUMBER = "@", "#"
MOST_WORDS = 100_000
"""Of a book; nothing behind them is read."""
_STEP_WORDS = 1_000
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_OPENS = re.compile(r"""(?:[.:!?…—]|--)["'”’»)\]]*\s*["'“‘«(\[]*$|["'“‘«(\[]$""")
_DOTTED = frozenset("mr mrs messrs dr st rev prof hon capt col gen lieut".split())
_TITLES = frozenset("Mr Mrs Miss Ms Dr Sir Lady Lord Madam Mister Missis Monsieur Madame Mademoiselle".split())


@dataclass(frozen=True)
class Book:
    """A document of sentences; books of one author (its own name where nobody is known) never stand on both sides of a split."""

    name: str
    author: str
    paragraphs: tuple[tuple[str, ...], ...]

    @cached_property
    def sentences(self) -> list[str]:
        """All sentences in order, white space folded."""
        return [sentence for paragraph in self.paragraphs for sentence in paragraph]

    @cached_property
    def words(self) -> list[str]:
        """All words, lower case."""
        return [intern(word) for sentence in self.sentences for word in lowered(sentence)]

    @cached_property
    def masked(self) -> list[list[str]]:
        """Words of each sentence, lower case, names and numbers masked."""
        return mask(self.sentences)

    @cached_property
    def text(self) -> bytes:
        """A line for each paragraph."""
        return "\n".join(map(" ".join, self.paragraphs)).encode()


def tokens(sentence: str) -> list[str]:
    """Words and numbers of a sentence, in the writing of the text."""
    return _TOKEN.findall(sentence)


def lowered(sentence: str) -> list[str]:
    """Words of a sentence, lower case."""
    return [word.lower() for word in tokens(sentence)]


def book(document: Document, rules: CleaningParams, *, author: str = "", at_most: int = MOST_WORDS) -> Book:
    """The first words of a document, under the cleaning rules of its corpus (but for lengths in tokens)."""
    split = splitter(rules.splitter, rules.abbreviations)
    kept, size = [], 0
    for paragraph in paragraphs(document.text, rules, Counter()):
        kept.append(tuple(paragraph[a:b] for a, b in split(paragraph)))
        size += len(tokens(paragraph))
        if size >= at_most:
            break
    return Book(document.doc_id, author or document.doc_id, tuple(kept))


def opening(whole: Book, words: int) -> Book:
    """The first words of a book; the last sentence is cut where they end."""
    kept: list[tuple[str, ...]] = []
    for paragraph in whole.paragraphs:
        piece: list[str] = []
        for sentence in paragraph:
            ends = [found.end() for found in _TOKEN.finditer(sentence)]
            piece.append(sentence if len(ends) <= words else sentence[: ends[words - 1]])
            words -= len(ends)
            if words <= 0:
                return Book(whole.name, whole.author, (*kept, tuple(piece)))
        kept.append(tuple(piece))
    return whole


def equal(sides: Mapping[str, Sequence[Book]]) -> dict[str, list[Book]]:
    """Name -> books of equal size: as many thousands of words as three quarters of the books of each side have; shorter ones are
    left out.

    Raises:
        CorpusError: a side has fewer than two books of that size.
    """
    quarters = [sorted(len(book.words) for book in books)[len(books) // 4] for books in sides.values()]
    words = max(_STEP_WORDS, min(*quarters, MOST_WORDS) // _STEP_WORDS * _STEP_WORDS)
    cut = {name: [opening(b, words) for b in books if len(b.words) >= words] for name, books in sides.items()}
    for name, books in cut.items():
        if len(books) < 2:
            fix = "give it more or longer texts, or look at its cleaning rules"
            raise CorpusError(f"{len(books)} texts of {words:,} words, 2 are needed", where=name, fix=fix)
    return cut


def mask(sentences: Sequence[str]) -> list[list[str]]:
    """Words of each sentence, lower case; a run of names becomes one "@", a number "#".

    A name is capitalised inside a sentence. At a sentence's head (or that of a quotation), where every word is, a word is
    a name when the same text writes it with a capital more often than without inside sentences.
    """
    cut = [_heads(sentence) for sentence in sentences]
    inside: Counter[str] = Counter()
    for word in (word for sentence in cut for word, head in sentence if not head):
        inside[word.lower()] += 1 if _capital(word) else -1
    return [_masked(sentence, inside) for sentence in cut]


def _heads(sentence: str) -> list[tuple[str, bool]]:
    """Words, and whether each stands where any word would have a capital."""
    out: list[tuple[str, bool]] = []
    end = 0
    for found in _TOKEN.finditer(sentence):
        before, between = out[-1][0].lower() if out else "", sentence[end : found.start()]
        abbreviated = between == ". " and (before in _DOTTED or len(before) == 1)
        out.append((found.group(), not out or (not abbreviated and bool(_OPENS.search(between)))))
        end = found.end()
    return out


def _capital(word: str) -> bool:
    """Written like a name. "I" and its short forms, titles before names and words in capitals are not."""
    return word[0].isupper() and not word.isupper() and word[:2] not in ("I'", "I’") and word not in _TITLES


def _masked(sentence: Sequence[tuple[str, bool]], inside: Counter[str]) -> list[str]:
    out: list[str] = []
    for word, head in sentence:
        low = intern(word.lower())
        if word[0].isdigit() or low in NUMBER_WORDS:
            out.append(NUMBER)
        elif not _capital(word) or (head and inside[low] <= 0):
            out.append(low)
        elif out[-1:] != [NAME]:
            out.append(NAME)
    return out
