"""FAISS for any k: flat indexes of at most a million vectors each.

faiss-gpu selects at most 2,048 neighbors; mining needs ten thousand. Each index returns its best 2,048. If the last of
them can still be among the best k of a query, the index may contain better ones, and the query is searched again among
all vectors (corpora/retrieval/exact.py). All vectors that can be among the best k, given rounding errors, are scored
again exactly, so the result equals exact search.

flat-00000.faiss ...    faiss.IndexFlatIP of passages i * flat_shard ..., for `faiss.read_index`
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.retrieval.exact import BLOCK_ROWS, Exact, margin, ranked
from corpora.retrieval.faiss_search import QUERIES, SELECTED, faiss_module, on_gpu, open_index, to_gpu
from corpora.retrieval.search import Hits
from haymaker.core.errors import CorpusError

if TYPE_CHECKING:
    from corpora.retrieval.search import Floats, Ints
    from corpora.retrieval.vectors import Vectors


def flat_name(number: int) -> str:
    """File name of a flat index."""
    return f"flat-{number:05d}.faiss"


def flat_ranges(vectors: int, shard: int) -> list[tuple[int, int]]:
    """First vector, and one past the last, of every flat index."""
    return [(first, min(first + shard, vectors)) for first in range(0, vectors, shard)]


def build_flat(vectors: Vectors, first: int, last: int, target: Path) -> None:
    """Write the flat index of some vectors; NaN or infinity is a CorpusError."""
    import numpy as np

    index = faiss_module().IndexFlatIP(vectors.dimensions)
    for at in range(first, last, BLOCK_ROWS):
        passages = np.arange(at, min(at + BLOCK_ROWS, last))
        block = vectors.take(passages)
        if not np.isfinite(block).all():
            bad = at + int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
            raise CorpusError(f"the vector of passage {bad} contains NaN or infinity", where=str(vectors.folder))
        index.add(block.astype(np.float32))
    faiss_module().write_index(index, str(target))


class Flat:
    """The backend faiss_flat (see Finder).

    Args:
        vectors: unit length, with flat indexes in their folder.
        shard: vectors per flat index.
        device: "cpu", or a GPU, which requires faiss-gpu.
        selected: most neighbors per search.

    Attributes:
        again: number of queries that were searched again among all vectors so far.
    """

    def __init__(self, vectors: Vectors, shard: int, device: str, selected: int = SELECTED) -> None:
        self._vectors, self._selected, self._shard, self._device = vectors, selected, shard, device
        self._margin = margin(vectors.dimensions)
        self.again = 0

    def limit(self) -> tuple[int, str]:
        """See Finder: limited only by the corpus."""
        return len(self._vectors), "the number of passages in the corpus"

    @cached_property
    def _exact(self) -> Exact:
        return Exact(self._vectors, self._device)

    def find(self, queries: Floats, k: int) -> Iterator[Hits]:
        """See Finder; a damaged index file is a CorpusError."""
        for first in range(0, len(queries), QUERIES):
            some = queries[first : first + QUERIES]
            near = self._near(some, k)
            unsure = [row for row, passages in enumerate(near) if passages is None]
            self.again += len(unsure)
            searched = self._exact.find(some[unsure], k) if unsure else iter(())
            for query, passages in zip(some, near, strict=True):
                yield next(searched) if passages is None else ranked(query, passages, self._vectors.take(passages), k)

    def _near(self, queries: Floats, k: int) -> list[Ints | None]:
        """Per query the passages that might be among the best k; None if an index may have more of them than it returned."""
        import numpy as np

        scores, passages, whole = [], [], []
        for number, (first, last) in enumerate(flat_ranges(len(self._vectors), self._shard)):
            some, found = self._index(number).search(queries, min(self._selected, last - first))
            scores.append(some)
            passages.append(found + first)
            whole.append(some.shape[1] == last - first)
        near: list[Ints | None] = []
        for row in range(len(queries)):
            every = np.concatenate([some[row] for some in scores])
            best = np.partition(every, -k)[-k] if len(every) >= k else -np.inf
            hidden = any(
                not all_of_it and some[row, -1] >= best - self._margin
                for some, all_of_it in zip(scores, whole, strict=True)
            )
            numbers = np.concatenate([found[row] for found in passages])
            near.append(None if hidden else np.sort(numbers[every >= best - self._margin]).astype(np.int64))
        return near

    def _index(self, number: int) -> Any:
        index = open_index(self._vectors.folder / flat_name(number))
        return to_gpu(index) if on_gpu(self._device) else index
