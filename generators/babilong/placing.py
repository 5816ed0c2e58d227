"""Where facts go: relative depths, the same for every length of a group.

uniform: every fact anywhere (docs/spec/babilong.md 6.3).
quarter: all facts in one quarter (docs/spec/babilong.md 6.5); a group gives four rows.
grid: the supporting fact that decides stands at an exact depth 0, 1/(n-1), .. 1, the others before and after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Placement = Literal["uniform", "quarter", "grid"]


def relative_depths(
    placement: Placement, draws: Sequence[float], deciding: int, point: int, points: int
) -> list[float]:
    """Depths of the facts in order, each 0.0 (before the first unit) .. 1.0 (after the last).

    Args:
        placement: how.
        draws: one number in [0, 1) per fact, ascending.
        deciding: index of the fact that decides the answer.
        point: which quarter or grid point, from 0.
        points: how many there are.
    """
    if placement == "quarter":
        return [(point + u) / points for u in draws]
    if placement == "grid":
        depth = point / (points - 1)
        before = [depth * u for u in draws[:deciding]]
        after = [depth + (1.0 - depth) * u for u in draws[deciding + 1 :]]
        return [*before, depth, *after]
    return list(draws)
