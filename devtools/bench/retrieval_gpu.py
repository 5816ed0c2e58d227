"""GPU rows of `haymaker dev bench retrieval`: a model as large as gte-large, exact search of 10 M vectors, 36 M projected.

Weights and vectors are random (no download), since speed does not depend on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from haymaker.core.progress import duration, say

if TYPE_CHECKING:
    import torch

    from corpora.retrieval.vectors import Halves

_DIMENSIONS, _LAYERS, _HEADS, _FEED_FORWARD, _VOCABULARY = 1024, 24, 16, 4096, 30_522  # same as gte-large
_PIECES = 160  # approximate word pieces of a 100-word passage with its title
_BATCH = 256
_VECTORS, _BLOCK = 10_000_000, 500_000
_QUERIES, _K = 64, 10_000
_PASSAGES = 36_000_000


def measure() -> dict[str, Any]:
    """Measure the rates of the first GPU, and project them to 36 M passages."""
    import torch

    say("  GPU: embedding")
    per_second = _embedding_rate()
    torch.cuda.empty_cache()
    say(f"  GPU: exact search of {_VECTORS:,} x {_DIMENSIONS}")
    seconds = _search_seconds()
    return {
        "device": torch.cuda.get_device_name(0),
        "passages_per_s": per_second,
        "search_s": seconds,
        "search_memory_mb": round(torch.cuda.max_memory_allocated() / 2**20),
        "projected": {
            "passages": _PASSAGES,
            "embed_hours": _PASSAGES / per_second / 3600,
            "vectors_gb": _PASSAGES * _DIMENSIONS * 2 / 1e9,
            "search_s_per_1000_queries": seconds / _QUERIES * 1000 * _PASSAGES / _VECTORS,
        },
    }


def _embedding_rate() -> float:
    """Return passages per second, in fp16 with batches of equal length."""
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=_VOCABULARY,
        hidden_size=_DIMENSIONS,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        intermediate_size=_FEED_FORWARD,
    )
    model: torch.nn.Module = BertModel(config, add_pooling_layer=False)
    model = model.to("cuda", torch.float16).eval()
    pieces = (torch.arange(_BATCH * _PIECES, device="cuda") * 7919 % _VOCABULARY).reshape(_BATCH, _PIECES)

    def batch() -> None:
        torch.nn.functional.normalize(model(pieces).last_hidden_state[:, 0], dim=1).cpu()

    with torch.inference_mode():
        return _BATCH / _seconds(batch, 10)


def _search_seconds() -> float:
    """Return the seconds for all queries together; vectors are read from main memory in blocks, like from a file."""
    import torch

    from corpora.retrieval.exact import exact_search

    block = _spread(_BLOCK).half().cpu().numpy()
    queries = _spread(_QUERIES).cpu().numpy()

    def blocks() -> Iterator[tuple[int, Halves]]:
        for first in range(0, _VECTORS, _BLOCK):
            yield first, block

    torch.cuda.reset_peak_memory_stats()
    return _seconds(lambda: list(exact_search(queries, blocks(), _K, "cuda")), 1)


def _spread(rows: int) -> torch.Tensor:
    """Return random unit vectors, float32."""
    import torch

    noise = torch.Generator("cuda").manual_seed(0)  # not used in any file
    vectors: torch.Tensor = torch.randn(rows, _DIMENSIONS, device="cuda", generator=noise)
    return torch.nn.functional.normalize(vectors, dim=1)


def _seconds(function: Callable[[], object], times: int) -> float:
    """Return the mean seconds of a call, after a warm-up call."""
    import torch

    function()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(times):
        function()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / times


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Format the figures for printing."""
    projected = report["projected"]
    yield (
        f"{report['device']}: a model of gte-large's size embeds {report['passages_per_s']:,.0f} passages/s; exact search of "
        f"{_VECTORS:,} x {_DIMENSIONS} fp16, k = {_K:,}: {report['search_s'] / _QUERIES * 1000:,.1f} ms a query, "
        f"{report['search_memory_mb']:,} MB"
    )
    yield (
        f"projected for {projected['passages']:,} passages on one such GPU: embedding {duration(projected['embed_hours'] * 3600)}, "
        f"vectors {projected['vectors_gb']:,.0f} GB, 1,000 queries {duration(projected['search_s_per_1000_queries'])}"
    )
