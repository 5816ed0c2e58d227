"""The vectors of a store on a GPU: kept there if they fit, otherwise streamed through page-locked memory, in large blocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from corpora.retrieval.vectors import Vectors

_SHARE = 0.7  # of the free memory, for vectors that stay
_READERS = 4  # threads that read ahead, one block each: one thread alone is slower than the bus


class OnDevice:
    """Vectors as fp16 tensors on a device.

    Args:
        vectors: the stored vectors.
        device: "cuda:0", ...; "cpu" in tests.
        free_bytes: memory that may be used; None: the free memory of the device.
    """

    def __init__(self, vectors: Vectors, device: str, free_bytes: int | None = None) -> None:
        self._vectors, self._device = vectors, device
        self._free_bytes = free_bytes

    def blocks(self, rows: int) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield all vectors in order, `rows` at a time: number of the first one, and fp16 (n, dimensions)."""
        if self._stay is None:
            yield from self._streamed(rows)
        else:
            for first in range(0, len(self._stay), rows):
                yield first, self._stay[first : first + rows]

    @cached_property
    def _stay(self) -> torch.Tensor | None:
        """All vectors, or None if they do not fit."""
        import torch

        shape = (len(self._vectors), self._vectors.dimensions)
        free = torch.cuda.mem_get_info(self._device)[0] if self._free_bytes is None else self._free_bytes
        if 2 * shape[0] * shape[1] > _SHARE * free:
            return None
        whole = torch.empty(shape, dtype=torch.float16, device=self._device)
        for first, block in self._streamed(_rows_read(shape[1])):
            whole[first : first + len(block)] = block
        return whole

    def _streamed(self, rows: int) -> Iterator[tuple[int, torch.Tensor]]:
        spans = [(at, min(at + rows, len(self._vectors))) for at in range(0, len(self._vectors), rows)]
        with ThreadPoolExecutor(_READERS) as pool:
            ahead = deque(pool.submit(self._read, *span) for span in spans[:_READERS])
            for number, (first, _) in enumerate(spans):
                block = ahead.popleft().result()
                if number + _READERS < len(spans):
                    ahead.append(pool.submit(self._read, *spans[number + _READERS]))
                yield first, block.to(self._device, non_blocking=True)

    def _read(self, first: int, last: int) -> torch.Tensor:
        import torch

        shape = (last - first, self._vectors.dimensions)
        block = torch.empty(shape, dtype=torch.float16, pin_memory=self._device.startswith("cuda"))
        self._vectors.copy_to(first, block.numpy())
        return block


def _rows_read(dimensions: int) -> int:
    """Rows of a block of a quarter of a gigabyte."""
    return max(1, (1 << 27) // dimensions)
