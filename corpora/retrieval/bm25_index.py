"""BM25 over a passage store, memory-mapped: the scores of rank-bm25, thousands of times as fast.

The score of a passage d for a query is, over the terms t of the query (haymaker.core.text.strings.terms; repeated terms
count again),

    sum of  idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|))
    idf(t) = log(n - df + 0.5) - log(df + 0.5)

A term of non-positive idf (in half of the passages or more) adds nothing. That is rank-bm25's BM25Okapi with epsilon =
0, to the last bit. Scores are rounded to 1/4096 before passages are ranked; equal scores are ranked by number.

The index consists of independent shards of 65,536 passages (corpora/retrieval/bm25_shard.py), built in any order;
figures of the whole corpus (n, df, mean) are computed at search time. meta.json contains the inputs of the index, sizes
and checksums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from corpora.retrieval.bm25_shard import AGAIN, BLOCK, SHARD, Shard, ShardScores, build_shard, word_hash
from corpora.retrieval.search import Hits, within
from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError, EnvironmentProblem
from haymaker.core.files.disk import read_json, sha256_file, write_json
from haymaker.core.params import Section
from haymaker.core.text.strings import terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float32]
    Doubles = npt.NDArray[np.float64]

LEXICAL_VERSION = 2
_KEYS = ("version", "params", "store", "passages", "words", "shards", "files")
_STEPS = 4096  # scores are multiples of 1 / 4096, which float32 holds exactly up to 4096
_TOP = (1 << 31) - 1  # a key is (_TOP - score) << 32 | passage: the better, the smaller, and no two alike
_TEXTS = 4096  # texts held at a time
_QUERIES = 128  # searched together: shared terms are looked up once, and the pages of a shard are read once


class LexicalParams(Section):
    """A lexical index (params key `indexes.<corpus>.lexical`). The defaults are rank-bm25's.

    Attributes:
        k1: how soon further occurrences of a word stop counting.
        b: how much long passages are held back, 0 .. 1.
    """

    k1: Annotated[float, Field(ge=0, le=100)] = 1.5
    b: Annotated[float, Field(ge=0, le=1)] = 0.75


def shard_name(number: int) -> str:
    """File name of a shard."""
    return f"shard-{number:05d}.bm25"


def shard_count(passages: int) -> int:
    """Shards that a store of so many passages has."""
    return -(-passages // SHARD)


def index_shard(store: Passages, number: int, folder: Path) -> dict[str, int]:
    """Write one shard into `folder`; return value as in build_shard."""
    first, last = number * SHARD, min((number + 1) * SHARD, len(store))
    steps = range(first, last, _TEXTS)
    texts = (text for at in steps for text in store.search_texts(at, min(at + _TEXTS, last)))
    return build_shard(texts, folder / shard_name(number))


def finish(store: Passages, folder: Path, params: LexicalParams, shards: Sequence[dict[str, int]]) -> dict[str, Any]:
    """Write meta.json next to the shards; `shards` are the results of index_shard, in order."""
    total = sum(shard["words"] for shard in shards)
    if not total:
        raise CorpusError("no passage contains a word", where=str(store.folder), fix="check the source of this corpus")
    names = [shard_name(number) for number in range(len(shards))]
    meta = {
        "version": LEXICAL_VERSION,
        "params": params.model_dump(mode="json"),
        "store": store.digest,
        "passages": len(store),
        "words": total,
        "shards": list(shards),
        "files": {n: {"bytes": (folder / n).stat().st_size, "sha256": sha256_file(folder / n)} for n in names},
    }
    write_json(folder / "meta.json", meta)
    return meta


def build_lexical(store: Passages, folder: Path, params: LexicalParams) -> dict[str, Any]:
    """Build a whole index, one shard after another, and return the content of meta.json."""
    shards = [index_shard(store, number, folder) for number in range(shard_count(len(store)))]
    return finish(store, folder, params, shards)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Queries as numbers of terms, without terms that no passage contains or that have no weight.

    Attributes:
        queries: term numbers of each query, in its order.
        idf: of each term.
        spans: for each shard, begin and end of the postings of each term.
    """

    queries: list[list[int]]
    idf: list[float]
    spans: list[tuple[Ints, Ints]]


