"""What a group of a needle task hides and asks: settings, keys, values, depths; the same at every length."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from generators.context.ranked import binned
from generators.synthetic.needles_drawn import distinct, keys, near, values
from generators.synthetic.needles_settings import NeedleSettings
from generators.synthetic.phrases import Phrases
from generators.synthetic.vocabulary import KeyWords
from haymaker.core.rng import Stream

BINS = 10  # parts of the context that groups take turns in, where a group has one depth

Draws = Callable[[str], Stream]
"""Draws of a group for a purpose."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence to hide.

    Attributes:
        text: without the space before it.
        key, value: what it says; a decoy's are empty.
        kind: gold: the question asks for it; distractor: for another key; decoy: no needle.
        depth: where it stands, 0.0 before the first unit .. 1.0 behind the last.
    """

    text: str
    key: str
    value: str
    kind: Literal["gold", "distractor", "decoy"]
    depth: float

    @property
    def is_gold(self) -> bool:
        """Whether the question asks for it."""
        return self.kind == "gold"


@dataclass(frozen=True, slots=True)
class Content:
    """What one row of a group hides.

    Attributes:
        keys: asked for, in the order of the question.
        statements: in order of place.
        first: the needle whose place is the row's depth: on a grid the first one asked for in the text, else the first one of the
            key that the question names first; None where it is absent.
        depth_index: its point of the grid, or its bin; None where it is absent.
    """

    keys: tuple[str, ...]
    statements: tuple[Statement, ...]
    first: Statement | None
    depth_index: int | None

    def answers(self) -> list[list[str]]:
        """One group per value: keys in the order of the question, values of a key in the order of the text."""
        golds = [s for s in self.statements if s.is_gold]
        return [[s.value] for key in self.keys for s in golds if s.key == key] if golds else [["none"]]


def content(
    settings: NeedleSettings,
    phrases: Phrases,
    group: int,
    point: int,
    absent: bool,
    draws: Draws,
    taken: Collection[str],
) -> Content:
    """Draw what a row hides.

    Args:
        settings: of the task.
        phrases: of its language.
        group: number.
        point: of the depth grid; of no account where it is absent.
        absent: leave out what is asked for.
        draws: of the group.
        taken: words that the haystack says anyway: no key or value is one of them.
    """
    count, gold_count = settings.queries + settings.distractors, settings.queries * settings.values
    stands_in = settings.queries if absent and settings.key != "none" else 0
    named = _keys(settings, phrases.key_words, stands_in, draws, taken)
    all_values = distinct(values(settings.value, draws("values")), len(named) * settings.values, taken)
    wording, free = settings.said_in(phrases), draws("distractor depths")
    if absent:
        point = draws("absent point").below(settings.depths)
    index, places = _places(settings, group, point, gold_count, draws("depths"))
    places += [(free.unit(), i) for i in range(gold_count, count * settings.values)]
    first = min(places[:gold_count]) if settings.depths > 1 else places[0]
    wanted, shown = tuple(named[: settings.queries]), range(count * settings.values)
    if absent:  # further distractors stand where the needles asked for stood, so that their number says nothing
        places += places[: stands_in * settings.values]
        shown = range(gold_count, len(places))
    needles = [(places[i], named[i // settings.values], all_values[i]) for i in shown]
    statements = [
        Statement(wording.statement(key, value), key, value, "gold" if key in wanted else "distractor", place[0])
        for place, key, value in sorted(needles)
    ]
    found = _with_decoys(statements, settings, phrases, draws, {*taken, *named, *all_values})
    if absent:
        return Content(wanted, found, None, None)
    return Content(wanted, found, statements[sorted(place for place, _, _ in needles).index(first)], index)


def _with_decoys(
    statements: list[Statement], settings: NeedleSettings, phrases: Phrases, draws: Draws, taken: Collection[str]
) -> tuple[Statement, ...]:
    """The statements and sentences that say further names and values, in order of place."""
    if not settings.decoys:
        return tuple(statements)
    kind = "uuid" if settings.key == "uuid" else "word"
    names = distinct(keys(kind, draws("decoy names"), phrases.key_words), settings.decoys, taken)
    said = distinct(values(settings.value, draws("decoy values")), settings.decoys, taken)
    forms, places = draws("decoy forms").shuffled(list(settings.said_in(phrases).decoys())), draws("decoy depths")
    texts = [
        forms[i % len(forms)].format(name=name, value=value)
        for i, (name, value) in enumerate(zip(names, said, strict=True))
    ]
    decoys = [Statement(text[0].upper() + text[1:], "", "", "decoy", places.unit()) for text in texts]
    return tuple(sorted([*statements, *decoys], key=lambda each: each.depth))


def _places(
    settings: NeedleSettings, group: int, point: int, count: int, stream: Stream
) -> tuple[int, list[tuple[float, int]]]:
    """Depth index, and (depth, turn at equal depths) of the needles asked for: each in a bin of its own, or on and behind a grid point.

    Of the bins, groups take turns for the first needle (docs/defects/synthetic.md A5 #7); those of the others are drawn. On a
    grid (docs/spec/synthetic.md B) they stand in the order in which the bins have them: drawn, not that of the question, and
    the same at every point.
    """
    index, depth = binned(group, BINS, stream)
    bins = [index, *stream.shuffled([each for each in range(BINS) if each != index])]
    depths = [depth, *((bins[j % BINS] + stream.unit()) / BINS for j in range(1, count))]
    order = sorted(range(count), key=depths.__getitem__)
    turns = [order.index(j) for j in range(count)]
    if settings.depths > 1:
        index, start = point, point / (settings.depths - 1)
        depths = [start + (1 - start) * turn / count for turn in turns]
    return index, list(zip(depths, turns, strict=True))


def _keys(settings: NeedleSettings, made_of: KeyWords, further: int, draws: Draws, taken: Collection[str]) -> list[str]:
    """Distinct keys, the asked ones first (docs/defects/synthetic.md A5 #11), then distractors and so many further ones."""
    if settings.key == "none":
        return [""]
    others = settings.distractors + further
    count = settings.queries + (others if settings.closeness == "far" else 0)
    found = distinct(keys(settings.key, draws("keys"), made_of), count, taken)
    if settings.closeness == "far":
        return found
    alike = near(settings.key, found, draws("near keys"), made_of)
    return found + distinct((key for key in alike if key not in found), others, taken)
