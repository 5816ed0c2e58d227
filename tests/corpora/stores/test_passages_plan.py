"""What a corpus costs: proportional, and near to what a real store has."""

from __future__ import annotations

from corpora.stores.passages.cost import BATCH_BYTES, CORE_FLOPS, PIECES, estimate


def test_a_wikipedia() -> None:
    whole = estimate(36_000_000, 1024, model="Alibaba-NLP/gte-large-en-v1.5")
    assert (whole.store_bytes, whole.lexical_bytes, whole.dense_bytes) == (
        21_672_000_000,
        10_476_000_000,
        73_728_000_000,
    )
    assert whole.work_bytes == 36_000_000 * BATCH_BYTES
    assert (whole.cut_seconds, whole.merge_seconds) == (6000, 90)
    assert whole.lexical_seconds == 2000
    weights = 24 * (4 * 1024**2 + 3 * 1024 * 4096)  # four square matrices, three between, in each of 24 layers
    assert whole.dense_flops == 36_000_000 * PIECES * (2 * weights + 24 * 4 * PIECES * 1024)
    assert whole.dense_seconds == whole.dense_flops / CORE_FLOPS
    flat = estimate(36_000_000, 1024, model="Alibaba-NLP/gte-large-en-v1.5", flat=True)
    assert flat.dense_bytes == 3 * whole.dense_bytes  # fp16 for scores, fp32 for FAISS
