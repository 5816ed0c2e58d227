"""Random numbers: keyed counter streams.

A stream is named after its purpose, for example `Stream(seed, "babilong", "qa1", group, "depths")`. Streams with
different names are independent; the same name gives the same draws on every machine and in every order of work (3.2 us
to create, 0.43 us a draw: docs/spec/measured.md 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from hashlib import blake2b, shake_128
from itertools import islice
from struct import Struct
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]
    Ints = npt.NDArray[np.int64]

T = TypeVar("T")
Key = str | int

_WORD = 8  # bytes of one draw
_BLOCK = 64  # bytes of one blake2b digest
_UNPACK = Struct(f"<{_BLOCK // _WORD}Q").unpack
_MANY = 256  # number of draws above which an array is faster
_SPAN = 1 << (8 * _WORD)
_LOW = _SPAN - 1


def digest(*key: Key, size: int = 16) -> bytes:
    """Return the hash of a name: unambiguous (length and type of each part are included) and stable."""
    state = blake2b(digest_size=size)
    for part in key:
        raw = str(part).encode()
        state.update(f"{type(part).__name__[0]}{len(raw)}:".encode())
        state.update(raw)
    return state.digest()


class Stream:
    """Stream of unbiased draws, determined by its name.

    Args:
        key: parts of the name: release seed, suite, task, group, purpose.
    """

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, *key: Key) -> None:
        self._key = digest(*key, size=32)
        self._counter = 0
        self._words: list[int] = []  # unused words of the last digest, next one last

    def word(self) -> int:
        """Return the next 64 random bits, as an integer in [0, 2**64)."""
        if not self._words:
            self._words.extend(_UNPACK(blake2b(self._counter.to_bytes(8, "little"), key=self._key).digest())[::-1])
            self._counter += 1
        return self._words.pop()

    def bulk(self, n: int) -> Words:
        """Return n random 64-bit numbers as an array, independent of all other draws of this name (SHAKE-128)."""
        import numpy as np

        return np.frombuffer(shake_128(b"bulk" + self._key).digest(_WORD * n), dtype="<u8")

    def permutation(self, n: int) -> Ints:
        """Return 0 .. n - 1 in random order; always the same for one name and n."""
        import numpy as np

        return np.argsort(self.bulk(n), kind="stable")

    def below(self, n: int) -> int:
        """Return a uniform integer in [0, n), without modulo bias (Lemire).

        Raises:
            ValueError: n is not in 1 .. 2**64.
        """
        if not 0 < n <= _SPAN:
            raise ValueError(f"below() needs 1 <= n <= 2**64, not {n}")
        words = self._words
        product = (words.pop() if words else self.word()) * n
        if product & _LOW < n:
            floor = (_SPAN - n) % n
            while product & _LOW < floor:
                product = self.word() * n
        return product >> 64

    def between(self, low: int, high: int) -> int:
        """Return a uniform integer in [low, high], both ends included."""
        return low + self.below(high - low + 1)

    def unit(self) -> float:
        """Return a uniform float in [0, 1) with 53 random bits."""
        return (self.word() >> 11) * (1.0 / (1 << 53))

    def chance(self, share: float) -> bool:
        """Return True with probability `share`."""
        return (self.word() >> 11) * (1.0 / (1 << 53)) < share

    def choice(self, items: Sequence[T]) -> T:
        """Return one item, uniformly."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[int]) -> T:
        """Return one item with probability proportional to its integer weight."""
        at = self.below(sum(weights))
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        raise AssertionError("unreachable: weights sum to what was drawn from")

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place (Fisher-Yates)."""
        last = len(items) - 1
        for i, j in zip(range(last, 0, -1), self._falling(last), strict=True):
            items[i], items[j] = items[j], items[i]

    def _falling(self, last: int) -> Iterable[int]:
        """Return below(last + 1), below(last) ... below(2), vectorised if there are many."""
        bounds = range(last + 1, 1, -1)
        if not _MANY <= last < 1 << 32:
            return map(self.below, bounds)
        import numpy as np

        before = list(self._words), self._counter
        words, n = self._ahead(last), np.arange(last + 1, 1, -1, dtype=np.uint64)
        if (words * n < n).any():  # a word may be rejected and drawn again
            self._words, self._counter = before
            return map(self.below, bounds)
        low, high = words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)
        found: list[int] = (high * n + (low * n >> np.uint64(32)) >> np.uint64(32)).tolist()
        return found

    def _ahead(self, n: int) -> Words:
        """Return the next n results of word() as an array."""
        import numpy as np

        rest = np.array(self._words[::-1], dtype="<u8").tobytes()
        blocks = -(-(_WORD * n - len(rest)) // _BLOCK)
        counters = range(self._counter, self._counter + blocks)
        fresh = b"".join(blake2b(i.to_bytes(8, "little"), key=self._key).digest() for i in counters)
        self._counter += blocks
        words = np.frombuffer(rest + fresh, dtype="<u8")
        self._words = words[: n - 1 : -1].tolist()
        return words[:n]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return a shuffled copy."""
        out = list(items)
        self.shuffle(out)
        return out

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return k distinct items in random order (sparse Fisher-Yates: O(k) time and memory).

        Raises:
            ValueError: k is larger than the number of items.
        """
        if not 0 <= k <= len(items):
            raise ValueError(f"cannot sample {k} of {len(items)}")
        return [items[i] for i in islice(self.walk(len(items)), k)]

    def walk(self, n: int) -> Iterator[int]:
        """Yield 0 .. n - 1 in random order, one at a time: the first k cost O(k) for any n."""
        moved: dict[int, int] = {}
        for i in range(n):
            j = i + self.below(n - i)
            yield moved.get(j, j)
            moved[j] = moved.get(i, i)
