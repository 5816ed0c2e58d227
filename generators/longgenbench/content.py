"""Demands of a group and their places: the same phrases at the same relative places at every length.

The random streams are named by scenario, split and group, so the weeks and the days of a diary have the same demands. An entry has
at most one demand and entry 1 has none; singles are spread over the fifths, a periodic demand has entries in every fifth, and a
range of a grid is in one row (docs/spec/longgenbench.md 5, 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream

FIFTHS = 5
ONCE, RANGE, PERIODIC = KINDS = ("once", "range", "periodic")
_FIRST = 2  # entry 1 is the worked example
_LEAST_STEP = 3
_SHARE = 10  # a range has at most a tenth of all entries
_SIZES = {"diary": (2, 7), "menu": (2, 7), "skyscraper": (3, 7), "city": (2, 4)}  # entries of a range
_TIMES = (5, 12)  # approximate number of entries of a periodic demand
_START_BINS = 4


class Wish(NamedTuple):
    """Place of a demand in a document of any length.

    Attributes:
        kind: one of KINDS.
        fifth: fifth of the document with the first entry, from 0.
        offset: within the fifth, from 0 to 1.
        size: entries of a range, or approximately of a periodic demand.
    """

    kind: str
    fifth: int
    offset: float
    size: int = 1


class Content(NamedTuple):
    """Content of a group.

    Attributes:
        about: people or place of the document, as fields of the prompt.
        wishes: one per demand: singles in order of place, ranges, periodic demands.
        texts: phrases, one per wish.
    """

    about: Mapping[str, str]
    wishes: tuple[Wish, ...]
    texts: tuple[str, ...]


@cache
def pools() -> dict[str, Any]:
    """Return phrases and names, by scenario and kind."""
    return read_yaml(Path(__file__).with_name("pools.yaml"))


def drawn(scenario: str, group: int, counts: Mapping[str, int], draws: Callable[[str], Stream]) -> Content:
    """Return the content of a group.

    Args:
        scenario: key of pools.yaml.
        group: number; the fifth of a range and the first quarter of a periodic demand alternate by it.
        counts: demands of each kind.
        draws: purpose -> stream of this scenario and group.
    """
    pool = pools()[scenario]
    texts = [text for kind in KINDS for text in draws(kind).sample(pool[kind], counts[kind])]
    places, ranges, periodics = draws("places"), draws("range places"), draws("periodic places")
    singles = [Wish(ONCE, i % FIFTHS, places.unit()) for i in range(counts[ONCE])]
    bins = [(group // FIFTHS + i) % _START_BINS for i in range(counts[PERIODIC])]
    wishes = [
        *sorted(singles, key=lambda wish: (wish.fifth, wish.offset)),
        *(Wish(RANGE, (group + i) % FIFTHS, ranges.unit(), ranges.between(*_SIZES[scenario])) for i in range(counts[RANGE])),
        *(Wish(PERIODIC, 0, (each + periodics.unit()) / _START_BINS, periodics.between(*_TIMES)) for each in bins),
    ]  # fmt: skip
    return Content(_about(pool, draws("about")), tuple(wishes), tuple(texts))


def _about(pool: Mapping[str, Sequence[str]], draws: Stream) -> dict[str, str]:
    if "places" in pool:
        return {"place": draws.choice(pool["places"])}
    who, partner, friend, *children = draws.sample(pool["names"], 4 + draws.below(3))
    many = f"{', '.join(children[:-1])} and {children[-1]}" if len(children) > 1 else children[0]
    return {
        "who": f"{who} {draws.choice(pool['surnames'])}",
        "work": draws.choice(pool["people"]),
        "partner": partner,
        "friend": friend,
        "children": f"their child is {many}" if len(children) == 1 else f"their children are {many}",
    }


def fifth_of(index: int, entries: int) -> int:
    """Return the fifth of an entry, from 0."""
    return (index - 1) * FIFTHS // entries


def placed(wishes: Sequence[Wish], entries: int, columns: int = 0) -> list[range] | None:
    """Return the entries of each wish, as near to its place as possible; None if they do not all fit.

    Args:
        wishes: in any order of kinds.
        entries: of the document.
        columns: of a grid; 0: no grid.
    """
    if entries < _FIRST + _LEAST_STEP + len(wishes):
        return None
    order = sorted(range(len(wishes)), key=lambda i: -KINDS.index(wishes[i].kind))
    chosen = _Search(wishes, order, entries, columns).rest(0, {}, frozenset())
    return None if chosen is None else [chosen[i] for i in range(len(wishes))]


class _Search(NamedTuple):
    """Backtracking search: periodic demands first, then ranges, singles last."""

    wishes: Sequence[Wish]
    order: Sequence[int]
    entries: int
    columns: int

    def rest(self, at: int, chosen: dict[int, range], taken: frozenset[int]) -> dict[int, range] | None:
        """Return `chosen` with the wishes from `at` on, or None."""
        if at == len(self.order):
            return chosen
        for option in self._options(self.wishes[self.order[at]], chosen):
            if taken.isdisjoint(option) and self._leaves_room(at + 1, taken.union(option)):
                done = self.rest(at + 1, {**chosen, self.order[at]: option}, taken.union(option))
                if done is not None:
                    return done
        return None

    def _leaves_room(self, at: int, taken: frozenset[int]) -> bool:
        """Whether every fifth has enough free entries for its singles from `at` on."""
        free = [len(self._fifth(i)) for i in range(FIFTHS)]
        for i in self.order[at:]:
            free[self.wishes[i].fifth] -= self.wishes[i].kind == ONCE
        for index in taken:
            free[fifth_of(index, self.entries)] -= 1
        return min(free) >= 0

    def _options(self, wish: Wish, chosen: dict[int, range]) -> Iterator[range]:
        if wish.kind == ONCE:
            return (range(i, i + 1) for i in _outward(self._ideal(wish), self._fifth(wish.fifth)))
        return self._periodic(wish) if wish.kind == PERIODIC else self._ranges(wish, chosen)

    def _periodic(self, wish: Wish) -> Iterator[range]:
        steps = range(_LEAST_STEP, max(_LEAST_STEP, self.entries // FIFTHS) + 1)
        for step in _outward(_round(min(max(self.entries // wish.size, steps[0]), steps[-1])), steps):
            for start in _outward(self._ideal(wish), self._fifth(wish.fifth)):
                option = range(start, self.entries + 1, step)
                if len({fifth_of(index, self.entries) for index in option}) == FIFTHS:
                    yield option

    def _ranges(self, wish: Wish, chosen: dict[int, range]) -> Iterator[range]:
        """In its own fifth, shorter if necessary; then anywhere. Always shorter than the steps of periodic demands."""
        steps = (found.step - 1 for found in chosen.values() if found.step > 1)
        most = min(wish.size, self.entries // _SHARE, *steps)
        for among in (self._fifth(wish.fifth), range(_FIRST, self.entries + 1)):
            for size in range(max(2, most), 1, -1):
                for start in _outward(self._ideal(wish), range(among.start, among.stop - size + 1)):
                    if not self.columns or (start - 1) % self.columns + size <= self.columns:
                        yield range(start, start + size)

    def _fifth(self, fifth: int) -> range:
        """Entries of a fifth that may hold a demand."""
        first, last = (-(-i * self.entries // FIFTHS) + 1 for i in (fifth, fifth + 1))
        return range(max(first, _FIRST), last)

    def _ideal(self, wish: Wish) -> int:
        return 1 + int((wish.fifth + wish.offset) * self.entries / FIFTHS)


def _outward(ideal: int, among: range) -> Iterator[int]:
    """The numbers of a range of step 1, nearest to `ideal` first."""
    if not among:
        return
    ideal = min(max(ideal, among[0]), among[-1])
    yield ideal
    for distance in count(1):
        low, high = ideal - distance, ideal + distance
        if low < among[0] and high > among[-1]:
            return
        yield from (index for index in (low, high) if index in among)


def _round(step: int) -> int:
    """Round down: from 20 to a multiple of five, from 100 to two significant digits."""
    unit = 1 if step < 20 else 5 if step < 100 else 10 ** (len(str(step)) - 2)
    return step // unit * unit
