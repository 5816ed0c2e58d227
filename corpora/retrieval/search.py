"""Interface of a search: queries in, ranked passage numbers out.

Passages are numbered as in the store (corpora/stores/passages/store.py). Better scores come first, equal scores by
passage number; a backend rounds its scores before it ranks, so that rounding differences between machines break no tie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hits:
    """The best passages for one query: different numbers, best first, and float32 scores, never rising."""

    passages: Ints
    scores: Floats


class Searcher(Protocol):
    """Finds passages of one store."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """What decides the ranks, as JSON: backend, its settings, model and revision, digest of the store."""
        ...

    def search(self, queries: Sequence[str], k: int) -> Iterator[Hits]:
        """Return one result of at most `k` passages per query, in order; too large a k raises CorpusError."""
        ...

    def scores(self, query: str, passages: Ints) -> Floats:
        """Scores of given passages for one query, on the scale of `search`; 0 where a lexical index shares no word."""
        ...
