"""BM25 over pieces of one text: scores, order of ties; in Chinese the words are characters and pairs of neighbours; chunks of whole words."""

from __future__ import annotations

import math
import re
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.chunks import Chunker
from corpora.retrieval.lexical import BM25, K1, B, ranking
from corpora.tokenizers.tokenizer import load
from generators.pages.words import Words
from haymaker.core.text.strings import terms


def bounds_of(pieces: list[str]) -> Any:
    return np.cumsum([0, *map(len, pieces)])


def expected_scores(pieces: list[str], query: str) -> list[float]:
    """Lucene's BM25, word by word."""
    texts = [[word.lower() for word in re.findall(r"\w+", piece)] for piece in pieces]
    mean = sum(map(len, texts)) / len(texts)
    scores = [0.0] * len(texts)
    for word in re.findall(r"\w+", query.lower()):
        df = sum(word in text for text in texts)
        for i, text in enumerate(texts):
            tf = text.count(word)
            idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            scores[i] += idf * tf / (tf + K1 * (1 - B + B * len(text) / mean))
    return scores


WORDS = [
    "Mary", "mary", "MARY", "went", "to", "the", "The", "kitchen.", "“Mary—the", "Mary's", "élan", "Élan", "x_1", "—",
    "Straße",
]  # fmt: skip


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), min_size=1, max_size=12),
    st.lists(st.sampled_from([*WORDS, "nobody"]), min_size=1, max_size=5),
)
def test_scores_and_order_are_those_of_the_formula(sentences: list[list[str]], asked: list[str]) -> None:
    pieces = [" " + " ".join(words) for words in sentences]
    if not any(re.search(r"\w", piece) for piece in pieces):
        return  # the mean length is 0
    scores = BM25("".join(pieces)).scores(" ".join(asked), bounds_of(pieces))
    expected = expected_scores(pieces, " ".join(asked))
    assert scores == pytest.approx(expected, abs=1e-8)
    assert ranking(scores).tolist() == sorted(range(len(pieces)), key=lambda i: (-round(expected[i], 9), i))


def test_words_that_add_up_in_another_order_are_a_tie_too() -> None:
    """Three words of one weight: (a + b) + c and a + (b + c) may differ in the last digit."""
    pieces = [" a b c z.", " b c d z.", " a c d z.", " d a b z.", " q q q q."]
    scores = BM25("".join(pieces)).scores("d a c b", bounds_of(pieces))
    assert ranking(scores).tolist() == [0, 1, 2, 3, 4]


def test_chunks_hold_as_many_whole_words_as_fit() -> None:
    tokenizer = load("tekken")
    units = [f" The {'very ' * (i % 7)}old miller of Ferngate counted {i * 37} lanterns, didn't he?" for i in range(60)]
    long = " " + "x1" * 40  # one word of more tokens than a chunk
    units.insert(31, long)
    text, counts = "".join(units), tokenizer.count_units(units)
    bounds = Chunker(tokenizer, 40).bounds(text, bounds_of(units).tolist(), np.cumsum([0, *counts]).tolist())
    chunks = [text[a:b] for a, b in pairwise(bounds)]
    assert "".join(chunks) == text
    assert long in chunks and tokenizer.count_part(long) > 40
    for chunk, after in pairwise(chunks):
        word = re.match(r" \S+", after)
        assert chunk[0] == " " and word
        if chunk != long:
            assert tokenizer.count_part(chunk) <= 40 < tokenizer.count_part(chunk + word[0])


PIECE = st.lists(
    st.text("中文人工智能カナ", min_size=1, max_size=9) | st.sampled_from(["cat", "7", "x_y"]), min_size=1, max_size=6
)


def of_lines(pieces: list[str], query: str) -> list[float]:
    texts = [f"{piece}\n" for piece in pieces]
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64)
    return BM25("".join(texts)).scores(query, bounds).tolist()


@given(st.lists(PIECE, min_size=2, max_size=6), PIECE)
def test_scores_are_those_of_an_index_of_characters_and_pairs(pieces: list[list[str]], query: list[str]) -> None:
    texts, asked = [", ".join(piece) for piece in pieces], ", ".join(query)

    def apart(text: str) -> list[str]:
        """Pairs within a run alone; "x_y" is one word, as a run of letters and underscores."""
        return [term for run in text.split(", ") for term in ([run] if run.isascii() else terms(run))]

    expected = Words.of(texts, apart).scores(asked)
    assert np.allclose(of_lines(texts, asked), expected, atol=1e-8)
