"""What a retriever is: made from one text, it gives every piece of it a score for a query; and the order that follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from corpora.retrieval.lexical import BM25

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]


class Scorer(Protocol):
    """Scores pieces of the text that it was made from."""

    def scores(self, query: str, bounds: Ints) -> Floats:
        """One score per piece, higher is better, the same on every machine.

        Args:
            query: text.
            bounds: n + 1 ascending characters; piece i is text[bounds[i]:bounds[i + 1]] and cuts no word.
        """
        ...


SCORERS: dict[str, Callable[[str], Scorer]] = {"bm25": BM25}


def ranking(scores: Floats) -> Ints:
    """Piece numbers, best first; equal scores in the order of the text."""
    import numpy as np

    return np.argsort(-scores, kind="stable").astype(np.int64)
