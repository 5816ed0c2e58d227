"""Interface of a search: queries in, ranked passage numbers out; and the retrievers without an index.

Passages are numbered as in the store (corpora/stores/passages/store.py). Better scores come first, equal scores by
passage number; a backend rounds its scores before it ranks, so that rounding differences between machines break no tie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from haymaker.core.errors import CorpusError
from haymaker.core.rng import Stream

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.stores.passages.store import Passages

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hits:
    """The best passages for one query: different numbers, best first, and float32 scores, never rising."""

    passages: Ints
    scores: Floats


class Searcher(Protocol):
    """Finds passages of one store."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that determines ranks, as JSON: backend, its settings, model and revision, digest of the store."""
        ...

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """Return one result of at most `k` passages per query, in order; too large a k raises CorpusError."""
        ...

    def scores(self, query: str, passages: Ints) -> Floats:
        """Return scores of passages for a query, on the scale of `search`; 0 if they share no term in a lexical index."""
        ...


def within(k: int, limit: int, *, of: str = "the number of passages in the corpus") -> None:
    """Check the number of requested passages."""
    if k < 1:
        raise CorpusError(f"{k} passages per query were requested", fix="request at least one")
    if k > limit:
        raise CorpusError(f"{k:,} passages per query were requested, more than {of}: {limit:,}", fix="request fewer")


class Random:
    """Passages in a random order that depends only on the text of the query, as a baseline; all scores are 0."""

    def __init__(self, store: Passages) -> None:
        self._store = store

    @property
    def fingerprint(self) -> dict[str, object]:
        """See Searcher."""
        return {"retriever": "random", "store": self._store.digest}

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """See Searcher; a longer result begins with the shorter one."""
        within(k, len(self._store))
        return (self._draw(query, k) for query in queries)

    def _draw(self, query: str, k: int) -> Hits:
        import numpy as np

        walk = Stream("random retriever", query).walk(len(self._store))
        return Hits(np.fromiter(islice(walk, k), np.int64, k), np.zeros(k, np.float32))

    def scores(self, query: str, passages: Ints) -> Floats:
        """See Searcher."""
        import numpy as np

        return np.zeros(len(passages), np.float32)


class Released(Random):
    """Finds nothing: distractors are the passages that the publisher of a question shows, in its order."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """See Searcher."""
        return {"retriever": "released", "store": self._store.digest}

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """Return no hits for every query."""
        return (self._draw(query, 0) for query in queries)
