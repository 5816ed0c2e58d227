"""Figures of prose: exact on a few lines written for it, and what must not change them."""

from __future__ import annotations

import pytest

from corpora.stores.sentences.clean import CleaningParams
from devtools.quality import books, prose
from devtools.quality.books import Book, mask
from devtools.quality.figures import repeated
from devtools.quality.novels import outside
from haymaker.core.rows.source_records import Document
from worlds.novels import write_novel


def made(*paragraphs: tuple[str, ...], name: str = "b") -> Book:
    return Book(name, name, paragraphs)


def test_figures_by_hand() -> None:
    lines = ("We saw Anna at the river.", "We saw John at the river.", "We saw Anna at the pond.", "He slept.")
    assert prose.frames(mask(lines)) == {"frames": 3 * 2500.0, "skeletons": 2 * 2500.0}
    found = prose.sentence_words(["One.", "One two three.", "a b c d e f", "..."])
    assert (found["mean"], found["q50"], found["sd"]) == (pytest.approx(10 / 3), 3, pytest.approx(2.0548, abs=1e-4))
    assert [found["histogram"][last] for last in (5, 10, 15)] == [2 / 3, 1 / 3, 0] and found["short"] == 2 / 3
    assert prose.type_growth(["a", "b", "a"] * 500) == {1000: 2, 1500: 2}
    assert repeated([list("abcdabcd")], 4) == pytest.approx(1 / 5)  # abcd comes twice among five
    assert repeated([list("abcd"), list("abcd")], 4) == 0.5  # and none runs over the end of a text
    assert prose.dialogue(made(('"Come here," he said.', '"No."'))) == 3 / 5
    assert prose.dialogue(made(('"Never closed',), ("he said so.",))) == 2 / 5, "a paragraph closes what is open"


def test_numbers_are_counted_by_their_digits_and_held_to_limits() -> None:
    """Ours 17.5: novels without digits, or with nothing but long ones, are outside what the page says."""
    text = " ".join(["word"] * 989 + ["On 3 May, 1823, 12 of 4,500 notes, 86105 and 7466688."])
    found = prose.numbers(made((text,)))
    assert found == {"all": 60.0, "short": 20.0, "middle": 20.0, "long": 20.0}
    rules = CleaningParams()
    novels = [books.book(Document(f"n{i}", "", "test", write_novel(1, i, words=30_000).text), rules) for i in range(4)]
    each = {book.name: {"numbers": prose.numbers(book)} for book in novels}
    assert outside(each) == []
    none = {name: {"numbers": dict.fromkeys(figures["numbers"], 0.0)} for name, figures in each.items()}
    assert len(outside(none)) == 4
