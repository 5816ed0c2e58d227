"""What a corpus of passages will cost: bytes, memory and time, from rates that were measured once (docs/reference/retrieval.md).

Rates are of one core of an AMD EPYC that others used too, English Wikipedia in blocks of 100 tokens, counted with tekken alone.
"""

from __future__ import annotations

from dataclasses import dataclass

CUT_PER_S = 6_000  # passages: cleaned, cut into blocks, screened, hashed, counted, written
MERGE_PER_S = 400_000  # by one process, when all batches are done
LEXICAL_PER_S = 18_000
DENSE_PER_S = 22  # all-MiniLM-L6-v2, 256 word pieces; a larger model is slower about in proportion to its parameters
STORE_BYTES = 602  # of a passage, the lookups' 48 included
BATCH_BYTES = 594  # of a passage in data/work until the store is merged
LEXICAL_BYTES = 291
NUMBER_BYTES = 2  # of a vector: fp16
WORKER_BYTES = 250_000_000  # each process: libraries, a tokenizer, a batch
MERGE_BYTES = 400_000_000  # on top of that, while hashes are sorted


@dataclass(frozen=True, slots=True)
class Estimate:
    """Costs of one corpus; no part grows faster than the number of passages.

    Attributes:
        store_bytes, lexical_bytes, dense_bytes: finished, on disk.
        work_bytes: further disk that is free again when the store is merged.
        memory_bytes: of the process that merges; a worker needs WORKER_BYTES. Mapped files are not counted.
        cut_seconds, lexical_seconds, dense_seconds: of one core; divided by the workers.
        merge_seconds: of one core, however many workers there are.
    """

    store_bytes: int
    lexical_bytes: int
    dense_bytes: int
    work_bytes: int
    memory_bytes: int
    cut_seconds: float
    merge_seconds: float
    lexical_seconds: float
    dense_seconds: float


def estimate(passages: int, dense_dimensions: int | None, *, dense_per_s: float = DENSE_PER_S) -> Estimate:
    """Costs of a store and its indexes.

    Args:
        passages: how many.
        dense_dimensions: of a vector; None for no vectors.
        dense_per_s: passages that one core, or one GPU, turns into vectors in a second.
    """
    return Estimate(
        store_bytes=passages * STORE_BYTES,
        lexical_bytes=passages * LEXICAL_BYTES,
        dense_bytes=passages * NUMBER_BYTES * (dense_dimensions or 0),
        work_bytes=passages * BATCH_BYTES,
        memory_bytes=WORKER_BYTES + MERGE_BYTES,
        cut_seconds=passages / CUT_PER_S,
        merge_seconds=passages / MERGE_PER_S,
        lexical_seconds=passages / LEXICAL_PER_S,
        dense_seconds=passages / dense_per_s if dense_dimensions else 0.0,
    )
