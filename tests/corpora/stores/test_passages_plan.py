"""What a corpus costs: proportional, and near to what a real store has."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.stores.passages.build import build_store
from corpora.stores.passages.cost import BATCH_BYTES, CORE_FLOPS, PIECES, STORE_BYTES, estimate
from corpora.stores.passages.store import PassageParams
from corpora.tokenizers import tokenizer
from haymaker.core.rows.source_records import Passage


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


@pytest.mark.real
def test_a_real_store_is_near_the_estimate(tmp_path: Path, mirror: Path) -> None:
    import csv
    import gzip

    with gzip.open(mirror / "wiki/psgs_w100.slice.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if len(row[1].split()) == 100][:4000]
    passages = [Passage(number, "", title, "", text) for number, text, title in rows]
    meta = build_store(passages, tmp_path / "store", PassageParams(source="x"), [tokenizer.load("tekken")], {})
    found = sum(facts["bytes"] for facts in meta["files"].values()) / meta["totals"]["passages"]
    assert pytest.approx(found, rel=0.3) == STORE_BYTES
