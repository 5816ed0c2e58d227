"""GPU rows of `haymaker dev bench retrieval`: the encoder with a model of gte-large's shape, exact search, 36 M projected.

Weights and vectors are random (no download), since speed does not depend on them. Search times are compared with the
time that the device needs to read all vectors once, and that the bus needs to bring them.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.stores.passages.cost import PIECES, Shape, peak_flops
from devtools.bench.retrieval_work import salad
from haymaker.core.progress import duration, say

if TYPE_CHECKING:
    import torch

    from corpora.retrieval.on_device import OnDevice
    from corpora.retrieval.vectors import Halves

_PASSAGES = 36_000_000
_MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Shape of the model and amount of work.

    Attributes:
        layers, hidden, heads, inner: of the model.
        passages: number of texts to embed, about as long as passages of Wikipedia.
        vectors, queries, k: of the search.
    """

    layers: int = 24
    hidden: int = 1024
    heads: int = 16
    inner: int = 4096
    passages: int = 8192
    vectors: int = 2_000_000
    queries: int = 128
    k: int = 10_000


def measure(sizes: Sizes = Sizes(), device: str = "cuda:0") -> dict[str, Any]:
    """Measure the rates of a device, and project them to 36 M passages."""
    name = _name(device)
    rates = _embedding_rates(sizes, device)
    search = _search_times(sizes, device)
    best = max(rates.values())
    return {
        "device": name,
        "passages_per_s": rates,
        "peak_share": {how: _share(sizes, rate, name) for how, rate in rates.items()},
        "search": search,
        "projected": {
            "passages": _PASSAGES,
            "embed_hours": _PASSAGES / best / 3600,
            "vectors_gb": _PASSAGES * sizes.hidden * 2 / 1e9,
            "search_s_per_1000_queries": search["resident_s"] / sizes.queries * 1000 * _PASSAGES / sizes.vectors,
        },
    }


def _name(device: str) -> str:
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def _share(sizes: Sizes, rate: float, name: str) -> float | None:
    """Return the share of the card's peak that goes into real word pieces; None for an unknown card."""
    peak = peak_flops(name)
    return rate * Shape(sizes.layers, sizes.hidden, sizes.inner, gated=True).flops() / peak if peak else None


# --------------------------------------------------------------------------------------------------------- embedding


def _embedding_rates(sizes: Sizes, device: str) -> dict[str, float]:
    """Return passages per second of the Encoder, as it is and compiled."""
    from corpora.retrieval.encoder import Encoder
    from corpora.retrieval.models import DenseParams

    texts = [salad("embedded", i, least=PIECES // 2, most=PIECES * 3 // 2) for i in range(sizes.passages)]
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder), sizes, texts)
        for how in ("eager", "compiled"):
            say(f"  {device}: embedding, {how}")
            given = {"model": folder, "dimensions": sizes.hidden, "batch": 256, "compute": "float16"}
            encoder = Encoder(DenseParams(**given, compile=how == "compiled"), device)
            rates[how] = len(texts) / _seconds(lambda encoder=encoder: encoder.passages(texts), 2)  # type: ignore[misc]
    return rates


def write_model(folder: Path, sizes: Sizes, texts: list[str]) -> None:
    """Write a sentence encoder of random weights; each word of the texts is one word piece."""
    import torch
    from transformers import AutoConfig, AutoModel, BertTokenizerFast  # type: ignore[attr-defined]
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    vocabulary = [*_MARKS, *sorted({word for text in texts for word in text.split()})]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    config = AutoConfig.for_model(
        "gte", vocab_size=len(vocabulary), hidden_size=sizes.hidden, num_hidden_layers=sizes.layers, pad_token_id=0,
        num_attention_heads=sizes.heads, intermediate_size=sizes.inner,
    )  # fmt: skip
    torch.manual_seed(1)
    model: Any = AutoModel.from_config(config, dtype=torch.float16)  # type: ignore[no-untyped-call]
    model.save_pretrained(folder)
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 512, "do_lower_case": false}')
    (folder / "1_Pooling").mkdir()
    pooling = {
        "word_embedding_dimension": sizes.hidden,
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
    }
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))


