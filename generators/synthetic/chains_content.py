"""Chains of variables: names, values, statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from generators.synthetic.parts import part_of
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split

LOW, HIGH = 10_000, 99_998  # values (docs/spec/synthetic.md A3)
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no name is a word
_LENGTH = 5
ENGLISH = "Let {name} = {value}."


@dataclass(frozen=True, slots=True)
class Chain:
    """Variables that hold one value.

    Attributes:
        value: the number.
        names: in the order in which they are set.
        depths: of their statements, ascending, each in [0, 1).
    """

    value: int
    names: tuple[str, ...]
    depths: tuple[float, ...]

    def statements(self, form: str) -> Iterator[str]:
        """One sentence a variable: a {name}, and the {value} that it is set to."""
        for name, held in zip(self.names, (str(self.value), *self.names), strict=False):
            yield form.format(name=name, value=held)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence to place.

    Attributes:
        depth: in [0, 1).
        text: of the sentence.
        name: the variable it sets.
        kind: "gold" or "distractor".
    """

    depth: float
    text: str
    name: str
    kind: str


def statements(chains: Sequence[Chain], form: str = ENGLISH) -> list[Statement]:
    """All sentences in the order of their depths; the first chain is the asked one."""
    found = [
        Statement(depth, text, name, "distractor" if i else "gold")
        for i, chain in enumerate(chains)
        for depth, text, name in zip(chain.depths, chain.statements(form), chain.names, strict=True)
    ]
    return sorted(found, key=lambda statement: statement.depth)  # stable


def ascending(draws: Stream, count: int) -> tuple[float, ...]:
    """So many depths, drawn evenly."""
    return tuple(sorted(draws.unit() for _ in range(count)))


def apart(places: Sequence[int], most: int) -> list[int]:
    """Places, ascending, 0 to `most`: each moved as little as makes it differ from all others; all as they are where there is no room."""
    if len(places) > most + 1:
        return list(places)
    found = list(accumulate(places, lambda before, place: max(place, before + 1)))
    return [min(place, most - behind) for place, behind in zip(found, reversed(range(len(found))), strict=True)]


def variables(draws: Stream, part: Split) -> Iterator[str]:
    """Distinct names of a part in random order."""
    for number in draws.walk(len(_LETTERS) ** _LENGTH):
        digits = [number // len(_LETTERS) ** place % len(_LETTERS) for place in range(_LENGTH)]
        name = "".join(_LETTERS[digit] for digit in digits)
        if part_of(name) == part:
            yield name


def values(draws: Stream, part: Split) -> Iterator[int]:
    """Distinct values of a part in random order."""
    candidates = (LOW + i for i in draws.walk(HIGH - LOW + 1))
    return (value for value in candidates if part_of(str(value)) == part)


def one_digit_off(value: int) -> list[int]:
    """All values that differ from this one in one digit."""
    shown = str(value)
    changed = {int(shown[:i] + digit + shown[i + 1 :]) for i in range(len(shown)) for digit in "0123456789"}
    return sorted(other for other in changed - {value} if LOW <= other <= HIGH)
