"""The search step: ranked passages per question, and the scores that filter and figures need, as one Arrow table.

    passages, scores            the search result, best first
    gold_scores                 of the gold that was known before the search
    lexical, lexical_scores     the best few of a plain BM25 search, where the corpus has such an index
    random, random_scores       a few passages drawn by the question

All scores are the retriever's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.retrieval.mining.locate import Located
from corpora.retrieval.search import Searcher

if TYPE_CHECKING:
    import pyarrow as pa

    from corpora.retrieval.search import Floats, Ints

SHARD_QUESTIONS = 128  # searched in one go: a dense search reads all vectors once for them
YARDSTICK_HITS = 10  # per question and yardstick


def search(
    questions: Sequence[Located], searcher: Searcher, yardsticks: Mapping[str, Searcher], depth: int, size: int
) -> Iterator[dict[str, Any]]:
    """Yield one row of the table per question, in order.

    Args:
        questions: with their gold, if known.
        searcher: the retriever.
        yardsticks: name -> retriever to compare with.
        depth: passages per question.
        size: passages in the corpus.
    """
    texts = [each.question.text for each in questions]
    others = [list(yardstick.search(texts, min(YARDSTICK_HITS, size))) for yardstick in yardsticks.values()]
    for i, (each, hits) in enumerate(zip(questions, searcher.search(texts, depth), strict=True)):
        compared = [found[i].passages for found in others]
        gold, *scores = _scores(searcher, each, compared)
        row = {"passages": hits.passages, "scores": hits.scores, "gold_scores": gold}
        for name, passages, values in zip(yardsticks, compared, scores, strict=True):
            row |= {name: passages, f"{name}_scores": values}
        yield row


def _scores(searcher: Searcher, located: Located, compared: Sequence[Ints]) -> list[Floats]:
    """Return scores of gold and lists in one call, since a dense searcher embeds the question at every call."""
    import numpy as np

    lists = [np.array([gold.passage for gold in located.gold], np.int64), *compared]
    every = np.concatenate(lists)
    scores = searcher.scores(located.question.text, every) if len(every) else np.zeros(0, np.float32)
    return np.split(scores, np.cumsum([len(each) for each in lists])[:-1])


def write_hits(rows: Iterator[dict[str, Any]], path: Path) -> int:
    """Write the rows of `search`, one record batch per question, and return their number."""
    import pyarrow as pa

    count, writer = 0, None
    with pa.OSFile(str(path), "wb") as file:
        for row in rows:
            batch = _batch(row)
            writer = writer or pa.ipc.new_file(file, batch.schema)
            writer.write_batch(batch)
            count += 1
        if writer:
            writer.close()
    return count


def _batch(row: dict[str, Any]) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = {
        name: pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values))
        for name, values in row.items()
    }
    return pa.record_batch(arrays)


def read_hits(path: Path, questions: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Rows of some questions (numbers within the file), as NumPy arrays."""
    import pyarrow as pa

    with closing(pa.memory_map(str(path))) as file:
        reader = pa.ipc.open_file(file)
        for number in questions:
            batch = reader.get_batch(number)
            yield {name: batch[name].flatten().to_numpy(zero_copy_only=False) for name in batch.schema.names}
