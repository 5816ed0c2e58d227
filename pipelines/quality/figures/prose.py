"""How a text is made, in figures that compare: everything is measured on pieces of equal size.

A *book* is a document cut into paragraphs of sentences; `opening` cuts every book to the same number of words. Names and
numbers are masked where frames of sentences are compared, so that a new name does not make a new sentence. Words are runs
of letters, so texts must part words by spaces; names are found by their capitals and the function words are English.
"""

from __future__ import annotations

import re
import statistics
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import intern
from typing import TYPE_CHECKING, Any

from corpora.stores.sentences.clean import CleaningParams, paragraphs
from corpora.stores.sentences.split import splitter
from haymaker.errors import CorpusError
from haymaker.records import Document

from .words import FUNCTION_WORDS, NUMBER_WORDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

NAME, NUMBER, OPEN = "@", "#", "_"
GROWTH = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
GRAMS = (4, 8, 12)
BIN_WORDS, BINS = 5, 20  # sentence lengths: 1-5, 6-10 ... 91-95, 96 and more
FRAMES = 10_000
_ZSTD_LEVEL = 19
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_OPENS = re.compile(r"""(?:[.:!?…—]|--)["'”’»)\]]*\s*["'“‘«(\[]*$|["'“‘«(\[]$""")
_DOTTED = frozenset("mr mrs messrs dr st rev prof hon capt col gen lieut".split())
_QUOTE = re.compile(r'["“”«»]')


@dataclass(frozen=True)
class Book:
    """A document as paragraphs of sentences.

    Attributes:
        name: its id.
        author: whose hand; books of one author never stand on both sides of a split. The id where nobody is known.
        paragraphs: sentences, white space folded.
    """

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
        return [intern(word.lower()) for sentence in self.sentences for word in tokens(sentence)]

    @cached_property
    def masked(self) -> list[list[str]]:
        """Words of each sentence, lower case, names and numbers masked."""
        return mask(self.sentences)


def tokens(sentence: str) -> list[str]:
    """Words and numbers of a sentence, in the writing of the text."""
    return _TOKEN.findall(sentence)


def book(document: Document, rules: CleaningParams, *, author: str = "", at_most: int = GROWTH[-1]) -> Book:
    """Cut a document into paragraphs of sentences under the cleaning rules of its corpus (but for lengths in tokens).

    Args:
        document: the text.
        rules: how it is cleaned.
        author: whose hand it is; empty where nobody is known.
        at_most: words after which nothing more is read.
    """
    split = splitter(rules.splitter, rules.abbreviations)
    kept, size = [], 0
    for paragraph in paragraphs(document.text, rules, Counter()):
        kept.append(tuple(paragraph[a:b] for a, b in split(paragraph)))
        size += len(tokens(paragraph))
        if size >= at_most:
            break
    return Book(document.doc_id, author or document.doc_id, tuple(kept))


def opening(whole: Book, words: int) -> Book:
    """The first `words` words of a book; the last sentence is cut where they end.

    Raises:
        CorpusError: the book is shorter.
    """
    left, kept = words, []
    for paragraph in whole.paragraphs:
        piece = []
        for sentence in paragraph:
            found = list(_TOKEN.finditer(sentence))
            piece.append(sentence if len(found) <= left else sentence[: found[left - 1].end()])
            left -= min(left, len(found))
            if not left:
                break
        kept.append(tuple(piece))
        if not left:
            return Book(whole.name, whole.author, tuple(kept))
    raise CorpusError(f"{words - left:,} words, {words:,} are needed", where=whole.name, fix="ask for fewer words")


def mask(sentences: Sequence[str]) -> list[list[str]]:
    """Words of each sentence, lower case; a run of names becomes one "@", a number "#".

    A name is capitalised inside a sentence. At a sentence's head (or that of a quotation), where every word is, a word is
    a name when the same text writes it with a capital more often than without inside sentences.
    """
    cut = [_heads(sentence) for sentence in sentences]
    inside: Counter[str] = Counter()
    for word, head in (pair for sentence in cut for pair in sentence):
        if not head:
            inside[word.lower()] += 1 if _capital(word) else -1
    return [_masked(sentence, inside) for sentence in cut]


def _heads(sentence: str) -> list[tuple[str, bool]]:
    """Words, and whether each stands where any word would have a capital."""
    out: list[tuple[str, bool]] = []
    end = 0
    for found in _TOKEN.finditer(sentence):
        before = out[-1][0].lower() if out else ""
        abbreviated = sentence[end : found.start()] == ". " and (before in _DOTTED or len(before) == 1)
        head = not out or (not abbreviated and bool(_OPENS.search(sentence[end : found.start()])))
        out.append((found.group(), head))
        end = found.end()
    return out


def _capital(word: str) -> bool:
    """Written like a name. "I" and its short forms, titles before names and words in capitals are not."""
    return word[0].isupper() and not word.isupper() and word[:2] not in ("I'", "I’") and word not in _TITLES


_TITLES = frozenset("Mr Mrs Miss Ms Dr Sir Lady Lord Madam Mister Missis Monsieur Madame Mademoiselle".split())


def _masked(sentence: Iterable[tuple[str, bool]], inside: Counter[str]) -> list[str]:
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