# ------------------------------------------------------------------------------------------------------------ search


class Noise:
    """Random unit vectors in main memory, as `Vectors` gives them: a block that repeats."""

    def __init__(self, count: int, dimensions: int) -> None:
        import torch

        self._count, self.dimensions = count, dimensions
        drawn = torch.randn(min(count, 100_000), dimensions, generator=torch.Generator().manual_seed(0))
        self._block = torch.nn.functional.normalize(drawn, dim=1).half().numpy()

    def __len__(self) -> int:
        return self._count

    def copy_to(self, first: int, out: Halves) -> None:
        """See Vectors."""
        done = 0
        while done < len(out):
            at = (first + done) % len(self._block)
            piece = self._block[at : at + len(out) - done]
            out[done : done + len(piece)] = piece
            done += len(piece)


def _search_times(sizes: Sizes, device: str) -> dict[str, float]:
    """Return the seconds of all queries together, with vectors that stay on the device and streamed ones, and the floors."""
    from corpora.retrieval.on_device import OnDevice

    say(f"  {device}: exact search of {sizes.vectors:,} x {sizes.hidden}")
    noise: Any = Noise(sizes.vectors, sizes.hidden)
    size = 2 * sizes.vectors * sizes.hidden
    resident, streamed = (OnDevice(noise, device, free_bytes=bytes_) for bytes_ in (2 * size, 0))
    return {
        "resident_s": _seconds(lambda: _search(sizes, resident, device), 3),
        "read_once_s": _read_seconds(resident),
        "streamed_s": _seconds(lambda: _search(sizes, streamed, device), 1),
        "bus_s": _seconds(lambda: [None for _ in streamed.blocks(1 << 17)], 1),
    }


def _search(sizes: Sizes, vectors: OnDevice, device: str) -> None:
    import numpy as np

    from corpora.retrieval.exact import exact_search, rows_at_once

    queries = np.empty((sizes.queries, sizes.hidden), np.float16)
    Noise(sizes.queries, sizes.hidden).copy_to(0, queries)
    for _ in exact_search(queries.astype(np.float32), vectors.blocks(rows_at_once(sizes.queries)), sizes.k, device):
        pass


def _read_seconds(resident: OnDevice) -> float:
    """Return the seconds to read all vectors once at the speed of a copy, which reads and writes."""
    blocks: list[torch.Tensor] = [block for _, block in resident.blocks(1 << 17)]
    copy = blocks[0].clone()
    return sum(_seconds(lambda block=block: copy[: len(block)].copy_(block), 3) for block in blocks) / 2  # type: ignore[misc]


def _seconds(function: Callable[[], object], times: int) -> float:
    """Return the mean seconds of a call, after a warm-up call."""
    import torch

    wait = torch.cuda.synchronize if torch.cuda.is_available() else (lambda: None)
    function()
    wait()
    begin = time.perf_counter()
    for _ in range(times):
        function()
    wait()
    return (time.perf_counter() - begin) / times


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Format the figures for printing."""
    search, projected = report["search"], report["projected"]
    for how, rate in report["passages_per_s"].items():
        share = report["peak_share"][how]
        of_peak = f", {share:.0%} of the card's peak" if share else ""
        yield f"{report['device']}: a model of gte-large's size, {how}, embeds {rate:,.0f} passages/s{of_peak}"
    yield (
        f"exact search: vectors on the device {search['resident_s'] * 1000:,.1f} ms, "
        f"{search['resident_s'] / search['read_once_s']:.1f} times one read of them; "
        f"streamed {search['streamed_s'] * 1000:,.0f} ms, {search['streamed_s'] / search['bus_s']:.1f} times the bus"
    )
    yield (
        f"projected for {projected['passages']:,} passages on one such GPU: embedding {duration(projected['embed_hours'] * 3600)}, "
        f"vectors {projected['vectors_gb']:,.0f} GB, 1,000 queries {duration(projected['search_s_per_1000_queries'])}"
    )
