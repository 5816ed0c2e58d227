"""The vectors of a passage store: fp16 shards of fixed passage ranges, memory-mapped.

vectors-00000.f16 ...   rows of `dimensions` little-endian fp16 numbers, unit length; shard i begins with passage
                        i * shard_passages
meta.json               version, parameters, model, digest of the store, totals, sizes and checksums
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError, EnvironmentProblem
from haymaker.core.files.disk import read_json, sha256_file

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.search import Ints

    Halves = npt.NDArray[np.float16]

DENSE_VERSION = 2
INDEX_FILE = "ivfpq.faiss"
_AGAIN = "build it again with haymaker run"
_KEYS = ("version", "params", "model", "store", "totals", "files")


def shard_name(number: int) -> str:
    """File name of a shard."""
    return f"vectors-{number:05d}.f16"


def shard_ranges(passages: int, shard_passages: int) -> list[tuple[int, int]]:
    """First passage, and one past the last, of every shard."""
    return [(first, min(first + shard_passages, passages)) for first in range(0, passages, shard_passages)]


class Vectors:
    """Finished vectors of a store; opening checks sizes, `verify` checks every byte."""

    def __init__(self, folder: Path, store: Passages) -> None:
        self.folder = folder
        try:
            self.meta: dict[str, Any] = read_json(folder / "meta.json", *_KEYS)
        except EnvironmentProblem as error:
            raise CorpusError(error.what, where=error.where, fix=_AGAIN) from None
        if self.meta["version"] != DENSE_VERSION:
            raise CorpusError(
                f"has vectors of version {self.meta['version']}; this program reads version {DENSE_VERSION}",
                where=str(folder),
                fix=_AGAIN,
            )
        if self.meta["store"] != store.digest:
            raise CorpusError("was made from a different version of the passages", where=str(folder), fix=_AGAIN)
        try:
            self.dimensions = int(self.meta["totals"]["dimensions"])
            self._ranges = shard_ranges(len(store), int(self.meta["params"]["shard_passages"]))
            self._sizes = {str(name): int(facts["bytes"]) for name, facts in self.meta["files"].items()}
            self._hashes = {str(name): str(facts["sha256"]) for name, facts in self.meta["files"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise CorpusError("is damaged", where=str(folder / "meta.json"), fix=_AGAIN) from None
        self._check_sizes()

    def __len__(self) -> int:
        return self._ranges[-1][1] if self._ranges else 0

    def _check_sizes(self) -> None:
        row_bytes = 2 * self.dimensions
        expected = self._sizes | {
            shard_name(i): (last - first) * row_bytes for i, (first, last) in enumerate(self._ranges)
        }
        for name, size in expected.items():
            path = self.folder / name
            if not path.is_file():
                raise CorpusError("file of the dense index is missing", where=str(path), fix=_AGAIN)
            if path.stat().st_size != size:
                raise CorpusError(f"{path.stat().st_size} bytes instead of {size}", where=str(path), fix=_AGAIN)

    @property
    def digest(self) -> str:
        """One name for the content: changes with any byte."""
        parts = sorted(f"{name}={value}" for name, value in self._hashes.items())
        return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    def verify(self) -> None:
        """Compare the SHA-256 of every file with meta.json."""
        for name, value in self._hashes.items():
            if sha256_file(self.folder / name) != value:
                raise CorpusError("has changed since it was built", where=str(self.folder / name), fix=_AGAIN)

    def check_model(self, facts: Mapping[str, Any]) -> None:
        """Check that the model of the queries is the model of the vectors."""
        if self.meta["model"] != dict(facts):
            raise EnvironmentProblem(
                f"model {facts['model']} on this machine is not the one that made the vectors",
                where=str(self.folder),
                fix="fetch the revision that meta.json names, or build the index again with haymaker run",
            )

    @cached_property
    def _shards(self) -> list[Halves]:
        import numpy as np

        return [  # copy on write: torch does not take what is read-only
            np.memmap(self.folder / shard_name(i), "<f2", "c", shape=(last - first, self.dimensions))
            for i, (first, last) in enumerate(self._ranges)
        ]

    def blocks(self, rows: int) -> Iterator[tuple[int, Halves]]:
        """Yield all vectors in order, at most `rows` at a time: number of the first passage, and fp16 (n, dimensions).

        A block lies inside one shard if the shard is larger; smaller shards are joined.
        """
        import numpy as np

        held: list[Halves] = []
        begin = 0
        for (first, _), shard in zip(self._ranges, self._shards, strict=True):
            for at in range(0, len(shard), rows):
                piece = shard[at : at + rows]
                if held and sum(map(len, held)) + len(piece) > rows:
                    yield begin, np.concatenate(held)
                    held = []
                begin = begin if held else first + at
                held.append(piece)
        if held:
            yield begin, np.concatenate(held)

    def copy_to(self, first: int, out: Halves) -> None:
        """Copy the vectors from number `first` on into fp16 (n, dimensions)."""
        size, done = self._ranges[0][1], 0
        while done < len(out):
            shard, at = divmod(first + done, size)
            piece = self._shards[shard][at : at + len(out) - done]
            out[done : done + len(piece)] = piece
            done += len(piece)

    def take(self, passages: Ints) -> Halves:
        """Vectors of given passages, in the given order: fp16 (n, dimensions)."""
        import numpy as np

        size = self._ranges[0][1]
        out = np.empty((len(passages), self.dimensions), np.float16)
        which = passages // size
        for shard in np.unique(which).tolist():
            here = which == shard
            out[here] = self._shards[shard][passages[here] - shard * size]
        return out
