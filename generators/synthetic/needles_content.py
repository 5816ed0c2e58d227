"""Hidden contents of needle rows: keys, values, depths. Drawn by group, the same at every length."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Literal

from generators.context.ranked import binned
from generators.generated.vocabulary import KeyWords, value
from generators.synthetic.needles_settings import NeedleSettings, Wording
from generators.synthetic.phrases import Phrases
from haymaker.core.rng import Stream

BINS = 10  # bins of the context that groups alternate between, if a group has one depth

Draws = Callable[[str], Stream]
"""Random stream of a group, by purpose."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence to hide.

    Attributes:
        text: text without the space before it.
        key, value: contents; empty for a decoy.
        kind: gold (the question asks for it), distractor (another key) or decoy (no needle).
        depth: 0.0 before the first unit .. 1.0 after the last.
    """

    text: str
    key: str
    value: str
    kind: Literal["gold", "distractor", "decoy"]
    depth: float


@dataclass(frozen=True, slots=True)
class Content:
    """What one row of a group hides.

    Attributes:
        keys: keys in the order of the question.
        statements: sentences in order of place.
        depth: depth of the row, from the first gold needle in the text on a grid, else from a needle of the key that the question
            names first; None if nothing is there.
        depth_index: point of the grid, or bin; None if nothing is there.
    """

    keys: tuple[str, ...]
    statements: tuple[Statement, ...]
    depth: float | None
    depth_index: int | None

    def answers(self) -> list[list[str]]:
        """Return one group per value: keys in the order of the question, values of a key in the order of the text."""
        golds = [s for s in self.statements if s.kind == "gold"]
        return [[s.value] for key in self.keys for s in golds if s.key == key] if golds else [["none"]]


def content(
    settings: NeedleSettings, phrases: Phrases, group: int, point: int, unanswerable: bool, draws: Draws, taken: Collection[str]
) -> Content:  # fmt: skip
    """Draw what a row hides. `point` of the depth grid is ignored if the row is unanswerable; no key or value is one of the `taken` words."""
    gold, count = settings.gold, settings.gold + settings.distractors * settings.values
    substitutes = settings.queries if unanswerable and settings.key != "none" else 0
    named = _keys(settings, phrases.key_words, substitutes, draws, taken)
    values = distinct(partial(value, settings.value, draws("values")), len(named) * settings.values, taken)
    if unanswerable:
        point = draws("absent point").below(settings.depths)
    index, places = _places(settings, group, point, draws("depths"))
    first, free = min(places) if settings.depths > 1 else places[0], draws("distractor depths")
    places += [(free.unit(), i) for i in range(gold, count)]
    shown = range(count)
    if unanswerable:  # further distractors take the places of the missing needles, so their number gives nothing away
        places += places[: substitutes * settings.values]
        shown = range(gold, len(places))
    wanted, wording = tuple(named[: settings.queries]), Wording(settings, phrases)
    forms = _forms(wording, len(shown), draws("wordings"))
    needles = [
        Statement(wording.statements(key, said)[form], key, said, "gold" if key in wanted else "distractor", depth)
        for form, ((depth, _), key, said) in zip(
            forms, sorted((places[i], named[i // settings.values], values[i]) for i in shown), strict=False
        )
    ]
    decoys = _decoys(wording, forms[len(needles) :], draws, taken, named, values) if settings.decoys else []
    found = tuple(sorted([*needles, *decoys], key=lambda each: each.depth))
    return Content(wanted, found, None, None) if unanswerable else Content(wanted, found, first[0], index)


def _forms(wording: Wording, needles: int, stream: Stream) -> list[int]:
    """Return the wordings of needles, then of decoys: together each equally often, and none more often with either."""
    count = len(wording.statements("", ""))
    return stream.shuffled(list(islice(cycle(stream.shuffled(range(count))), needles + wording.settings.decoys)))


def _decoys(wording: Wording, same: Sequence[int], draws: Draws, *taken: Collection[str]) -> list[Statement]:
    """Draw decoys; `same` are their wordings, if they share those of the needles."""
    settings, kind = wording.settings, "uuid" if wording.settings.key == "uuid" else "word"
    names = distinct(partial(key, kind, draws("decoy names"), wording.phrases.key_words), settings.decoys, *taken)
    values = distinct(partial(value, settings.value, draws("decoy values")), settings.decoys, *taken)
    forms, depths = list(wording.decoys()), draws("decoy depths")
    several = len(wording.statements("", "")) > 1
    forms = [forms[each] for each in same] if several else draws("decoy forms").shuffled(forms)
    texts = [form.format(name=name, value=said) for form, name, said in zip(cycle(forms), names, values, strict=False)]
    return [Statement(text[0].upper() + text[1:], "", "", "decoy", depths.unit()) for text in texts]


def _places(settings: NeedleSettings, group: int, point: int, stream: Stream) -> tuple[int, list[tuple[float, int]]]:
    """Return depth index, and (depth, rank at equal depths) of each gold needle: in a bin of its own, or at and after a grid point.

    The first needle's bin alternates between groups (docs/defects/synthetic.md A5 #7); the others' are drawn. On a grid
    (docs/spec/synthetic.md B) the needles keep the order of their bins at every point.
    """
    count = settings.gold
    index, depth = binned(group, BINS, stream)
    bins = [index, *stream.shuffled([each for each in range(BINS) if each != index])]
    depths = [depth, *((bins[j % BINS] + stream.unit()) / BINS for j in range(1, count))]
    order = sorted(range(count), key=depths.__getitem__)
    ranks = [order.index(j) for j in range(count)]
    if settings.depths > 1:
        index, start = point, point / (settings.depths - 1)
        depths = [start + (1 - start) * rank / count for rank in ranks]
    return index, list(zip(depths, ranks, strict=True))


def _keys(settings: NeedleSettings, made_of: KeyWords, further: int, draws: Draws, taken: Collection[str]) -> list[str]:
    """Return different keys: of the question (docs/defects/synthetic.md A5 #11), of distractors, and some further ones."""
    if settings.key == "none":
        return [""]
    others, near = settings.distractors + further, settings.distractor_similarity == "high"
    count = settings.queries + (0 if near else others)
    found, stream = distinct(partial(key, settings.key, draws("keys"), made_of), count, taken), draws("near keys")

    def alike() -> str:
        name = stream.choice(found)
        if settings.key == "uuid":
            return f"{name.rpartition('-')[0]}-{value('uuid', stream).rpartition('-')[2]}"
        return made_of.near(name, stream)

    return found + distinct(alike, others, taken, found) if near else found


def key(kind: str, stream: Stream, made_of: KeyWords) -> str:
    """Return a random key: a name of two words, or a UUID."""
    return value("uuid", stream) if kind == "uuid" else made_of.draw(stream)


def distinct(draw: Callable[[], str], count: int, *taken: Collection[str]) -> list[str]:
    """Return the first `count` different texts that are not taken."""
    found: dict[str, None] = {}
    while len(found) < count:
        text = draw()
        if not any(text in texts for texts in taken):
            found[text] = None
    return list(found)
