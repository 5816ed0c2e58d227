"""FAISS for any k: flat indexes of at most a million vectors each.

faiss-gpu selects at most 2,048 neighbors; mining needs ten thousand. Each shard returns its best 2,048. If the last of
them can still be among the best k, the shard may contain better ones: it is divided and searched again until that is
impossible. All vectors that can be among the best k, given rounding errors, are scored again exactly
(corpora/retrieval/exact.py), so the result equals exact search.

flat-00000.faiss ...    faiss.IndexFlatIP of passages i * flat_shard ..., for `faiss.read_index`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.retrieval.exact import BLOCK_ROWS, margin, ranked
from corpora.retrieval.faiss_search import QUERIES, SELECTED, faiss_module, on_gpu, open_index
from corpora.retrieval.search import Hits
from haymaker.core.errors import CorpusError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.search import Floats, Ints
    from corpora.retrieval.vectors import Vectors

    Flags = npt.NDArray[np.bool_]

_PIECES = 4  # that a shard is divided into when it is searched again


def flat_name(number: int) -> str:
    """File name of a flat index."""
    return f"flat-{number:05d}.faiss"


def flat_ranges(vectors: int, shard: int) -> list[tuple[int, int]]:
    """First vector, and one past the last, of every flat index."""
    return [(first, min(first + shard, vectors)) for first in range(0, vectors, shard)]


def build_flat(vectors: Vectors, first: int, last: int, target: Path) -> None:
    """Write the flat index of some vectors; NaN or infinity is a CorpusError."""
    faiss_module().write_index(_index(vectors, first, last), str(target))


def _index(vectors: Vectors, first: int, last: int) -> Any:
    import numpy as np

    index = faiss_module().IndexFlatIP(vectors.dimensions)
    for at in range(first, last, BLOCK_ROWS):
        passages = np.arange(at, min(at + BLOCK_ROWS, last))
        block = vectors.take(passages)
        if not np.isfinite(block).all():
            bad = at + int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
            raise CorpusError(f"the vector of passage {bad} contains NaN or infinity", where=str(vectors.folder))
        index.add(block.astype(np.float32))
    return index


@dataclass
class _Found:
    """Results of some queries in one range of vectors.

    Attributes:
        first, last: the range.
        rows: numbers of the queries.
        scores, passages: (queries, found), best first; single precision.
    """

    first: int
    last: int
    rows: Ints
    scores: Floats
    passages: Ints

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing behind what was given."""
        return bool(self.scores.shape[1] == self.last - self.first)


class Flat:
    """The backend faiss_flat (see Finder).

    Args:
        vectors: unit length, with flat indexes in their folder.
        shard: vectors per flat index.
        device: "cpu", or a GPU, which requires faiss-gpu.
        selected: most neighbors per search.

    Attributes:
        again: number of searches repeated in a part of a shard so far.
    """

    def __init__(self, vectors: Vectors, shard: int, device: str, selected: int = SELECTED) -> None:
        self._faiss, self._vectors, self._selected = faiss_module(), vectors, selected
        self._shard, self.again = shard, 0
        self._resources = self._faiss.StandardGpuResources() if on_gpu(device) else None
        self._margin = margin(vectors.dimensions)
        self._part = lru_cache(maxsize=2)(self._of_part)

    def limit(self) -> tuple[int, str]:
        """See Finder: limited only by the corpus."""
        return len(self._vectors), "the number of passages in the corpus"

    def find(self, queries: Floats, k: int) -> Iterator[Hits]:
        """See Finder; a damaged index file is a CorpusError."""
        for first in range(0, len(queries), QUERIES):
            some = queries[first : first + QUERIES]
            for query, passages in zip(some, self._candidates(some, k), strict=True):
                yield ranked(query, passages, self._vectors.take(passages), k)

    def _candidates(self, queries: Floats, k: int) -> list[Ints]:
        """Per query the passages that might be among the best k."""
        import numpy as np

        every = np.arange(len(queries))
        found = [self._search(queries, every, *span) for span in flat_ranges(len(self._vectors), self._shard)]
        floors = self._floors(found, len(queries), k)
        hiding = [each for each in found if not each.is_whole]
        while hiding:
            done, parts = self._divided(queries, hiding.pop(), floors)
            found = [*(each for each in found if each is not done[0]), *done[1:], *parts]
            hiding += [part for part in parts if not part.is_whole]
            if parts:
                floors = self._floors(found, len(queries), k)
        return [self._near(found, row, floors[row]) for row in range(len(queries))]

    def _divided(self, queries: Floats, whole: _Found, floors: Floats) -> tuple[list[_Found], list[_Found]]:
        """Divide a range that may hide results: itself, the part that stays, and the results of its parts."""
        hides = whole.scores[:, -1] >= floors[whole.rows] - self._margin
        if not hides.any():
            return [whole, whole], []
        stays = _Found(whole.first, whole.last, whole.rows[~hides], whole.scores[~hides], whole.passages[~hides])
        rows, size = whole.rows[hides], -(-(whole.last - whole.first) // _PIECES)
        spans = [(at, min(at + size, whole.last)) for at in range(whole.first, whole.last, size)]
        self.again += len(rows) * len(spans)
        return [whole, stays], [self._search(queries, rows, *span) for span in spans]

    def _search(self, queries: Floats, rows: Ints, first: int, last: int) -> _Found:
        scores, passages = self._part(first, last).search(queries[rows], min(self._selected, last - first))
        return _Found(first, last, rows, scores, passages + first)

    def _of_part(self, first: int, last: int) -> Any:
        """The index of a shard from its file, or of a part of one from the vectors."""
        number, offset = divmod(first, self._shard)
        is_shard = not offset and last == min(first + self._shard, len(self._vectors))
        path = self._vectors.folder / flat_name(number)
        index = open_index(path) if is_shard else _index(self._vectors, first, last)
        return self._faiss.index_cpu_to_gpu(self._resources, 0, index) if self._resources else index

    def _floors(self, found: list[_Found], queries: int, k: int) -> Floats:
        """Return the k-th best score so far per query; scores below it by more than the margin are excluded."""
        import numpy as np

        floors = np.full(queries, -np.inf, np.float32)
        for row, scores in enumerate(_by_query(found, queries)):
            if len(scores) >= k:
                floors[row] = np.partition(scores, len(scores) - k)[len(scores) - k]
        return floors

    def _near(self, found: list[_Found], row: int, floor: float) -> Ints:
        import numpy as np

        kept = []
        for each in found:
            for at in np.flatnonzero(each.rows == row):
                kept.append(each.passages[at][each.scores[at] >= floor - self._margin])
        return np.sort(np.concatenate(kept)).astype(np.int64)


def _by_query(found: list[_Found], queries: int) -> Iterator[Floats]:
    """All scores that each query got."""
    import numpy as np

    scores: list[list[Floats]] = [[] for _ in range(queries)]
    for each in found:
        for at, row in enumerate(each.rows.tolist()):
            scores[row].append(each.scores[at])
    for pieces in scores:
        yield np.concatenate(pieces)