class Lexical:
    """A finished index, memory-mapped; a Searcher. Raises CorpusError if it is damaged or belongs to another store."""

    def __init__(self, folder: Path, store: Passages) -> None:
        self.folder = folder
        self.meta = _read_meta(folder / "meta.json", store)
        self._count = len(store)
        try:
            self._params = LexicalParams(**self.meta["params"])
            self._shards = [
                Shard(folder / shard_name(number), number * SHARD, facts)
                for number, facts in enumerate(self.meta["shards"])
            ]
            for shard in self._shards:
                shard.weigh(self._params.k1, self._params.b, self.meta["words"] / self._count)
        except (KeyError, TypeError, ValueError):
            raise CorpusError("is damaged", where=str(folder / "meta.json"), fix=AGAIN) from None

    def verify(self) -> None:
        """Compare the SHA-256 of every file with meta.json (about 1.5 GB per second)."""
        for name, facts in self.meta["files"].items():
            if sha256_file(self.folder / name) != facts["sha256"]:
                raise CorpusError("has changed since it was built", where=str(self.folder / name), fix=AGAIN)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that determines ranks."""
        return {
            "retriever": "lexical",
            "version": LEXICAL_VERSION,
            **self._params.model_dump(mode="json"),
            "store": self.meta["store"],
        }

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """Return one result per query, in order: the best `k` passages whose score is not 0."""
        within(k, self._count)
        return (hits for at in range(0, len(queries), _QUERIES) for hits in self._hits(queries[at : at + _QUERIES], k))

    def scores(self, query: str, passages: Ints) -> Floats:
        """Scores of given passages (numbers in the store, any order), as `search` gives them."""
        import numpy as np

        batch = self._batch([query])
        steps = np.zeros(len(passages), np.int64)
        for shard, spans in zip(self._shards, batch.spans, strict=True):
            here = (passages >= shard.first) & (passages < shard.first + shard.passages)
            if here.any():
                scores = ShardScores(shard, spans, batch.idf).of(batch.queries[0])
                steps[here] = _in_steps(scores[passages[here] - shard.first])
        return _from_steps(steps)

    def _hits(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        import numpy as np

        batch = self._batch(queries)
        best = [np.zeros(0, np.int64) for _ in queries]
        for shard, spans in zip(self._shards, batch.spans, strict=True):
            scores = ShardScores(shard, spans, batch.idf)
            for i, query in enumerate(batch.queries):
                if query:
                    best[i] = _best(best[i], scores.of(query), shard.first, k)
        for keys in best:
            keys.sort()
            yield Hits(keys & 0xFFFFFFFF, _from_steps(_TOP - (keys >> 32)))

    def _batch(self, queries: Sequence[str]) -> _Batch:
        import numpy as np

        hashed = [[word_hash(word) for word in terms(query)] for query in queries]
        known = sorted({word for query in hashed for word in query})
        hashes = np.array(known, np.uint64)
        spans = [shard.find(hashes) for shard in self._shards]
        df = sum((end - begin for begin, end in spans), np.zeros(len(known), np.int64)).tolist()
        idf = [math.log(self._count - n + 0.5) - math.log(n + 0.5) if n else 0.0 for n in df]
        number = {word: i for i, word in enumerate(known) if idf[i] > 0}
        return _Batch([[number[word] for word in query if word in number] for query in hashed], idf, spans)


def _read_meta(path: Path, store: Passages) -> dict[str, Any]:
    try:
        meta: dict[str, Any] = read_json(path, *_KEYS)
    except EnvironmentProblem as error:
        raise CorpusError(error.what, where=error.where, fix=AGAIN) from None
    if meta["version"] != LEXICAL_VERSION:
        raise CorpusError(
            f"has version {meta['version']}; this program reads version {LEXICAL_VERSION}", where=str(path), fix=AGAIN
        )
    if meta["store"] != store.digest:
        raise CorpusError("was built from a different version of the passages", where=str(path), fix=AGAIN)
    return meta


def rank_pool(query: str, texts: Sequence[str], params: LexicalParams | None = None) -> Floats:
    """Return scores of some hundred texts for a query, by rank-bm25."""
    import numpy as np
    from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]

    rules, pool = params or LexicalParams(), [terms(text) for text in texts]
    if not any(pool):
        return np.zeros(len(texts), np.float32)
    okapi = BM25Okapi(pool, k1=rules.k1, b=rules.b, epsilon=0)
    return _from_steps(_in_steps(okapi.get_scores(terms(query))))


def _in_steps(scores: Doubles) -> Ints:
    import numpy as np

    return np.rint(scores * _STEPS).astype(np.int64)


def _from_steps(steps: Ints) -> Floats:
    import numpy as np

    return (steps / _STEPS).astype(np.float32)


def _best(keys: Ints, scores: Doubles, first: int, k: int) -> Ints:
    """Return the k smallest of `keys` and of the keys of these scores, unordered.

    If k blocks have a best score of x or more, blocks with a lower best score are skipped.
    """
    import numpy as np

    blocks = scores.reshape(-1, BLOCK)
    tops = blocks.max(axis=1)
    least = (
        1 if len(keys) < k else _TOP - int(keys.max() >> 32) + 1
    )  # in steps; an equal score here has a higher number
    if k < len(tops):
        least = max(least, int(_in_steps(np.partition(tops, len(tops) - k)[len(tops) - k])))
    low = (least - 0.5) / _STEPS
    rows = np.flatnonzero(tops >= low)
    at = np.flatnonzero(blocks[rows] >= low)
    places = rows[at // BLOCK] * BLOCK + at % BLOCK
    steps = _in_steps(scores[places])
    keep = steps >= least
    keys = np.concatenate((keys, (_TOP - steps[keep]) << 32 | (places[keep] + first)))
    return keys if len(keys) <= k else np.partition(keys, k - 1)[:k]
