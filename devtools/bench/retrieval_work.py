"""Data for `haymaker dev bench retrieval` (random words and vectors), and memory measurement of a process.

Words have Zipf frequencies and vectors are uniform: speed depends on word frequencies and vector shape, not on meaning.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.retrieval.bm25_index import Lexical, LexicalParams, build_lexical
from corpora.retrieval.search import Hits
from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams, Passages
from devtools.bench.yardsticks import in_new_process, status_mb
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Passage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Halves = npt.NDArray[np.float16]

DIMENSIONS = 384
QUERIES = 64
K = 100
_VOCABULARY = 300_000
_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
_ROWS = 4096  # vectors generated at once


def salad(*key: str | int, least: int = 60, most: int = 100) -> str:
    """Return a text of meaningless words; the word of rank r has a frequency of about 1 / r."""
    stream = Stream("bench", *key)
    ranks = (int(_VOCABULARY ** stream.unit()) for _ in range(stream.between(least, most)))
    return " ".join(map(_word, ranks))


def _word(rank: int) -> str:
    parts = []
    while rank:
        rank, digit = divmod(rank, len(_SYLLABLES))
        parts.append(_SYLLABLES[digit])
    return "".join(parts)


def store_of(folder: Path, count: int) -> Passages:
    """Build a store of random passages, without token counts."""
    passages = (Passage(f"{i}", "", "", "", salad("passage", i)) for i in range(count))
    build_store(passages, folder, PassageParams(source="salad", duplicates=True), [], {})
    return Passages(folder)


def questions(count: int) -> list[str]:
    """Return queries of 6 to 12 words with the word frequencies of the passages."""
    return [salad("question", i, least=6, most=12) for i in range(count)]


def write_noise(path: Path, rows: int) -> None:
    """Write unit vectors in fp16."""
    import numpy as np

    with path.open("wb") as file:
        for first in range(0, rows, _ROWS):
            stream, count = Stream("bench", "vectors", first), min(_ROWS, rows - first)
            noise = np.array([stream.word() for _ in range(count * DIMENSIONS // 8)], "<u8")
            table = noise.view("i1").reshape(count, DIMENSIONS) + np.float32(0.5)
            file.write((table / np.linalg.norm(table, axis=1, keepdims=True)).astype("<f2").tobytes())


def open_vectors(path: Path) -> Halves:
    """Open a file of write_noise, memory-mapped with copy on write: (rows, DIMENSIONS)."""
    import numpy as np

    return np.memmap(path, "<f2", "c").reshape(-1, DIMENSIONS)


def search_vectors(path: Path, queries: Floats, k: int) -> list[Hits]:
    """Search a file of vectors exactly, in a streaming way."""
    from corpora.retrieval.exact import BLOCK_ROWS, exact_search

    vectors = open_vectors(path)
    blocks = ((first, vectors[first : first + BLOCK_ROWS]) for first in range(0, len(vectors), BLOCK_ROWS))
    return list(exact_search(queries, blocks, k))


def lexical_work(folder: Path) -> None:
    """Build and search a lexical index of a store."""
    store = Passages(folder)
    build_lexical(store, folder.with_name("again"), LexicalParams())
    for _ in Lexical(folder.with_name("again"), store).search(questions(QUERIES), min(K, len(store))):
        pass


def exact_work(path: Path) -> None:
    """Search a file of vectors."""
    import numpy as np

    search_vectors(path, open_vectors(path)[:QUERIES].astype(np.float32), K)


def peak_memory(work: Callable[[Path], None], path: Path) -> dict[str, int]:
    """Return the peak memory in MB of a new process that calls `work`."""
    return in_new_process(_watched, work, path)


def _watched(work: Callable[[Path], None], path: Path) -> dict[str, int]:
    """Call `work` and sample memory every 10 ms: own memory, and the total with (reclaimable) mapped files."""
    seen, done = [status_mb("RssAnon")], threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            seen.append(status_mb("RssAnon"))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        work(path)
    finally:
        done.set()
        watcher.join()
    return {"own_mb": max(seen), "with_mapped_files_mb": status_mb("VmHWM")}
