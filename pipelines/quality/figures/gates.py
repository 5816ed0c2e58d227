"""Gates: figures of a simulated collection that must lie near those of the real one it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipelines.quality.figures.retrieval import CHEATS

RANK_LIMIT, OVERLAP_LIMIT, NEAREST_LIMIT, CHEAT_LIMIT = 0.15, 0.10, 0.10, 0.10
_CUTS = ("1", "10", "100")
_FIRST = "gold in the first 1"  # which questions that need two passages never have
_APART = "without its article"

Report = Mapping[str, Any]
Kind = Literal["eases", "hardens", "cheat"]


@dataclass(frozen=True, slots=True)
class Gate:
    """One figure of both sides, and how far they may lie apart.

    Attributes:
        name: what is compared.
        real: the figure.
        world: the figure of the simulated side.
        limit: the largest distance, or, of a cheat, how much better it may do in the world.
        kind: "eases": the larger, the easier the questions; "hardens"; "cheat": eases, and only a larger figure in the world
            is a fault.
    """

    name: str
    real: float
    world: float
    limit: float
    kind: Kind

    @property
    def excess(self) -> float:
        """How far the world is beyond the limit; 0 where the gate is passed."""
        apart = self.world - self.real
        return max(0.0, round((apart if self.kind == "cheat" else abs(apart)) - self.limit, 9))

    @property
    def verdict(self) -> Literal["", "easier", "harder"]:
        """What the world is where it fails."""
        if not self.excess:
            return ""
        return "harder" if (self.world > self.real) == (self.kind == "hardens") else "easier"


def gates(real: Report, world: Report) -> list[Gate]:
    """The gates of one pair of sets; what one side lacks is left out.

    Args:
        real: `hardness` of pipelines/quality/figures/retrieval.py, with `dense`, `odd`, `places` and `guesses` where they were measured.
        world: likewise.
    """
    found = []
    for name, path, limit, kind in _wanted():
        here, there = at(real, path), at(world, path)
        if here is not None and there is not None and not (name.endswith(_FIRST) and here == there == 0):
            found.append(Gate(name, here, there, limit, kind))
    return found


def _wanted() -> Iterator[tuple[str, tuple[str, ...], float, Kind]]:
    for name, search in (("BM25", "bm25"), (f"BM25 {_APART}", "bm25_apart"), ("MiniLM", "dense")):
        for cut in _CUTS:
            yield f"{name}: gold in the first {cut}", (search, cut), RANK_LIMIT, "eases"
    yield "question words in the gold, mean", ("overlap", "mean"), OVERLAP_LIMIT, "eases"
    yield "best distractor / gold, median", ("nearest", "q50"), NEAREST_LIMIT, "hardens"
    yield f"best distractor / gold {_APART}, median", ("nearest_apart", "q50"), NEAREST_LIMIT, "hardens"
    for cheat in CHEATS:
        yield f"odd one out by {cheat}", ("odd", cheat, "first"), CHEAT_LIMIT, "cheat"
    for key in ("commonest", "opening", "template"):
        yield f"answer by {key}", ("guesses", key), CHEAT_LIMIT, "cheat"
    yield "answer in the fullest tenth", ("places", "fullest_tenth"), CHEAT_LIMIT, "cheat"


def at(value: Any, path: Sequence[str]) -> float | None:
    """The number at a path of keys; None where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if value is None else float(value)
