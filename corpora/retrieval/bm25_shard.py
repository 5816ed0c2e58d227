"""One shard of a lexical index: which of at most 65,536 passages contain a term, and how often; memory-mapped.

A posting is four bytes: the number of the passage in the shard, and a code for the pair (words of the passage,
occurrences of the term); a shard has a few thousand pairs. A BM25 weight depends only on that pair, so a search looks
weights up in a small table, and k1, b and the mean length are not stored. Terms are identified by a 64-bit hash.
Sections of the file, little endian, in order:

    terms     u64, ascending             hash of each term
    starts    i64, one more              start of its postings
    pairs     u32, two columns           words of a passage, occurrences of the term
    codes     u16 (u32 above 65,536 pairs), one per posting
    passages  u16, one per posting, ascending within a term
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import written
from haymaker.core.text.strings import terms as terms_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Hashes = npt.NDArray[np.uint64]
    Floats = npt.NDArray[np.float64]

SHARD = 1 << 16  # passages: a number inside fits two bytes, and the scores of a query fit a processor's cache
BLOCK = 64  # scores are looked through in blocks: their array is a multiple of it
_DENSE = 6  # a word in more than one of six passages is added as a whole column: measured to be quicker there
AGAIN = "build it again with haymaker run"


class _Ids(dict[str, int]):
    """Words numbered as they come."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


@lru_cache(maxsize=1 << 16)
def word_hash(word: str) -> int:
    """64-bit hash of a word."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")


def build_shard(texts: Iterable[str], path: Path) -> dict[str, int]:
    """Write the shard of at most `SHARD` texts and return its counts; memory is about 45 bytes per word."""
    import numpy as np

    ids, terms, counts = _Ids(), array("I"), array("I")
    for text in texts:
        found = terms_of(text)
        terms.extend(map(ids.__getitem__, found))
        counts.append(len(found))
    raw = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in ids)
    vocabulary, number = np.unique(np.frombuffer(raw, "<u8"), return_inverse=True)
    lengths = np.array(counts, np.uint64)
    keys = number.astype(np.uint64)[np.array(terms, np.uint32)] << np.uint64(16)
    keys |= np.repeat(np.arange(len(lengths), dtype=np.uint64), lengths.astype(np.int64))
    keys.sort()
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64)
    tf = np.diff(firsts, append=len(keys)).astype(np.uint64)
    keys = keys[firsts]
    passages = keys & np.uint64(0xFFFF)
    pair = lengths[passages] << np.uint64(32) | tf
    pairs = np.unique(pair)
    sections = (
        vocabulary.astype("<u8"),
        np.searchsorted(keys >> np.uint64(16), np.arange(len(vocabulary) + 1, dtype=np.uint64)).astype("<i8"),
        np.stack((pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)), axis=1).astype("<u4"),
        np.searchsorted(pairs, pair).astype(_code_type(len(pairs))),
        passages.astype("<u2"),
    )
    with written(path) as temporary, temporary.open("wb") as file:
        for section in sections:
            file.write(section.tobytes())
    return {
        "passages": len(lengths),
        "words": len(terms),
        "terms": len(vocabulary),
        "postings": len(keys),
        "pairs": len(pairs),
    }


def _code_type(pairs: int) -> str:
    return "<u2" if pairs <= 1 << 16 else "<u4"


class Shard:
    """A finished shard; `first` is the number of its first passage in the store, `facts` the result of build_shard."""

    def __init__(self, path: Path, first: int, facts: dict[str, Any]) -> None:
        import numpy as np

        self.path, self.first, self.passages = path, first, int(facts["passages"])
        terms, postings, pairs = (int(facts[name]) for name in ("terms", "postings", "pairs"))
        layout = (("<u8", terms), ("<i8", terms + 1), ("<u4", 2 * pairs), (_code_type(pairs), postings), ("<u2", postings))  # fmt: skip
        data, size = self._map(), sum(np.dtype(kind).itemsize * count for kind, count in layout)
        if len(data) != size:
            raise CorpusError(f"{len(data)} bytes instead of {size}", where=str(path), fix=AGAIN)
        arrays, at = [], 0
        for kind, count in layout:
            arrays.append(np.frombuffer(data, kind, count, at))
            at += arrays[-1].nbytes
        self._terms, self._starts, flat, self._codes, self._places = arrays
        self._pairs = flat.reshape(-1, 2)

    def _map(self) -> mmap.mmap | bytes:
        try:
            with self.path.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise CorpusError("file of the lexical index is missing", where=str(self.path), fix=AGAIN) from None
        except ValueError:  # an empty file cannot be mapped
            return b""

    def weigh(self, k1: float, b: float, mean: float) -> None:
        """Fill the table of weights: BM25's part of term frequency and length, as rank-bm25 computes it."""
        length, tf = self._pairs.astype("f8").T
        self._weights = tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))

    def find(self, hashes: Hashes) -> tuple[Ints, Ints]:
        """Return begin and end of the postings of each term; an empty span for an unknown term."""
        import numpy as np

        at = np.searchsorted(self._terms, hashes)
        known = at < len(self._terms)
        known[known] = self._terms[at[known]] == hashes[known]
        begin = self._starts[at]
        end = np.where(known, self._starts[np.minimum(at + 1, len(self._terms))], begin)
        if np.any((begin < 0) | (end < begin) | (end > len(self._codes)) | (end - begin > self.passages)):
            raise self.damaged()
        return begin, end

    def column(self, begin: int, end: int, idf: float) -> tuple[Ints | None, Floats]:
        """Weights of a word: places and their weights, or None and the weights of all places."""
        import numpy as np

        places = self._places[begin:end].astype(np.intp)
        weights: Floats = idf * self._weights.take(self._codes[begin:end])
        if len(places) * _DENSE < self.passages:
            return places, weights
        column = self.zeros()
        column[places] = weights
        return None, column

    def damaged(self) -> CorpusError:
        """Return the error for impossible contents."""
        return CorpusError("is damaged", where=str(self.path), fix=AGAIN)

    def zeros(self) -> Floats:
        """No score yet: one per passage, and as many more as fill the last block."""
        import numpy as np

        return np.zeros(-(-self.passages // BLOCK) * BLOCK)


class ShardScores:
    """Scores of the passages of one shard for a batch of queries; columns of shared terms are computed once."""

    def __init__(self, shard: Shard, spans: tuple[Ints, Ints], idf: Sequence[float]) -> None:
        self._shard, self._idf = shard, idf
        self._begin, self._end = (side.tolist() for side in spans)
        self._columns: dict[int, tuple[Ints | None, Floats]] = {}

    def of(self, query: Sequence[int]) -> Floats:
        """Return one score per passage (see Shard.zeros); terms are added in the order of the query, like rank-bm25."""
        import numpy as np

        scores = self._shard.zeros()
        try:
            for word in query:
                if word not in self._columns:
                    self._columns[word] = self._shard.column(self._begin[word], self._end[word], self._idf[word])
                places, weights = self._columns[word]
                if places is None:
                    scores += weights
                else:
                    np.add.at(scores, places, weights)
        except IndexError:
            raise self._shard.damaged() from None
        return scores
