"""Reciprocal rank fusion: passages that two retrievers rank high (Cormack, Clarke and Buettcher 2009, k = 60).

    score(passage) = sum over retrievers of 1 / (60 + rank),   rank from 1

Both retrievers are searched to the same depth for any k, so a score does not depend on k; passages below that depth get
no gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpora.retrieval.search import Hits, Searcher, within

if TYPE_CHECKING:
    from corpora.retrieval.search import Floats, Ints

K0 = 60
DEPTH = 20_000
_DECIMALS = 9


class Hybrid:
    """Fuses two retrievers over one store, in any order; `depth` ranks of each count."""

    def __init__(self, first: Searcher, second: Searcher, depth: int) -> None:
        self._parts, self._depth = (first, second), depth
        self._last: tuple[str, Hits] | None = None

    @property
    def fingerprint(self) -> dict[str, object]:
        """See Searcher."""
        parts = [part.fingerprint for part in self._parts]
        return {"retriever": "hybrid", "k0": K0, "depth": self._depth, "parts": parts}

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """See Searcher; at most the depth of fusion."""
        within(k, self._depth, of="the depth of fusion")
        return (Hits(hits.passages[:k], hits.scores[:k]) for hits in self._fused(queries))

    def _fused(self, queries: Sequence[str]) -> Iterator[Hits]:
        lists = zip(*(part.search(queries, self._depth) for part in self._parts), strict=True)
        for query, both in zip(queries, lists, strict=True):
            hits = fuse([hits.passages for hits in both])
            self._last = (query, hits)
            yield hits

    def scores(self, query: str, passages: Ints) -> Floats:
        """See Searcher; costs a search unless the query was searched last."""
        import numpy as np

        if self._last is None or self._last[0] != query:
            next(self._fused([query]))
        assert self._last is not None
        hits = self._last[1]
        known = dict(zip(hits.passages.tolist(), hits.scores.tolist(), strict=True))
        return np.array([known.get(passage, 0.0) for passage in passages.tolist()], np.float32)


def fuse(rankings: Sequence[Ints]) -> Hits:
    """One ranking of several, each best first without repeats; equal scores by passage number."""
    import numpy as np

    every = np.concatenate([*rankings, np.zeros(0, np.int64)]).astype(np.int64)
    gains = np.concatenate([1.0 / (K0 + 1 + np.arange(len(ranking))) for ranking in rankings] or [np.zeros(0)])
    passages, which = np.unique(every, return_inverse=True)
    scores = np.zeros(len(passages))
    np.add.at(scores, which, gains)
    rounded = np.round(scores, _DECIMALS).astype(np.float32)
    order = np.lexsort((passages, -rounded))
    return Hits(passages[order], rounded[order])
