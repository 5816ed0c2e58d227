"""A block in the making: who and what is in it, and the draws that all its parts share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from haymaker.core.rng import Stream
from haymaker.core.text.english_grammar import MONTHS

from . import ENCYCLOPAEDIA_VERSION
from .model import BLOCK, LAYOUT, PEOPLE, Entity
from .names import FAMILIES, Culture, Family, cultures, data, family

MINORS = 45  # further families per block: people who have no article
_HAMLETS = 24  # per block
TITLES = 60  # per block
MOST_KIN = 4  # of a family have an article
_MEDIAN_VIEWS, _MOST_VIEWS = 300, 2_000_000
_YEARS = range(1800, 2030)
T = TypeVar("T")


@dataclass(slots=True)
class Making:
    """State while a block is made.

    Attributes:
        seed, block: name the block.
        s: the block's stream.
        culture, families: who lives there.
        place: number of this block among the blocks of its culture.
        era: first year in which its people are born.
        entities: by kind.
        others: families of people without an article.
        minors: names of people without an article, by sex; each is used once.
        kinsmen: surname -> names of men of that family without an article.
    """

    seed: int
    block: int
    s: Stream
    culture: Culture
    place: int
    era: int
    families: list[Family]
    others: list[Family]
    minors: dict[str, list[str]]
    kinsmen: dict[str, list[str]]
    entities: dict[str, list[Entity]] = field(default_factory=dict)
    left: dict[str, list[str]] = field(default_factory=dict)
    titles: int = 0

    def add(self, kind: str, name: str, *, short: str = "", pronoun: str = "it", aliases: Iterable[str] = ()) -> Entity:
        """The next entity of a kind."""
        kin = self.entities.setdefault(kind, [])
        index = self.block * BLOCK + _FIRST[kind] + len(kin)
        entity = Entity(index, kind, name, name, short or name, pronoun, views(self.s), [name, *aliases])
        kin.append(entity)
        return entity

    def word(self, field_name: str) -> str:
        """A word of a list of words.yaml, none twice in a block before all were used."""
        left = self.left.setdefault(field_name, [])
        if not left:
            left.extend(self.s.shuffled(data("words.yaml")[field_name]))
        return left.pop()

    def minor(self, sex: str = "") -> str:
        """A person who has no article."""
        return self.minors[sex or self.s.choice(("men", "women"))].pop()

    def spare_title(self) -> int:
        """Number of a title for a picture or an opera; those of books, films and albums come first in a block."""
        self.titles += 1
        return (self.block + 1) * TITLES - self.titles

    def people(self) -> list[Entity]:
        """Everybody with an article, in order."""
        return [person for kind in PEOPLE for person in self.entities[kind]]

    def date(self, year: int) -> str:
        """A day of a year."""
        return f"{self.s.between(1, 28)} {self.s.choice(MONTHS)} {year}"


_FIRST: dict[str, int] = {}
for _kind, _count in LAYOUT.items():
    _FIRST[_kind] = sum(LAYOUT[k] for k in _FIRST)


def kind_at(index: int) -> str:
    """The kind of article `index`."""
    slot = index % BLOCK
    return next(kind for kind in reversed(_FIRST) if _FIRST[kind] <= slot)


def views(s: Stream) -> int:
    """Page views a month: a Pareto tail; half of all articles have fewer than 320, one in four more than 1,000."""
    return min(int(_MEDIAN_VIEWS * (2 * (1 - s.unit())) ** -1.6), _MOST_VIEWS) + 20


def american(date: str) -> str:
    """The other usual way to write "14 March 1871"."""
    day, month, year = date.split()
    return f"{month} {day}, {year}"


def thousands(s: Stream, low: int, high: int) -> tuple[str, str]:
    """A number that hardly comes twice and is no recent year, with and without its comma; small ones more often."""
    number = int(low * (high / low) ** s.unit())
    number += (number % 10 == 0) + 1000 * (number in _YEARS)
    return f"{number:,}", str(number)


def measures(numbers: Sequence[str], *units: str) -> tuple[str, ...]:
    """Return a measure or a count in each spelling of number and unit, and the number without unit, which the question names."""
    return (*(f"{number} {unit}" for unit in units for number in numbers), *numbers)


def tenths(s: Stream, low: int, high: int) -> tuple[str]:
    """Return the spellings of a number of up to three digits with one decimal place."""
    return (f"{thousands(s, low, high)[0]}.{s.between(1, 9)}",)


def split(s: Stream, items: Sequence[T], shares: Sequence[int]) -> list[list[T]]:
    """Items in random order, cut into runs of about the given shares; each run has at least one where there are enough."""
    pool = s.shuffled(items)
    total, out, at = sum(shares), [], 0
    for i, share in enumerate(shares):
        rest = len(shares) - i - 1
        size = max(1, min(round(len(pool) * share / total), len(pool) - at - rest))
        out.append(pool[at : at + size])
        at += size
    out[0].extend(pool[at:])
    return out


def begin(seed: int, block: int) -> Making:
    """An empty block."""
    s = Stream(seed, "encyclopaedia", ENCYCLOPAEDIA_VERSION, "block", block)
    culture = cultures()[block % len(cultures())]
    place = block // len(cultures())
    first = place * (FAMILIES + MINORS)
    families = [family(seed, culture, first + j) for j in range(FAMILIES)]
    others = [family(seed, culture, first + FAMILIES + j) for j in range(MINORS)]
    minors = {
        "men": s.shuffled([f"{given} {other.surname}" for other in others for given in other.men]),
        "women": s.shuffled([f"{given} {other.surname}" for other in others for given in other.women]),
    }
    kinsmen = {each.surname: [f"{given} {each.surname}" for given in each.men[MOST_KIN:]] for each in families}
    return Making(seed, block, s, culture, place, 1862 + s.below(48), families, others, minors, kinsmen)


def hamlets(m: Making) -> tuple[str, ...]:
    """Places of the block that have no article."""
    stems = m.s.sample([other.surname for other in m.others], _HAMLETS)
    return tuple(f"{stem} {m.s.choice(data('words.yaml')['hamlets'])}" for stem in stems)
