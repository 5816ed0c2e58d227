"""Lookups by name in tens of millions of passages: sorted 64-bit hashes on disk, memory-mapped, found by bisection.

Two names may share a hash, so callers compare the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from haymaker.core.files.disk import written
from haymaker.core.text.strings import text_hash, words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Hashes = npt.NDArray[np.uint64]
    Entries = Callable[[], Iterable[tuple[Hashes, Ints]]]

_HELD = 1 << 20  # entries in memory at a time: 68 MB while they are sorted


def name_hash(name: str) -> int:
    """64-bit hash of a name."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest(), "little")


def title_hash(title: str) -> int:
    """64-bit hash of the words of a title; of its characters if it has no words ("!!!")."""
    return text_hash(title) if words(title) else name_hash(title)


def ascending(entries: Entries, size: int) -> Iterator[tuple[Hashes, Ints]]:
    """Yield all entries by ascending hash, equal hashes in the given order.

    Memory is constant: each pass handles one slice of the range of values.

    Args:
        entries: returns arrays of hashes and places, from the start on every call.
        size: approximate number of entries.
    """
    import numpy as np

    slices = max(1, -(-size // _HELD))
    width = np.uint64(((1 << 64) - 1) // slices)
    for k in range(slices):
        values, places = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for value, place in entries():
            picked = np.minimum(value // width, np.uint64(slices - 1)) == k
            values.append(value[picked])
            places.append(place[picked])
        found, at = np.concatenate(values), np.concatenate(places)
        order = np.argsort(found, kind="stable")
        yield found[order], at[order]


def repeats(entries: Entries, size: int) -> Ints:
    """Array (n, 2): each place whose hash came before, and the first place that has it; ascending by the former."""
    import numpy as np

    found = []
    for values, places in ascending(entries, size):
        new = np.diff(values, prepend=values[:1]) != 0
        new[:1] = True
        first = places[new][np.cumsum(new) - 1]
        found.append(np.stack([places[~new], first[~new]], axis=1))
    pairs: Ints = np.concatenate(found)
    return pairs.take(np.argsort(pairs[:, 0], kind="stable"), axis=0)


def write_lookup(folder: Path, name: str, entries: Entries, size: int) -> int:
    """Write one lookup; see `ascending` for `entries` and `size`. Returns the number of entries."""
    count = 0
    with (
        written(folder / f"{name}.u64") as hashes,
        written(folder / f"{name}.i32") as numbers,
        hashes.open("wb") as hash_file,
        numbers.open("wb") as number_file,
    ):
        for value, place in ascending(entries, size):
            hash_file.write(value.astype("<u8").tobytes())
            number_file.write(place.astype("<i4").tobytes())
            count += len(value)
    return count


class Lookup:
    """A finished lookup."""

    def __init__(self, folder: Path, name: str) -> None:
        import numpy as np

        paths = folder / f"{name}.u64", folder / f"{name}.i32"
        empty = not paths[0].stat().st_size  # no file of zero bytes can be mapped
        self._hashes = np.zeros(0, "<u8") if empty else np.memmap(paths[0], "<u8", "r")
        self._places = np.zeros(0, "<i4") if empty else np.memmap(paths[1], "<i4", "r")

    def find(self, value: int) -> Ints:
        """Passages whose hash it is, ascending."""
        import numpy as np

        key = np.uint64(value)
        first, last = np.searchsorted(self._hashes, key, "left"), np.searchsorted(self._hashes, key, "right")
        return np.asarray(self._places[first:last], dtype=np.int64)

    def first(self, values: Sequence[int]) -> Ints:
        """Return the first passage of each hash; -1 if there is none."""
        import numpy as np

        keys = np.array(values, dtype=np.uint64)
        at = np.searchsorted(self._hashes, keys)
        here = at < len(self._hashes)
        here[here] = self._hashes[at[here]] == keys[here]
        found = np.full(len(keys), -1, dtype=np.int64)
        found[here] = self._places[at[here]]
        return found
