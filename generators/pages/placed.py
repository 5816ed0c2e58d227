"""Paragraphs that every row shows, at depths of their own among others that are drawn (docs/spec/longbench.md 2.4).

The last of them, the one that is asked for, stands at depths that any run of candidates spreads evenly, the same at every length.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import Field

from generators.context.pieces import Ints
from generators.pages.base import PagesTask
from generators.pages.material import PagesSettings
from generators.spec import Candidate, Row

_STEP = 0x9E3779B97F4A7C15  # golden ratio of 2**64: multiples of it spread evenly (Weyl), in whole numbers
_TENTHS = 10


class FindSettings(PagesSettings):
    """Knobs of finding a paragraph.

    Attributes:
        natural_passages: paragraphs of a natural row; the reference has 30.
    """

    natural_passages: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 30


F = TypeVar("F", bound=FindSettings)


class Placed(PagesTask[F]):
    """Rows with such paragraphs."""

    @abstractmethod
    def gold(self, candidate: Candidate) -> int:
        """Entry of the paragraph asked for."""

    def depth_index(self, candidate: Candidate) -> int:
        """Which tenth of the depths it is to stand in."""
        return self._share(candidate) * _TENTHS >> 64

    def fixed(self, candidate: Candidate) -> list[int]:
        """Paragraphs that stand at depths of their own; the last one is asked for."""
        return [self.gold(candidate)]

    def shares(self, candidate: Candidate) -> list[int]:
        """How deep each of these stands, of 2**64."""
        return [self._share(candidate)]

    def _share(self, candidate: Candidate) -> int:
        """How deep the paragraph stands, of 2**64."""
        start = self.stream(self.spec.name, candidate.part, "depths").word()
        return (start + candidate.number * _STEP) % (1 << 64)

    def places(self, candidate: Candidate, count: int) -> list[int]:
        """Where each of these stands among `count` paragraphs: put in one after the other, so that even depths make even orders."""
        shares, found = self.shares(candidate), list[int]()
        for size, share in enumerate(shares, count - len(shares) + 1):
            place = share * size >> 64
            found = [each + (each >= place) for each in found] + [place]
        return found

    def lay(self, candidate: Candidate, order: Ints) -> Ints:
        """These at their depths, the others around them in order."""
        fixed = self.fixed(candidate)
        laid = np.empty(len(order) + len(fixed), dtype=np.int64)
        places = self.places(candidate, len(laid))
        others = np.ones(len(laid), dtype=np.bool_)
        others[places] = False
        laid[places], laid[others] = fixed, order
        return laid

    def entries(self, candidate: Candidate, count: int) -> Ints:
        """The other paragraphs by rank."""
        barred = self.barred(candidate)
        order = self.permutation(candidate)[: count + len(barred)]
        others: Ints = order[~np.isin(order, barred)][:count]
        return others

    def barred(self, candidate: Candidate) -> list[int]:
        """Those that have no rank: they stand at depths of their own, or not at all."""
        return self.fixed(candidate)

    @property
    def natural_need(self) -> int:
        return self.settings.natural_passages

    def natural_order(self, candidate: Candidate) -> Ints:
        """So many paragraphs as the reference has."""
        return self.lay(candidate, self.entries(candidate, self.settings.natural_passages - len(self.fixed(candidate))))

    @abstractmethod
    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, float]:
        """How many rows are right by each shortcut; of their columns `extra`."""

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Rows that are answered right without reading."""
        extras = [json.loads(row["extra"]) for row in rows]
        right = self.shortcuts(extras)
        return {"shortcuts": {name: round(n / len(extras), 4) for name, n in right.items()}} if extras else {}
