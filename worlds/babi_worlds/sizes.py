"""qa18: what is bigger, what fits (docs/spec/babilong.md 5.18). Longer stories have more things.

Differs from the real files: no question occurs twice in a story. If several pairs of facts join two things, the supports are
the pair that was complete first and, of several, the pair whose other fact came first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line, split_of
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup
from worlds.babi_worlds.telling import up_to
from worlds.babi_worlds.vocabulary import Vocabulary

_THINGS, _BLOCK, _QUESTIONS = 6, 5, 5
"""Things of a real story; its facts come in blocks of five until a question can be asked, then come five questions."""
_FORMS = 4
"""Questions about a pair."""
Pair = tuple[str, str]
"""What is bigger, what is smaller."""


def sizes_lengths(words: Vocabulary) -> range:
    """Numbers of facts of qa18: things may be compared any number of times."""
    return up_to(10**9, least=2)


def sizes(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa18 story."""
    while True:
        told = _compared(stream, setup)
        facts = [_fact(stream, *pair) for pair in told]
        if split_of(*(fact.text for fact in facts)) == split:
            joined = _joined(told)
            if joined:
                return [*facts, *_asked(stream, quota, joined)]


def _compared(stream: Stream, setup: Setup) -> list[Pair]:
    """Pairs as told: as many as were asked for, or blocks until two of them join."""
    things = _cast(stream, setup)
    told: list[Pair] = []
    while not told or not (setup.facts or _joined(told)):
        for _ in range(setup.facts or _BLOCK):
            small, big = sorted(stream.sample(range(len(things)), 2))
            told.append((things[big], things[small]))
    return told


def _cast(stream: Stream, setup: Setup) -> list[str]:
    """Things of a story, from small to big; one more than facts, at least six."""
    things = [thing for row in setup.vocabulary.things for thing in stream.shuffled(row)]
    size = min(len(things), max(_THINGS, (setup.facts or 0) + 1))
    return [things[at] for at in sorted(stream.sample(range(len(things)), size))]


def _fact(stream: Stream, big: str, small: str) -> Fact:
    if stream.below(2):
        return Fact(f"The {big} is bigger than the {small}.")
    return Fact(f"The {small} fits inside the {big}.")


def _joined(told: Sequence[Pair]) -> dict[Pair, tuple[int, int]]:
    """Pairs that two facts join: the line about the bigger thing, then the one about the smaller."""
    lines: dict[Pair, int] = {}
    joined: dict[Pair, tuple[int, int]] = {}
    for line, pair in enumerate(told, start=1):
        if pair in lines:
            continue
        for (big, small), earlier in lines.items():
            if small == pair[0]:
                joined.setdefault((big, pair[1]), (earlier, line))
            elif big == pair[1]:
                joined.setdefault((pair[0], small), (line, earlier))
        lines[pair] = line
    return joined


def _asked(stream: Stream, quota: Quota, joined: Mapping[Pair, tuple[int, int]]) -> list[Ask]:
    """Five questions, no two alike; four where only one pair is joined."""
    pairs, asked = list(joined.items()), dict[str, Ask]()

    def draw() -> Ask:
        while True:
            ask = _question(stream, *stream.choice(pairs))
            if ask.question not in asked:
                return ask

    for _ in range(min(_QUESTIONS, _FORMS * len(pairs))):
        ask = quota.draw(draw, lambda ask: ask.answer)
        assert ask is not None
        quota.count(ask.answer)
        asked[ask.question] = ask
    return list(asked.values())


def _question(stream: Stream, pair: Pair, lines: tuple[int, int]) -> Ask:
    """One of the four questions about a pair.

    The line about the bigger thing is first among the supports; two times in three it is the later line (fitted).
    """
    (big, small), answer = pair, "yes"
    if (lines[0] > lines[1]) != (stream.below(3) > 0):
        big, small, lines, answer = small, big, lines[::-1], "no"
    if stream.below(2):
        return Ask(f"Is the {big} bigger than the {small}?", answer, lines)
    return Ask(f"Does the {small} fit in the {big}?", answer, lines)
