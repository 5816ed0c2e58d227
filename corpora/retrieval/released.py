"""The retriever without search: distractors are the passages that the publisher of a question shows, in its order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpora.retrieval.search import Hits
from corpora.stores.passages.store import Passages

if TYPE_CHECKING:
    from corpora.retrieval.search import Floats, Ints


class Released:
    """Finds nothing of its own (see Searcher)."""

    def __init__(self, store: Passages) -> None:
        self._store = store

    @property
    def fingerprint(self) -> dict[str, object]:
        """See Searcher."""
        return {"retriever": "released", "store": self._store.digest}

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """No hits for every query."""
        import numpy as np

        return (Hits(np.zeros(0, np.int64), np.zeros(0, np.float32)) for _ in queries)

    def scores(self, query: str, passages: Ints) -> Floats:
        """See Searcher; all 0."""
        import numpy as np

        return np.zeros(len(passages), np.float32)
