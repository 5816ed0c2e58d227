"""Documents as paragraphs of sentences, cut to equal size, with masked names and numbers for comparisons.

With masks, sentences that differ only in names are equal. Words are runs of letters, so this needs languages with
spaces; names are recognised by capital letters, and the function words are English.
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
"""Function words, and number words (without "one", mostly a pronoun)."""
NAME, NUMBER = "@", "#"
MOST_WORDS = 100_000
"""Maximum number of words read from a book."""
_STEP_WORDS = 1_000
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_OPENS = re.compile(r"""(?:[.:!?…—]|--)["'”’»)\]]*\s*["'“‘«(\[]*$|["'“‘«(\[]$""")
_DOTTED = frozenset("mr mrs messrs dr st rev prof hon capt col gen lieut".split())
_TITLES = frozenset("Mr Mrs Miss Ms Dr Sir Lady Lord Madam Mister Missis Monsieur Madame Mademoiselle".split())


@dataclass(frozen=True)
class Book:
    """A document as sentences; books of one author (default: the book's name) stay on one side of a split."""

    name: str
    author: str
    paragraphs: tuple[tuple[str, ...], ...]

    @cached_property
    def sentences(self) -> list[str]:
        """All sentences in order."""
        return [sentence for paragraph in self.paragraphs for sentence in paragraph]

    @cached_property
    def words(self) -> list[str]:
        """All words, lower case."""
        return [intern(word) for sentence in self.sentences for word in lowered(sentence)]

    @cached_property
    def masked(self) -> list[list[str]]:
        """Lower-case words of each sentence, with masked names and numbers."""
        return mask(self.sentences)

    @cached_property
    def text(self) -> bytes:
        """Text with one line per paragraph."""
        return "\n".join(map(" ".join, self.paragraphs)).encode()


def tokens(sentence: str) -> list[str]:
    """Return the words and numbers of a sentence in their original case."""
    return _TOKEN.findall(sentence)


def lowered(sentence: str) -> list[str]:
    """Return the words of a sentence in lower case."""
    return [word.lower() for word in tokens(sentence)]


def book(document: Document, rules: CleaningParams, *, author: str = "", at_most: int = MOST_WORDS) -> Book:
    """Return the first words of a document, cleaned by the rules of its corpus (except limits in tokens)."""
    split = splitter(rules.splitter, rules.abbreviations)
    kept, size = [], 0
    for paragraph in paragraphs(document.text, rules, Counter()):
        kept.append(tuple(paragraph[a:b] for a, b in split(paragraph)))
        size += len(tokens(paragraph))
        if size >= at_most:
            break
    return Book(document.doc_id, author or document.doc_id, tuple(kept))


def opening(whole: Book, words: int) -> Book:
    """Return the first words of a book; the last sentence may be cut."""
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
    """Cut the books of all sides to the same size: the largest multiple of 1,000 words that three quarters of the books
    of each side have; shorter books are left out.

    Raises:
        CorpusError: a side has fewer than two books of that size.
    """
    quarters = [sorted(len(book.words) for book in books)[len(books) // 4] for books in sides.values()]
    words = max(_STEP_WORDS, min(*quarters, MOST_WORDS) // _STEP_WORDS * _STEP_WORDS)
    cut = {name: [opening(b, words) for b in books if len(b.words) >= words] for name, books in sides.items()}
    for name, books in cut.items():
        if len(books) < 2:
            fix = "give it more or longer texts, or check its cleaning rules"
            raise CorpusError(f"{len(books)} texts of {words:,} words; 2 texts are required", where=name, fix=fix)
    return cut


def mask(sentences: Sequence[str]) -> list[list[str]]:
    """Return the lower-case words of each sentence; a run of names becomes one "@", a number "#".

    A name is capitalised inside a sentence. At the start of a sentence or quotation, a capitalised word is a name if it
    is capitalised more often than not inside the other sentences of the text.
    """
    cut = [_heads(sentence) for sentence in sentences]
    inside: Counter[str] = Counter()
    for word in (word for sentence in cut for word, head in sentence if not head):
        inside[word.lower()] += 1 if _capital(word) else -1
    return [_masked(sentence, inside) for sentence in cut]


def _heads(sentence: str) -> list[tuple[str, bool]]:
    """Return the words, and whether each is in a position that is always capitalised."""
    out: list[tuple[str, bool]] = []
    end = 0
    for found in _TOKEN.finditer(sentence):
        before, between = out[-1][0].lower() if out else "", sentence[end : found.start()]
        abbreviated = between == ". " and (before in _DOTTED or len(before) == 1)
        out.append((found.group(), not out or (not abbreviated and bool(_OPENS.search(between)))))
        end = found.end()
    return out


def _capital(word: str) -> bool:
    """Check whether a word is written like a name; "I" and its short forms, titles and all-capital words are not."""
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
