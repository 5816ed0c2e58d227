"""Simulated novels: background text that no model has seen before, free of rights of others.

The story is simulated (`prose/story.py`): people with fixed tempers, kin, friends and grudges, and events with conditions and
effects; some events cause others and are remembered. Scenes tell the events, a hand-made grammar writes the sentences
(`prose/*.txt`), and hardly a run of eight words comes twice in a book.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import gcd

from haymaker.core.rng import Stream

from .prose.cards import pick
from .prose.cast import make_world, place_name, place_names
from .prose.morphology import fix_articles, title_case
from .prose.page import Page
from .prose.scenes import Book
from .prose.teller import Teller
from .prose.texts import lexicon

NOVELS_VERSION = 8  # raised whenever the bytes change
FEWEST_WORDS = 500
_YEARS = 40  # before the book was printed its story begins
_COLUMNS = 72
_WRAP = re.compile(rf"(.{{1,{_COLUMNS}}})(?: |$)")
_TITLES = (
    "The {noun} of {place}",
    "{place}; or, The {noun}",
    "The {noun}: A Tale of {place}",
    "{place} and the {noun}",
    "A {noun} at {place}",
    "The {noun} from {place}",
    "The Chronicles of {place}: The {noun}",
    "{place}: A History of the {noun}",
    "The {place} {noun}",
    "The Last {noun} of {place}",
)
_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@dataclass(frozen=True, slots=True)
class Novel:
    """A book of the collection.

    Attributes:
        doc_id: unique within the collection, such as "novel-000012".
        title: unique among the first two hundred thousand books of a seed.
        author: invented.
        year: invented, 1790 to 1918.
        text: title page and chapters, hard-wrapped at 72 columns, ASCII.
    """

    doc_id: str
    title: str
    author: str
    year: int
    text: str


@cache
def _title_nouns() -> list[str]:
    words = lexicon()
    fields = ("n.trade", "n.woman", "n.keepsake", "n.building", "n.affair", "n.bird")
    return [title_case(word) for word in dict.fromkeys(w for f in fields for w in words[f])]


def _title(seed: int, index: int) -> str:
    """Titles walk through all (pattern, place, noun) in steps without common divisor, so they cannot meet."""
    nouns, places = _title_nouns(), place_names()
    size = len(nouns) * places * len(_TITLES)
    s = Stream(seed, "novels", "titles")
    start, step = s.below(size), s.below(size) | 1
    while gcd(step, size) > 1:
        step += 2
    code = (start + index * step) % size
    code, pattern = divmod(code, len(_TITLES))
    place, noun = divmod(code, len(nouns))
    return fix_articles(_TITLES[pattern].format(noun=nouns[noun], place=place_name(place)))


def _author(s: Stream) -> str:
    words = lexicon()
    given = words["name.man"] + words["name.woman"]
    surname = s.choice(words["name.front"]) + s.choice(words["name.surend"])
    return f"{s.choice(given)} {s.choice(given)[0]}. {surname}" if s.chance(0.4) else f"{s.choice(given)} {surname}"


def _roman(n: int) -> str:
    out = ""
    for value, letters in _ROMAN:
        out += letters * (n // value)
        n %= value
    return out


def _chapters(t: Teller, book: Book, words: int) -> Iterator[tuple[str, bool]]:
    """Endless blocks of text; True for a heading."""
    number = spent = 0
    while True:
        number += 1
        heading = fix_articles(book.upcoming(spent / words))
        yield f"CHAPTER {_roman(number)}\n\n{heading[0].upper()}{heading[1:]}", True
        end = spent + min(1900 + pick(t, 3200), max(words // 2, 600))
        while spent < end:
            for block in book.quiet() if pick(t, 3) else book.event(spent / words):
                spent += block.count(" ")
                yield block, False


def _body(t: Teller, words: int) -> Iterator[str]:
    """Blocks up to the word budget; the last ones are chosen to fit."""
    page = Page(t)
    left, slack = words, max(words // 50, 10)
    for block, heading in _chapters(t, Book(t, page), words):
        size = len(block.split())
        if heading and left < 200:
            continue
        if size > left:
            break
        left -= size
        yield block
        if left <= slack:
            return
    while left > slack:
        page.new_scene()
        block = page.paragraph("m.reflect")
        size = len(block.split())
        if block and size <= left + slack:
            left -= size
            yield block


def _wrap(block: str) -> str:
    return "\n".join(_WRAP.sub(r"\1\n", line).rstrip("\n") for line in block.split("\n"))


def write_novel(seed: int, index: int, *, words: int) -> Novel:
    """The index-th novel of the collection `seed`, a pure function of its arguments.

    Args:
        seed: names the collection.
        index: position in the collection, from 0.
        words: wished length in words (white-space separated); kept within 3 %.

    Raises:
        ValueError: index is negative, or words is under 500.
    """
    if index < 0 or words < FEWEST_WORDS:
        raise ValueError(f"a novel needs index >= 0 and words >= {FEWEST_WORDS}, not {index} and {words}")
    s = Stream(seed, "novels", NOVELS_VERSION, index)
    title, author, year = _title(seed, index), _author(s), 1790 + s.below(129)
    t = Teller(s, make_world(s), year - _YEARS)
    front = [title.upper(), f"By {author}", str(year)]
    blocks = front + list(_body(t, words - sum(len(b.split()) for b in front)))
    return Novel(f"novel-{index:06d}", title, author, year, "\n\n".join(map(_wrap, blocks)) + "\n")
