"""Cost estimates of a corpus of passages: bytes, memory and time, from measured rates (docs/reference/retrieval.md).

Rates are for one shared core of an AMD EPYC, English Wikipedia in blocks of 100 tokens, counted with tekken.
"""

from __future__ import annotations

from dataclasses import dataclass

CUT_PER_S = 6_000  # passages: cleaned, cut into blocks, screened, hashed, counted, written
MERGE_PER_S = 400_000  # by one process, when all batches are done
LEXICAL_PER_S = 18_000
CORE_FLOPS = 64e9  # a second: all-MiniLM-L6-v2 made 22 vectors of 130 word pieces a second on a core
PIECES = 130  # word pieces of a passage of 100 tokens
UTILISATION = (
    0.17  # of the peak that a card's maker states, in half precision: measured on an H100 (docs/reference/speed.md)
)
CARDS = {"T4": 65e12, "A100": 312e12, "H100": 989e12, "H200": 989e12}
"""Floating-point operations a second at its peak, dense, in half precision, as the maker states them."""
STORE_BYTES = 602  # of a passage, the lookups' 48 included
BATCH_BYTES = 594  # of a passage in data/work until the store is merged
LEXICAL_BYTES = 291
NUMBER_BYTES = 2  # of a vector: fp16
WORKER_BYTES = 250_000_000  # each process: libraries, a tokenizer, a batch
MERGE_BYTES = 400_000_000  # on top of that, while hashes are sorted


def peak_flops(name: str) -> float | None:
    """Return the floating-point operations a second of a card at its peak, by its full name; None for an unknown card."""
    return next((value for card, value in CARDS.items() if card in name), None)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Costs of one corpus; all are at most linear in the number of passages.

    Attributes:
        store_bytes, lexical_bytes, dense_bytes: disk space.
        work_bytes: temporary disk space until the store is merged.
        memory_bytes: of the merging process, without mapped files; a worker needs WORKER_BYTES.
        cut_seconds, lexical_seconds, dense_seconds: of one core; divided by the workers.
        merge_seconds: of one core, for any number of workers.
        dense_flops: floating-point operations of its vectors.
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
    dense_flops: float


@dataclass(frozen=True, slots=True)
class Shape:
    """Size of an encoder: layers, hidden size, inner size; `gated`: three inner matrices instead of two."""

    layers: int
    hidden: int
    inner: int
    gated: bool = False

    def flops(self, pieces: int = PIECES) -> float:
        """Floating-point operations for so many word pieces: two per weight of its matrices, and attention."""
        weights = 4 * self.hidden**2 + (3 if self.gated else 2) * self.hidden * self.inner
        return float(self.layers * pieces * (2 * weights + 4 * pieces * self.hidden))


SHAPES = {"minilm": Shape(6, 384, 1536), "Alibaba-NLP/gte-large-en-v1.5": Shape(24, 1024, 4096, gated=True)}


def shape_of(model: str, dimensions: int) -> Shape:
    """Return the size of a known model, else a typical size for so many dimensions."""
    return SHAPES.get(model) or Shape(
        6 if dimensions < 700 else 12 if dimensions < 1000 else 24, dimensions, 4 * dimensions
    )


def estimate(passages: int, dense_dimensions: int | None, *, model: str = "minilm", flat: bool = False) -> Estimate:
    """Return the costs of a store and its indexes; `flat`: with flat FAISS indexes (fp32) besides the vectors."""
    flops = passages * shape_of(model, dense_dimensions).flops() if dense_dimensions else 0.0
    return Estimate(
        store_bytes=passages * STORE_BYTES,
        lexical_bytes=passages * LEXICAL_BYTES,
        dense_bytes=passages * NUMBER_BYTES * (3 if flat else 1) * (dense_dimensions or 0),
        work_bytes=passages * BATCH_BYTES,
        memory_bytes=WORKER_BYTES + MERGE_BYTES,
        cut_seconds=passages / CUT_PER_S,
        merge_seconds=passages / MERGE_PER_S,
        lexical_seconds=passages / LEXICAL_PER_S,
        dense_seconds=flops / CORE_FLOPS,
        dense_flops=flops,
    )