def frame(masked: Sequence[str]) -> str:
    """A sentence whose names and numbers are masked, as one string."""
    return " ".join(masked)


def skeleton(masked: Sequence[str]) -> str:
    """Its function words alone; every other word is "_"."""
    return " ".join(w if w in FUNCTION_WORDS or w in (NAME, NUMBER) else OPEN for w in masked)


def sentence_lengths(sentences: Iterable[str]) -> dict[str, Any]:
    """Words per sentence: mean, median, sd, quantiles, and shares per bin of five words (the last one is open)."""
    sizes = [size for size in (len(tokens(sentence)) for sentence in sentences) if size]
    cuts = statistics.quantiles(sizes, n=20, method="inclusive")
    bins = Counter(min((size - 1) // BIN_WORDS, BINS - 1) for size in sizes)
    return {
        "mean": statistics.fmean(sizes),
        "sd": statistics.pstdev(sizes),
        **{f"q{5 * at:02d}": cuts[at - 1] for at in (1, 5, 10, 15, 19)},
        "histogram": [bins[i] / len(sizes) for i in range(BINS)],
    }


def type_growth(words: Sequence[str]) -> list[tuple[int, int]]:
    """(Words read, different words among them) at the points of GROWTH and at the end."""
    points = [*(point for point in GROWTH if point < len(words)), len(words)]
    return [(point, len(set(words[:point]))) for point in points]


def repeated(texts: Sequence[Sequence[str]], n: int) -> float:
    """Share of the n-grams of some texts that stood before in any of them; none runs over the end of a text."""
    import numpy as np

    kept = np.concatenate(list(_gram_ids(texts, n)))
    return 1 - len(np.unique(kept)) / len(kept) if len(kept) else 0.0


def _gram_ids(texts: Sequence[Sequence[str]], n: int) -> Iterator[Ints]:
    """One array per text: a number for each n-gram, the same for the same words (exact: no hash)."""
    import numpy as np

    known: dict[str, int] = {}
    flat = np.array([known.setdefault(word, len(known)) for text in texts for word in text], dtype=np.int64)
    every = _joined(flat, n)
    begin = 0
    for text in texts:
        yield every[begin : max(begin, begin + len(text) - n + 1)]
        begin += len(text)


def _joined(ids: Ints, n: int) -> Ints:
    """Ids of n-grams: those of their two halves, numbered as pairs."""
    import numpy as np

    if n == 1 or len(ids) < n:
        return ids[: len(ids) if n == 1 else 0]
    half = n // 2
    left, right = _joined(ids, half), _joined(ids, n - half)
    size = len(ids) - n + 1
    pairs = left[:size] * (int(right.max()) + 1) + right[half : half + size]
    numbered: Ints = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return numbered


def compression(text: bytes) -> dict[str, float]:
    """Bytes over compressed bytes: zlib 9 sees the last 32 kB alone, zstd 19 all of it."""
    import zstandard

    zstd = zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(text)
    return {"zlib": len(text) / len(zlib.compress(text, 9)), "zstd": len(text) / len(zstd)}


def dialogue(book: Book) -> float:
    """Share of the words that stand between double quotation marks (curly, straight or angled); a paragraph closes them."""
    spoken = total = 0
    for paragraph in book.paragraphs:
        parts = _QUOTE.split(" ".join(paragraph))
        sizes = [len(tokens(part)) for part in parts]
        spoken, total = spoken + sum(sizes[1::2]), total + sum(sizes)
    return spoken / total if total else 0.0


def frames(books: Sequence[Book], count: int = FRAMES) -> dict[str, float]:
    """Different frames and skeletons among `count` sentences, the same number from the head of each book, per 10,000.

    Raises:
        CorpusError: the books have fewer sentences.
    """
    share = -(-count // len(books))
    taken = [sentence for one in books for sentence in one.masked[:share] if sentence][:count]
    if len(taken) < count:
        raise CorpusError(f"{len(taken):,} sentences, {count:,} are needed", where=books[0].name, fix="give more text")
    return {
        "frames": len(set(map(frame, taken))) * FRAMES / count,
        "skeletons": len(set(map(skeleton, taken))) * FRAMES / count,
    }


def measure(book: Book, text_bytes: int) -> dict[str, Any]:
    """All figures of one book (cut to size before). Compression is of its first `text_bytes` bytes."""
    masked = [word for sentence in book.masked for word in sentence]
    text = "\n".join(" ".join(paragraph) for paragraph in book.paragraphs).encode()
    return {
        "sentence_words": sentence_lengths(book.sentences),
        "types": type_growth(book.words),
        "repeated": {str(n): repeated([book.words], n) for n in GRAMS},
        "repeated_masked": {str(n): repeated([masked], n) for n in GRAMS},
        "compression": compression(text[:text_bytes]),
        "dialogue": dialogue(book),
    }


def measure_together(books: Sequence[Book], sentences: int) -> dict[str, Any]:
    """What shows only across books: sentence frames that come back, and n-grams one book shares with those before it."""
    masked = [[word for sentence in book.masked for word in sentence] for book in books]
    return {
        "per_10k_sentences": frames(books, sentences),
        "repeated": {str(n): repeated([book.words for book in books], n) for n in GRAMS},
        "repeated_masked": {str(n): repeated(masked, n) for n in GRAMS},
    }
