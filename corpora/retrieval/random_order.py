"""The retriever that knows nothing: a keyed draw per query. What retrieval adds is measured against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from corpora.retrieval.limits import within
from corpora.retrieval.search import Hits
from corpora.stores.passages.store import Passages
from haymaker.core.rng import Stream

if TYPE_CHECKING:
    from corpora.retrieval.search import Floats, Ints


class Random:
    """Passages in an order that the query's text alone decides; every score is 0."""

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
