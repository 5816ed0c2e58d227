"""Questions on a chronicle whose answer is a number that does not occur in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any

from haymaker.core.rng import Stream
from haymaker.core.text.english_grammar import number_words

from .chronicles_facts import Deed
from .chronicles_squares import numbers
from .model import Inquiry
from .wording import data, fill

_TRIES = 400
_NEAR = 9_000  # characters: what half of the questions keep to
_KINDS = ("span", "sum", "more", "span", "three", "range", "count", "span", "sum", "count")
_DATED = ("founded", "grown", "kept", "turned", "struck")
_LEAST_YEARS, _MOST_YEARS = 3, 99


class Numbers:
    """Draws operands until the right number has the rank whose turn it is among its options.

    Args:
        s: decides.
        deeds: of the document, in the order of the text.
        text: the document.
    """

    def __init__(self, s: Stream, deeds: Sequence[Deed], text: str) -> None:
        self._s, self._text, self._data = s, text, data("chronicles.yaml")
        self._pools = {
            "span": [deed for deed in deeds if deed.stage in _DATED],
            "money": [deed for deed in deeds if deed.stage in ("founded", "grown")],
            "count": [deed for deed in deeds if deed.stage == "measure"],
        }
        self._others = self._alike()

    def _alike(self) -> dict[tuple[str, str, str], list[Deed]]:
        """Return deeds that could be mistaken for another: of the same thing, or of this stage of another one in the part."""
        found: dict[tuple[str, str, str], list[Deed]] = {}
        for name, pool in self._pools.items():
            for deed in pool:
                found.setdefault((name, deed.theme, str(deed.part)), []).append(deed)
        return found

    def inquiries(self) -> Iterator[Inquiry]:
        """One after the other, kinds and ranks in turn."""
        kinds = cycle(_KINDS)
        while True:
            for rank in self._s.shuffled(range(4)):
                found = None
                while not found:
                    found = self._first(next(kinds), rank)
                yield found

    def _first(self, kind: str, rank: int) -> Inquiry | None:
        """A question of a kind with the right number at a rank; None where luck does not give one."""
        found = (self._try(kind, rank, tries) for tries in range(_TRIES))
        return next(filter(None, found), None)

    def _try(self, kind: str, rank: int, tries: int) -> Inquiry | None:
        s = self._s
        name = kind if kind in ("span", "count") else "money"
        value = _VALUES[name]
        chosen = self._chosen(name, 3 if kind in ("three", "range") else 2, tries)
        if not chosen:
            return None
        if kind in ("span", "more", "range"):
            chosen.sort(key=lambda deed: (value(deed), deed.at), reverse=kind != "span")
        ends = (chosen[0], chosen[-1])
        one, two = (self._other(name, deed, chosen) for deed in ends)
        if one is None or two is None or one is two:
            return None
        found = numbers(_combined(kind, value, chosen), ends, (one, two), rank)
        if not found or not _fits(kind, value(chosen[1]), [value(each) for each in (*ends, one, two)], found):
            return None
        shown = tuple(self._shown(kind, chosen[0], number) for number in found)
        if any(self._is_told(kind, number, each) for number, each in zip(found, shown, strict=True)):
            return None
        told = sorted(chosen, key=lambda deed: deed.at)
        question = self._question(kind, chosen if kind in ("span", "more") else s.shuffled(chosen))
        lines = tuple(dict.fromkeys(line for deed in told for line in deed.evidence))
        return Inquiry(question, shown[:1], lines, "", shown[1:])

    def _chosen(self, name: str, size: int, tries: int) -> list[Deed] | None:
        """Operands of different things, near one another in half of the tries."""
        s, pool = self._s, self._pools[name]
        anchor = s.choice(pool)
        low = anchor.at - s.below(_NEAR)
        if tries % 4 < 2:
            pool = [deed for deed in pool if low <= deed.at <= low + _NEAR]
        elif tries % 4 == 2:
            pool = [deed for deed in pool if deed.part == anchor.part]
        things = {(anchor.theme, anchor.place)}
        free = [d for d in pool if (d.theme, d.place) not in things and (name != "count" or d.theme == anchor.theme)]
        chosen = [anchor]
        for deed in s.sample(free, min(len(free), 6)):
            if len(chosen) < size and (deed.theme, deed.place) not in things:
                things.add((deed.theme, deed.place))
                chosen.append(deed)
        return chosen if len(chosen) == size else None

    def _other(self, name: str, deed: Deed, chosen: Sequence[Deed]) -> Deed | None:
        pool = [
            each
            for each in self._others[name, deed.theme, str(deed.part)]
            if each not in chosen and (each.place == deed.place or each.stage == deed.stage)
        ]
        return self._s.choice(pool) if pool else None

    def _shown(self, kind: str, deed: Deed, number: int) -> str:
        if kind == "span":
            return f"{number} years"
        unit = self._data["things"][deed.theme]["measure"]["unit"] if kind == "count" else "crowns"
        return f"{number:,} {unit}"

    def _is_told(self, kind: str, number: int, shown: str) -> bool:
        """Whether the document says it anywhere."""
        words = f"{number_words(number)} years" if kind == "span" else shown
        return any(f" {each}" in f" {self._text}" for each in (shown, words, words.capitalize()))

    def _question(self, kind: str, chosen: Sequence[Deed]) -> str:
        s = self._s
        slots: dict[str, Any] = {
            key: deed.event if kind == "span" else deed.noun for key, deed in zip("abc", chosen, strict=False)
        }
        if kind == "count":
            slots["unit"] = self._data["things"][chosen[0].theme]["measure"]["unit"]
        return fill(s, s.choice(self._data["computation"][kind]), slots)


def _money(deed: Deed) -> int:
    return int(str(deed.slots.get("cost") or deed.slots["gift"]).split()[0].replace(",", ""))


_VALUES: dict[str, Callable[[Deed], int]] = {
    "span": lambda deed: deed.year,
    "money": _money,
    "count": lambda deed: int(deed.slots["n"]),
}


def _combined(kind: str, value: Callable[[Deed], int], chosen: Sequence[Deed]) -> Callable[[Deed, Deed], int]:
    """Return the answer as a function of the first and the last operand."""
    between = sum(map(value, chosen[1:-1]))
    if kind == "span":
        return lambda a, b: value(b) - value(a)
    if kind in ("more", "range"):
        return lambda a, b: value(a) - value(b)
    return lambda a, b: value(a) + value(b) + between


def _fits(kind: str, middle: int, ends: Sequence[int], found: Sequence[int]) -> bool:
    """A span is one of years; of three sums the dearest and the cheapest are so with other figures in their place as well.

    Args:
        kind: of question.
        middle: value of the second operand.
        ends: values of the first and the last operand, and of the deeds that could be mistaken for them.
        found: the options.
    """
    if kind == "span":
        return min(found) >= _LEAST_YEARS and max(found) <= _MOST_YEARS
    if kind == "range":
        return ends[0] > middle > ends[1] and ends[2] > middle > ends[3]
    return True
