"""Exact search: all vectors, in blocks, on CPU or GPU; the same result for any block size, device and sharding.

The last digits of a matrix product in single precision (CPU) or half precision (GPU) depend on the shapes of the
matrices, so it only selects candidates. All vectors that can be among the best k, given the largest possible rounding error, are scored again in
double precision and rounded to 6 decimals, so that the order of the sum has no effect. Rank and tie rule are one
integer per candidate; larger is better, all differ:

    rounded score (millionths)  |  passage number, counted down
    23 bits                     |  40 bits

Memory: k numbers per query, up to a quarter more that wait to be merged, and one block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from corpora.retrieval.search import Hits
from haymaker.core.errors import CorpusError

if TYPE_CHECKING:
    import numpy as np
    import torch

    from corpora.retrieval.on_device import OnDevice
    from corpora.retrieval.search import Floats, Ints
    from corpora.retrieval.vectors import Halves, Vectors

BLOCK_ROWS = 16_384
_QUERIES = 1024  # at a time, and
_POOL = 1 << 25  # at most so many kept candidates of all of them
_PAIRS = 1 << 14  # query and passage, scored again at a time
_SCORES = 1 << 28  # query and passage, scored on a GPU at a time
_DENSE = 64  # above one pair in so many, the whole product of matrices is quicker (measured on one core: 65)
_DECIMALS = 6
_UNIT = 10**_DECIMALS
_OFFSET = 1 << 22  # scores are above -4
_NUMBER_BITS = 40
_LAST = (1 << _NUMBER_BITS) - 1
_EMPTY = -1


def rounding(dimensions: int, *, half: bool = False) -> float:
    """Return the largest difference between a score of a matrix product and the true score of two unit vectors.

    |fl(x . y) - x . y| <= n 2^-24 |x| |y| for any order of a sum in single precision; twice that for the squares of fp16
    lengths. `half`: the query rounded to fp16 adds 2^-11, and the score rounded to fp16 adds 2^-11; one percent more for
    the squares of lengths and for numbers below the normal range.
    """
    return dimensions / 2**23 + (1.01 * 2**-10 if half else 0.0)


def margin(dimensions: int, *, half: bool = False) -> float:
    """Return the largest difference of a score from the k-th best score at which it can still be among the best k."""
    return 2 * rounding(dimensions, half=half) + 10.0**-_DECIMALS


def rows_at_once(queries: int) -> int:
    """Return how many vectors are scored on a GPU at a time."""
    return max(BLOCK_ROWS, _SCORES // queries)


class Exact:
    """The backend that scores every vector (see Finder): `rows` at a time on the CPU, from memory or in large blocks on a GPU."""

    def __init__(self, vectors: Vectors, device: str = "cpu", rows: int = BLOCK_ROWS) -> None:
        self._vectors, self._device, self._rows = vectors, device, rows

    def limit(self) -> tuple[int, str]:
        """See Finder: limited only by the corpus."""
        return len(self._vectors), "the number of passages in the corpus"

    def find(self, queries: Floats, k: int) -> Iterator[Hits]:
        """See Finder; a vector with NaN or infinity is a CorpusError."""
        step = max(1, min(_QUERIES, _POOL // k))
        for first in range(0, len(queries), step):
            some = queries[first : first + step]
            yield from exact_search(some, self._blocks(len(some)), k, self._device)

    def _blocks(self, queries: int) -> Iterable[tuple[int, Halves | torch.Tensor]]:
        if self._device == "cpu":
            return self._vectors.blocks(self._rows)
        return self._on_device.blocks(rows_at_once(queries))

    @cached_property
    def _on_device(self) -> OnDevice:
        from corpora.retrieval.on_device import OnDevice

        return OnDevice(self._vectors, self._device)


def exact_search(
    queries: Floats,
    blocks: Iterable[tuple[int, Halves | torch.Tensor]],
    k: int,
    device: str = "cpu",
    *,
    half: bool | None = None,
) -> Iterator[Hits]:
    """Return the k best vectors for every query; ties by number.

    Args:
        queries: float32 (q, dimensions), unit length.
        blocks: number of the first vector, and fp16 (n, dimensions), unit length; on the device or not.
        k: at most the number of vectors.
        device: device of the computation.
        half: whether candidates are selected by a product in half precision; None: on a GPU. The result is the same.
    """
    import torch

    half = device != "cpu" if half is None else half
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False  # `rounding` counts on whole sums
    with torch.inference_mode():
        best = _Best(torch.from_numpy(queries).to(device), k, half=half)
        for first, block in blocks:
            best.add(first, torch.as_tensor(block, device=device))
        keys = best.keys().cpu().numpy()
    for row in keys:
        yield unpack(row)


class _Best:
    """The best candidates so far."""

    def __init__(self, queries: torch.Tensor, k: int, *, half: bool = False) -> None:
        import torch

        self._queries, self._doubles, self._k = queries.half() if half else queries, queries.double(), k
        self._pool = torch.full((len(queries), k), _EMPTY, dtype=torch.int64, device=queries.device)
        self._floor = torch.full((len(queries), 1), -torch.inf, device=queries.device)
        self._fresh: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._waiting = 0
        self._error, self._margin = rounding(queries.shape[1], half=half), margin(queries.shape[1], half=half)

    def add(self, first: int, block: torch.Tensor) -> None:
        """Look at vectors `first`, `first` + 1, ..."""
        import torch

        scores = self._queries @ block.to(self._queries.dtype).T
        if not bool(torch.isfinite(scores[0]).all()):
            bad = first + int(torch.isfinite(scores[0]).logical_not().nonzero()[0])
            raise CorpusError(
                f"the vector of passage {bad} contains NaN or infinity",
                fix="delete the index, then build it again with haymaker run",
            )
        rows, columns = self._candidates(scores).nonzero(as_tuple=True)
        if len(rows):
            self._fresh.append((rows, pack(self._exact(rows, columns, block), columns + first)))
            self._waiting += len(rows)
        if self._waiting > self._pool.numel() // 4:
            self._merge()

    def _candidates(self, scores: torch.Tensor) -> torch.Tensor:
        """What might be among the best: not below the floor, nor below what the block alone sets."""
        found = scores >= self._floor
        crowded = (found.sum(1) > self._k).nonzero()[:, 0]
        if len(crowded):
            here = scores[crowded]
            last = here.topk(self._k, dim=1, sorted=False).values.amin(1, keepdim=True)
            found[crowded] &= here >= last.float() - self._margin
        return found

    def _exact(self, rows: torch.Tensor, columns: torch.Tensor, block: torch.Tensor) -> torch.Tensor:
        """Scores in double precision."""
        import torch

        if len(rows) * _DENSE > len(self._doubles) * len(block):
            parts = (self._doubles @ part.double().T for part in block.split(BLOCK_ROWS))
            return torch.cat(list(parts), dim=1)[rows, columns]
        pairs = zip(torch.split(rows, _PAIRS), torch.split(columns, _PAIRS), strict=True)
        return torch.cat([torch.einsum("nd,nd->n", self._doubles[r], block[c].double()) for r, c in pairs])

    def _merge(self) -> None:
        """Take the waiting candidates into the pool and raise the floor."""
        import torch

        rows, keys = (torch.cat(parts) for parts in zip(*self._fresh, strict=True))
        self._fresh, self._waiting = [], 0
        rows, order = rows.sort(stable=True)
        counts = rows.bincount(minlength=len(self._pool))
        place = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
        wide = keys.new_full((len(self._pool), int(counts.max())), _EMPTY)
        wide[rows, place] = keys[order]
        self._pool = torch.cat([self._pool, wide], dim=1).topk(self._k, dim=1).values
        worst = self._pool[:, -1:]
        floor = _score(worst).float() - 1 / _UNIT - self._error
        self._floor = torch.where(worst == _EMPTY, -torch.inf, floor)

    def keys(self) -> torch.Tensor:
        """(q, k) packed ranks, best first."""
        if self._waiting:
            self._merge()
        return self._pool


def pack(scores: torch.Tensor, passages: torch.Tensor) -> torch.Tensor:
    """Rank and tie rule as one number: a larger score is better, then a smaller passage number."""
    import torch

    rounded = (scores * _UNIT).round().to(torch.int64) + _OFFSET
    keys: torch.Tensor = (rounded << _NUMBER_BITS) | (_LAST - passages)
    return keys


def _score(keys: torch.Tensor) -> torch.Tensor:
    scores: torch.Tensor = ((keys >> _NUMBER_BITS) - _OFFSET).double() / _UNIT
    return scores


def unpack(keys: Ints) -> Hits:
    """Passages and scores of packed ranks; empty places are left out."""
    import numpy as np

    keys = keys[keys != _EMPTY]
    scores = ((keys >> _NUMBER_BITS) - _OFFSET) / _UNIT
    return Hits(_LAST - (keys & _LAST), scores.astype(np.float32))


def ranked(query: Floats, passages: Ints, vectors: Halves, k: int) -> Hits:
    """Return the k best of some different passages, scored exactly from their fp16 vectors; ties by number."""
    import numpy as np
    import torch

    scores = torch.from_numpy(_dots(query, vectors))
    keys = pack(scores, torch.from_numpy(passages.astype(np.int64))).sort(descending=True).values
    return unpack(keys[:k].numpy())


def exact_scores(query: Floats, vectors: Halves) -> Floats:
    """Inner products of one query with some vectors, as `exact_search` gives them: float32, 6 decimals."""
    import numpy as np

    scores: Floats = (np.round(_dots(query, vectors) * _UNIT) / _UNIT).astype(np.float32)
    return scores


def _dots(query: Floats, vectors: Halves) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    import numpy as np

    steps = [
        vectors[at : at + _PAIRS].astype(np.float64) @ query.astype(np.float64) for at in range(0, len(vectors), _PAIRS)
    ]
    return np.concatenate(steps) if steps else np.zeros(0)
