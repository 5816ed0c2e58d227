"""qa4 and qa19: where places are in relation to one another (docs/spec/babilong.md 5.4, 5.19).

Differs from the real files: no two places lie on one point. Longer stories have a longer row (qa4) or a bigger tree (qa19).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.grid import Step, Tree, grow
from worlds.babi_worlds.lines import Ask, Fact, Line
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup
from worlds.babi_worlds.telling import MANY, one_question, part_of_story, up_to
from worlds.babi_worlds.vocabulary import COMPASS, Vocabulary

_ROW, _TREE = 2, 5
"""Facts of the real stories."""
_WAYS: dict[Step, str] = {(0, 1): "north", (0, -1): "south", (1, 0): "east", (-1, 0): "west"}


class _Row(NamedTuple):
    """Everything there is to choose for a qa4 story.

    Attributes:
        places: from end to end; each lies `axis[0]` of the next.
        begins: for each pair of neighbours, whether the one nearer to the middle of the row begins the sentence.
        order: pairs in the order of the text.
        asked: the fact that the question is about.
        flip: the question names the place that begins the fact, not the one that ends it.
        inverse: it asks "what is the office north of".
    """

    places: Sequence[str]
    axis: tuple[str, str]
    begins: Sequence[bool]
    order: Sequence[int]
    asked: int
    flip: bool
    inverse: bool

    def lines(self) -> list[Line]:
        """Facts and question."""
        told = [self._sentence(pair) for pair in self.order]
        subject, way, other = told[self.asked]
        opposite = self.axis[way == self.axis[0]]
        if self.flip:
            subject, way, opposite, other = other, opposite, way, subject
        question = f"What is the {other} {opposite} of?" if self.inverse else f"What is {way} of the {other}?"
        facts = [Fact(f"The {one} is {where} of the {two}.") for one, where, two in told]
        return [*facts, Ask(question, subject, (1 + self.asked,))]

    def _sentence(self, pair: int) -> tuple[str, str, str]:
        """(place, direction, place) as told."""
        ahead, behind = self.axis
        one, two = self.places[pair], self.places[pair + 1]
        inner_is_two = 2 * pair + 1 < len(self.begins)
        return (two, behind, one) if inner_is_two == self.begins[pair] else (one, ahead, two)


def lengths(words: Vocabulary) -> range:
    """Numbers of facts of qa4 and qa19: each brings one more place."""
    return up_to(len(words.places["A"]) - 1, least=2)


def two_arguments(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa4 story.

    First as in the real files: the inner place of a fact ends it twice as often as it begins it, and the question names
    the place that ends the fact. Where that only repeats earlier samples, anything possible.
    """
    places = setup.vocabulary.places["A"]
    facts, loose = setup.facts or _ROW, attempt >= MANY

    def draw() -> list[Line]:
        return _Row(
            places=stream.sample(places, facts + 1),
            axis=stream.choice(COMPASS),
            begins=[stream.below(2 if loose else 3) == 0 for _ in range(facts)],
            order=stream.shuffled(range(facts)),
            asked=stream.below(facts),
            flip=loose and stream.below(2) == 0,
            inverse=stream.below(2) == 0,
        ).lines()

    return one_question(draw, split, quota, attempt)


@cache
def count_two_arguments(setup: Setup, split: Split) -> int | None:
    """Return the number of different qa4 samples of a split, 7,680 in total; the order of facts does not count.

    None where there are too many to count.
    """
    places, flags = setup.vocabulary.places["A"], (False, True)
    if setup.facts not in (None, _ROW) or len(places) > 6:
        return None
    rows, begins = permutations(places, 3), list(product(flags, flags))
    ways = product(rows, COMPASS, begins, [(0, 1)], range(2), flags, flags)
    return sum(part_of_story(_Row(*way).lines()) == split for way in ways)


def path_finding(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa19 story: a walk of two steps, and places around it."""
    places = setup.vocabulary.places["A"]
    facts = setup.facts or _TREE

    return one_question(lambda: _walk(stream, stream.sample(places, facts + 1)), split, quota, attempt)


def _walk(stream: Stream, places: Sequence[str]) -> list[Line]:
    """Facts of a tree, and how to go from node 1 over node 0 to node 2.

    Round a corner no place lies at the other corner, so that the walk over it is none that a reader may think of.
    """
    tree = grow(stream, len(places))
    while _has_other_corner(tree):
        tree = grow(stream, len(places))
    order = _order(stream, len(places))
    lines: list[Line] = [Fact(_told(stream, tree, places, link)) for link in order]
    steps = _WAYS[tree.offset(0, 1)][0], _WAYS[tree.offset(2, 0)][0]
    question = f"How do you go from the {places[1]} to the {places[2]}?"
    return [*lines, Ask(question, ",".join(steps), (1 + order.index(1), 1 + order.index(2)))]


def _has_other_corner(tree: Tree) -> bool:
    """Whether nodes 0, 1 and 2 are three corners of a square whose fourth is a node too."""
    (x, y), (right, up), (other_right, other_up) = tree.points[0], tree.offset(1, 0), tree.offset(2, 0)
    across = x + right + other_right, y + up + other_up
    return across in tree.points[1:]


def _order(stream: Stream, size: int) -> list[int]:
    """Return the links in text order: links of the walk tend to come late, as in the real files (fitted)."""
    walk, others = stream.shuffled((1, 2)), stream.shuffled(range(3, size))
    order = []
    while walk or others:
        early = stream.below(2 * len(walk) + 3 * len(others)) < 2 * len(walk)
        order.append((walk if early else others).pop())
    return order


def _told(stream: Stream, tree: Tree, places: Sequence[str], link: int) -> str:
    """One fact; the place that another hangs on mostly ends it (56 % along the walk, else 72 %: fitted)."""
    one, two = link, tree.hosts[link]
    if stream.below(25) >= (14 if link < 3 else 18):
        one, two = two, one
    return f"The {places[one]} is {_WAYS[tree.offset(one, two)]} of the {places[two]}."
