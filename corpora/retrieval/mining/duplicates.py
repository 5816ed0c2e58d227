"""Near-duplicates in a ranked list: exact, without comparing all pairs.

Two texts are near-duplicates if the Jaccard similarity of their sets of runs of three words reaches a limit. Most
passages of a search result share few runs with others; counting runs in one array excludes them. Of the rest only those
are compared that share one of their rarest runs (prefix filtering: two sets of similarity t share an element among the
first n - ceil(t * n) + 1 of each, in any common order), and whose marks, one bit per run, agree enough.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]

_SLOTS_PER_RUN = 4
_ROUND = 1e-9
_MIX = 0x9E3779B97F4A7C15  # spreads neighbouring numbers over the slots


def near_duplicates(runs: Numbers, owners: Ints, count: int, limit: float, gold: int = 0) -> Flags:
    """Return which passages are near-duplicates of a better passage that stays.

    Args:
        runs: runs of words as numbers (words.py).
        owners: the passage of each run, ascending; passages are numbered from the best.
        count: number of passages.
        limit: Jaccard similarity, 0.5 .. 1.
        gold: number of first passages that always stay.
    """
    import numpy as np

    found = np.zeros(count, np.bool_)
    runs, owners = _suspects(runs, owners, count, limit)
    if not len(runs):
        return found
    _, numbers, counts = np.unique(runs, return_inverse=True, return_counts=True)
    order = np.lexsort((numbers, counts[numbers], owners))  # the rarest runs of each passage first
    numbers, owners = numbers[order], owners[order]
    suspects, starts = np.unique(owners, return_index=True)
    kept: dict[int, _Runs] = {}
    by_run: defaultdict[int, list[int]] = defaultdict(list)
    for suspect, passage_runs in zip(suspects.tolist(), np.split(numbers, starts[1:]), strict=True):
        rarest_first = list(dict.fromkeys(passage_runs.tolist()))
        known, size = _Runs(rarest_first), len(rarest_first)
        prefix = rarest_first[: size - math.ceil(limit * size - _ROUND) + 1]
        rivals = {rival for run in prefix for rival in by_run[run]} if suspect >= gold else ()
        if any(known.similar(kept[rival], limit) for rival in rivals):
            found[suspect] = True
            continue
        kept[suspect] = known
        for run in prefix:
            by_run[run].append(suspect)
    return found


class _Runs:
    """The runs of one passage, and a mark of 512 bits that has a bit of each."""

    __slots__ = ("_mark", "_runs")

    def __init__(self, runs: list[int]) -> None:
        self._runs = set(runs)
        self._mark = 0
        for run in runs:
            self._mark |= 1 << (run & 511)

    def similar(self, other: _Runs, limit: float) -> bool:
        """Check whether the Jaccard similarity reaches the limit; the marks exclude most pairs."""
        both = len(self._runs) + len(other._runs)
        least = limit / (1 + limit) * both - _ROUND
        if len(self._runs) - (self._mark & ~other._mark).bit_count() < least:  # a bit that is missing is a run that is
            return False
        return len(self._runs & other._runs) >= least


def _suspects(runs: Numbers, owners: Ints, count: int, limit: float) -> tuple[Numbers, Ints]:
    """Runs of the passages that share at least `limit` of theirs with others, as far as counting can tell."""
    import numpy as np

    while len(runs):
        bits = (_SLOTS_PER_RUN * len(runs)).bit_length()
        slots = ((runs * np.uint64(_MIX)) >> np.uint64(64 - bits)).astype(np.int64)
        often = np.bincount(slots)[slots] > 1  # or another run has the same slot, which only lets more through
        sizes = np.bincount(owners, minlength=count)
        alone = np.bincount(owners[~often], minlength=count)
        suspect = (sizes - alone) >= limit * sizes - _ROUND
        keep = suspect[owners]
        if keep.all():
            break
        runs, owners = runs[keep], owners[keep]
    return runs, owners
