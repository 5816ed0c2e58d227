"""BM25 over pieces of one text, in Chinese: characters and pairs of neighbours are its words; no other text is counted otherwise."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.lexical import BM25
from generators.pages.words import Words
from haymaker.core.text.strings import terms

PIECE = st.lists(
    st.text("中文人工智能カナ", min_size=1, max_size=9) | st.sampled_from(["cat", "7", "x_y"]), min_size=1, max_size=6
)


def scores(pieces: list[str], query: str) -> list[float]:
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
    assert np.allclose(scores(texts, asked), expected, atol=1e-8)


def test_a_text_without_such_characters_has_runs_of_letters_alone() -> None:
    assert scores(["Größe x_y", "gross x"], "größe")[0] > 0 == scores(["Größe x_y", "gross x"], "größe")[1]
    assert scores(["x_y a", "x b"], "x") == [0.0, scores(["x_y a", "x b"], "x")[1]]
