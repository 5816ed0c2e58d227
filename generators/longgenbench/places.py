"""Where in a document each demand stands: relative places, the same at every length, turned into entries.

No entry holds two demands, none is on entry 1, singles stand one in each fifth in turn, a periodic demand is met in every fifth, and a range
of a grid stays in one row (docs/spec/longgenbench.md 5, 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

FIFTHS = 5
ONCE, RANGE, PERIODIC = KINDS = ("once", "range", "periodic")
_FIRST = 2  # entry 1 is the worked example
_LEAST_STEP = 3
_SHARE = 10  # a range takes at most this part of all entries


@dataclass(frozen=True, slots=True)
class Wish:
    """Where a demand would stand in a document of any length.

    Attributes:
        kind: one of KINDS.
        fifth: of the document, from 0; of a periodic demand that of its first entry: 0.
        offset: within the fifth, from 0 to 1.
        size: entries: of a range, or of a periodic demand (about).
    """

    kind: str
    fifth: int
    offset: float
    size: int = 1


def fifth_of(index: int, entries: int) -> int:
    """The fifth in which an entry stands, from 0."""
    return (index - 1) * FIFTHS // entries


def placed(wishes: Sequence[Wish], entries: int, columns: int = 0) -> list[range] | None:
    """The entries of each wish, as near to it as can be; None where there is no room for all of them.

    Args:
        wishes: in any order of kinds.
        entries: of the document.
        columns: of a grid; 0: no grid.
    """
    kinds = [wish.kind for wish in wishes]
    if entries < _FIRST + _LEAST_STEP + len(wishes):
        return None
    order = sorted(range(len(wishes)), key=lambda i: -KINDS.index(kinds[i]))
    return _Search(wishes, order, entries, columns).found()


@dataclass(frozen=True, slots=True)
class _Search:
    """Periodic demands first, then ranges, singles last: what is taken is tried again elsewhere when the rest finds no room."""

    wishes: Sequence[Wish]
    order: Sequence[int]
    entries: int
    columns: int

    def found(self) -> list[range] | None:
        chosen = self._rest(0, {}, frozenset())
        return None if chosen is None else [chosen[i] for i in range(len(self.wishes))]

    def _rest(self, at: int, chosen: dict[int, range], taken: frozenset[int]) -> dict[int, range] | None:
        if at == len(self.order) or self.wishes[self.order[at]].kind == ONCE:
            return self._singles(at, chosen, taken)
        wish = self.wishes[self.order[at]]
        options = self._periodic(wish) if wish.kind == PERIODIC else self._ranges(wish, chosen)
        for option in options:
            if taken.isdisjoint(option) and self._leaves_room(taken.union(option)):
                done = self._rest(at + 1, {**chosen, self.order[at]: option}, taken.union(option))
                if done is not None:
                    return done
        return None

    def _leaves_room(self, taken: frozenset[int]) -> bool:
        """Whether every fifth has an entry left for each of its singles."""
        wanted, used = [0] * FIFTHS, [0] * FIFTHS
        for wish in self.wishes:
            wanted[wish.fifth] += wish.kind == ONCE
        for index in taken:
            used[fifth_of(index, self.entries)] += 1
        return all(len(self._fifth(i)) - used[i] >= wanted[i] for i in range(FIFTHS))

    def _singles(self, at: int, chosen: dict[int, range], taken: frozenset[int]) -> dict[int, range]:
        found, used = dict(chosen), set(taken)
        for i in self.order[at:]:
            inside = self._fifth(self.wishes[i].fifth)
            index = next(index for index in _outward(self._ideal(self.wishes[i]), inside) if index not in used)
            used.add(index)
            found[i] = range(index, index + 1)
        return found

    def _periodic(self, wish: Wish) -> Iterator[range]:
        steps = range(_LEAST_STEP, max(_LEAST_STEP, self.entries // FIFTHS) + 1)
        for step in _outward(_round(min(max(self.entries // wish.size, steps[0]), steps[-1])), steps):
            for start in _outward(self._ideal(wish), self._fifth(wish.fifth)):
                option = range(start, self.entries + 1, step)
                if len({fifth_of(index, self.entries) for index in option}) == FIFTHS:
                    yield option

    def _ranges(self, wish: Wish, chosen: dict[int, range]) -> Iterator[range]:
        """In its own fifth, shorter if need be; then anywhere. It is never so long that it would meet every periodic demand."""
        most = min(
            [wish.size, self.entries // _SHARE, *(found.step - 1 for found in chosen.values() if found.step > 1)]
        )
        inside, ideal = self._fifth(wish.fifth), self._ideal(wish)
        for among in (inside, range(_FIRST, self.entries + 1)):
            for size in range(max(2, most), 1, -1):
                for start in _outward(ideal, range(among.start, among.stop - size + 1)):
                    if not self.columns or (start - 1) % self.columns + size <= self.columns:
                        yield range(start, start + size)

    def _fifth(self, fifth: int) -> range:
        """Entries of a fifth that may hold a demand."""
        first, last = (-(-i * self.entries // FIFTHS) + 1 for i in (fifth, fifth + 1))
        return range(max(first, _FIRST), last)

    def _ideal(self, wish: Wish) -> int:
        return 1 + int((wish.fifth + wish.offset) * self.entries / FIFTHS)


def _outward(ideal: int, among: range) -> Iterator[int]:
    """All of a range of step 1, the nearest to a number first."""
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
    """A distance as people say it: from 20 on in fives, from 100 on with two digits that count."""
    unit = 1 if step < 20 else 5 if step < 100 else 10 ** (len(str(step)) - 2)
    return step // unit * unit
