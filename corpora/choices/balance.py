"""Choosing wrong options from a pool so that nothing visible tells the right one: its rank by length, by likeness to the others,
by likeness to the question and by how much of the question the sentences say that tell it is drawn, and the set that comes nearest to that is taken (docs/spec/marathon.md 6, row 5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

from corpora.choices.filters import of_figures
from corpora.choices.form import content
from haymaker.core.rng import Stream
from haymaker.core.text.strings import words

_SETS = 3000
_POOL = 16
_STANDS_OUT = 100.0
_ALONE = 10.0  # more than all ranks together
_LATE = 0.02  # what a place further back in the pool costs, in ranks


def balanced(
    right: str, question: str, pool: Sequence[str], n: int, stream: Stream, told: Sequence[int] = ()
) -> list[int]:
    """Places in the pool of `n` wrong options.

    Args:
        right: the right option.
        question: it answers.
        pool: at least `n` wrong ones, the best first.
        n: wanted.
        stream: draws.
        told: of the right one and the pool, how many words of the question stand in a sentence that has it, -1 where none has it
            (Reading.shared): the right one should not be the only one that stands nowhere.
    """
    size = min(len(pool), _POOL)
    while size > n and comb(size, n) > _SETS:
        size -= 1
    texts = [right, *pool[:size]]
    asked = set(content(question))
    bags = [set(words(text)) for text in texts]
    like = [[_overlap(a, b) for b in bags] for a in bags]
    near = [len(asked & set(content(text))) for text in texts]
    sizes = [len(text) for text in texts]
    told = told or [0] * len(texts)
    targets = [*(stream.below(n + 1) for _ in range(3)), stream.below(n)]  # never told alone, if that can be

    def cost(chosen: tuple[int, ...]) -> float:
        ids = (0, *chosen)
        features: tuple[Callable[[int], float], ...] = (
            sizes.__getitem__,
            near.__getitem__,
            lambda i: sum(like[i][j] for j in ids if j != i),
            told.__getitem__,
        )
        off = sum(_off(feature, chosen, target) for feature, target in zip(features, targets, strict=True))
        out = _STANDS_OUT * bool(of_figures([sizes[i] for i in ids], [near[i] for i in ids]))
        alone = told[0] < 0 and all(told[i] >= 0 for i in chosen)
        return off + out + _ALONE * alone + _LATE * sum(chosen)

    best = min(combinations(range(1, size + 1), n), key=lambda chosen: (cost(chosen), chosen))
    return [i - 1 for i in best]


def _off(feature: Callable[[int], float], chosen: Sequence[int], target: int) -> int:
    """Ranks between where the right option would stand and where it should; a tie stands anywhere within it."""
    own, others = feature(0), [feature(i) for i in chosen]
    low = sum(other < own for other in others)
    high = low + sum(other == own for other in others)
    return max(low - target, target - high, 0)


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(1, len(a | b))
