"""Dense retrieval: inner products of the vector of a query with the vectors of all passages.

Vectors are computed once (corpora/retrieval/vectors.py) and stored as fp16. All backends score their candidates again
exactly from these vectors, so a passage has the same score with every backend.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from corpora.retrieval.models import DenseParams, best_device
from corpora.retrieval.search import Hits, within
from corpora.retrieval.vectors import Vectors
from corpora.stores.passages.store import Passages
from haymaker.core.params import parse

if TYPE_CHECKING:
    from corpora.retrieval.encoder import Encoder
    from corpora.retrieval.search import Floats, Ints

_REMEMBERED = 4096  # vectors of queries


class Finder(Protocol):
    """A backend: finds the vectors nearest to given ones."""

    def limit(self) -> tuple[int, str]:
        """The largest k that the backend can do, and what sets it."""
        ...

    def find(self, queries: Floats, k: int) -> Iterator[Hits]:
        """One result per row of `queries` (float32, unit length), best first, scored exactly."""
        ...


class Dense:
    """The dense retriever (see Searcher).

    Queries are embedded one at a time, so a vector does not depend on other queries.

    Args:
        folder: dense part of an index.
        store: the passages it was built from.
        device: "cpu", "cuda:0" ...; None: the first GPU, else the CPU.
    """

    def __init__(self, folder: Path, store: Passages, device: str | None = None) -> None:
        self.vectors = Vectors(folder, store)
        self.params = parse(DenseParams, self.vectors.meta["params"], where=str(folder / "meta.json"))
        self._given_device = device
        self._embedded = lru_cache(_REMEMBERED)(self._embed)  # search, then scores

    @cached_property
    def _device(self) -> str:
        return self._given_device or best_device()

    @cached_property
    def _finder(self) -> Finder:
        if self.params.backend == "exact":
            from corpora.retrieval.exact import Exact

            return Exact(self.vectors, self._device)
        if self.params.backend == "faiss_flat":
            from corpora.retrieval.faiss_flat import Flat

            return Flat(self.vectors, self.params.flat_shard, self._device)
        from corpora.retrieval.faiss_search import IvfPq

        return IvfPq(self.vectors, self.params.ivfpq, self._device)

    @property
    def again(self) -> int | None:
        """Second searches so far (see Flat); None where the backend needs none."""
        return getattr(self._finder, "again", None)

    @cached_property
    def _encoder(self) -> Encoder:
        from corpora.retrieval.encoder import Encoder

        encoder = Encoder(self.params, self._device)
        self.vectors.check_model(encoder.facts)
        return encoder

    def _embed(self, query: str) -> Floats:
        return self._encoder.query(query)

    @property
    def fingerprint(self) -> dict[str, object]:
        """See Searcher."""
        params = self.params.model_dump(mode="json", exclude={"shard_passages", "flat_shard"} | self._unused())
        meta = self.vectors.meta
        return {
            "retriever": "dense",
            **params,
            "model": meta["model"],
            "vectors": self.vectors.digest,
            "store": meta["store"],
        }

    def _unused(self) -> set[str]:
        return set() if self.params.backend == "faiss_ivfpq" else {"ivfpq"}

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """See Searcher; an approximate backend may find fewer than k."""
        limit, reason = self.limit()
        within(k, limit, of=reason)
        return self._search(queries, k)

    def limit(self) -> tuple[int, str]:
        """The largest k, and what sets it: the corpus, or the backend."""
        corpus = (len(self.vectors), "the number of passages in the corpus")
        return min(corpus, self._finder.limit(), key=lambda limit: limit[0])

    def _search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        import numpy as np

        if queries:
            yield from self._finder.find(np.stack([self._embedded(query) for query in queries]), k)

    def scores(self, query: str, passages: Ints) -> Floats:
        """See Searcher."""
        from corpora.retrieval.exact import exact_scores

        return exact_scores(self._embedded(query), self.vectors.take(passages))
