"""qa17: where figures are in relation to one another (docs/spec/babilong.md 5.17). Longer stories have more figures.

Differs from the real files: no question comes twice in a story.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations, product

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.grid import STEPS, Step, Tree, grow
from worlds.babi_worlds.lines import Ask, Fact, Line, split_of
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup
from worlds.babi_worlds.telling import MANY, up_to
from worlds.babi_worlds.vocabulary import Vocabulary

_FACTS = 2
"""Facts of the real stories."""
_HALF = 4
"""Questions of a story with either answer, at most."""
_SIDES: dict[Step, str] = {
    (0, 1): "above",
    (0, -1): "below",
    (1, 0): "to the right of",
    (-1, 0): "to the left of",
}


def positions_lengths(words: Vocabulary) -> range:
    """Numbers of facts of qa17: each brings one more figure."""
    return up_to(len(words.figures) - 1, least=2)


def positions(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """Return one qa17 story: each question is whether one of two figures, two links apart, is on a side of the other.

    Three figures in a straight line allow half as many questions as three round a corner, so half of the stories have
    them, not a third: then shares of questions are as in the real files. If that only repeats earlier
    samples, any form is accepted.
    """
    facts = setup.facts or _FACTS
    while True:
        figures, tree = stream.sample(setup.vocabulary.figures, facts + 1), grow(stream, facts + 1)
        if facts == _FACTS and attempt < MANY and 0 not in tree.offset(1, 2) and stream.below(2):
            continue
        order = stream.shuffled(range(1, facts + 1))
        told = [_told(tree, figures, link, host_first=stream.below(3) > 0) for link in order]
        if split_of(*(fact.text for fact in told)) == split:
            break
    asked = _asked(stream, tree, figures, {link: number for number, link in enumerate(order, start=1)})
    for ask in asked:
        quota.count(ask.answer)
    return [*told, *asked]


def _told(tree: Tree, figures: Sequence[str], link: int, *, host_first: bool) -> Fact:
    one, two = (tree.hosts[link], link) if host_first else (link, tree.hosts[link])
    return Fact(f"The {figures[one]} is {_SIDES[tree.offset(one, two)]} the {figures[two]}.")


def _asked(stream: Stream, tree: Tree, figures: Sequence[str], line: Mapping[int, int]) -> list[Ask]:
    """As many questions with one answer as with the other, in random order."""
    asked: dict[str, list[Ask]] = {"yes": [], "no": []}
    for one, middle, other in stream.shuffled(list(tree.two_apart()))[: 2 * _HALF]:
        right, up = tree.offset(one, other)
        support = line[tree.link(one, middle)], line[tree.link(middle, other)]
        true = [step for step in STEPS if step[0] * right + step[1] * up > 0]
        false = stream.sample([step for step in STEPS if step not in true], len(true))
        for answer, steps in (("yes", true), ("no", false)):
            for step in steps:
                question = f"Is the {figures[one]} {_SIDES[step]} the {figures[other]}?"
                asked[answer].append(Ask(question, answer, support))
    return stream.shuffled([*asked["yes"][:_HALF], *asked["no"][:_HALF]])


@cache
def count_positions(setup: Setup, split: Split) -> int | None:
    """Return the number of different qa17 samples of a split, 19,200 in total: facts in either order, with all questions.

    None where there are too many to count.
    """
    if setup.facts not in (None, _FACTS) or len(setup.vocabulary.figures) > 6:
        return None
    count, flags = 0, (False, True)
    for figures, (one, two) in product(permutations(setup.vocabulary.figures, 3), permutations(STEPS, 2)):
        tree = Tree(((0, 0), one, two), (0, 0, 0))
        for first, second in product(flags, flags):
            told = _told(tree, figures, 1, host_first=first), _told(tree, figures, 2, host_first=second)
            if split_of(*(fact.text for fact in told)) == split:
                count += _HALF if 0 in tree.offset(1, 2) else 2 * _HALF
    return count // 2
