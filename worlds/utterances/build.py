"""Utterances by label: a pattern with newly drawn slots, and small talk before and after it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import LabelledText, Split
from worlds.prose.morphology import fix_articles

UTTERANCES_VERSION = 4
_SLOT = re.compile(r"<(\w+)>")
_HELD_OUT = 3  # of a kind's question patterns, one in so many is for test and dev only
_CHATTY = 0.3  # share of requests with small talk before them, and after them
_TRIES = 200  # draws looked at for one more text that is new
_PARTS: tuple[Split, ...] = (
    "test",
    "dev",
    "train",
)  # in the order in which texts are drawn: more train texts change no test text
_NAMES = MappingProxyType({"coarse": 6, "fine": 50, "home": 68, "ferry": 77, "desk": 151})


@dataclass(frozen=True, slots=True)
class Label:
    """How texts of a class are made.

    Attributes:
        name: natural name.
        patterns: with slots, for train texts.
        held_out: patterns for test and dev texts; of questions none that train texts use.
        things: what the slot <t> may be; empty for questions.
        is_request: whether small talk surrounds it; otherwise it is a question.
    """

    name: str
    patterns: tuple[str, ...]
    held_out: tuple[str, ...]
    things: tuple[str, ...]
    is_request: bool


def set_names() -> tuple[str, ...]:
    """All sets: coarse (6 labels), fine (50), home (68), ferry (77), desk (151)."""
    return tuple(_NAMES)


@cache
def labels(name: str) -> tuple[Label, ...]:
    """The labels of a set, in the order of the word file.

    Raises:
        BuildError: the word file gives another number of labels than the set must have.
    """
    made = _questions(name) if name in ("coarse", "fine") else _requests(name)
    if len(made) != _NAMES[name]:
        raise BuildError(f"set {name!r} has {len(made)} labels, not {_NAMES[name]}", where="utterances/words.yaml")
    return made


def texts(seed: int, name: str, counts: Mapping[Split, int]) -> list[LabelledText]:
    """All texts of a set, every one once: per label and split so many.

    Args:
        seed: of the source.
        name: of the set.
        counts: texts per label, by split.

    Raises:
        BuildError: a label cannot be said in so many ways.
    """
    seen: set[str] = set()
    out = []
    for split in _PARTS:
        for label in labels(name):
            stream = Stream("world", "utterances", seed, name, label.name, split)
            for number in range(counts.get(split, 0)):
                text = _fresh(label, split, stream, seen)
                out.append(LabelledText(f"{split}-{label.name}-{number:06d}", split, text, label.name))
    return out


def _fresh(label: Label, split: Split, stream: Stream, seen: set[str]) -> str:
    for _ in range(_TRIES):
        text = _said(label, split, stream)
        if (key := text.casefold()) not in seen:
            seen.add(key)
            return text
    raise BuildError(f"label {label.name!r} has no new texts left", fix="request fewer texts per label")


def _said(label: Label, split: Split, stream: Stream) -> str:
    pattern = stream.choice(label.patterns if split == "train" else label.held_out)
    if label.things:
        pattern = pattern.replace("<t>", stream.choice(label.things))
    if not label.is_request:
        return _filled(pattern, stream) + "?"
    around = _words()
    before, after = (stream.choice(around[side]) if stream.chance(_CHATTY) else "" for side in ("before", "after"))
    text = _filled(before + pattern + ("" if _doubled(pattern, after) else after), stream)
    if stream.chance(0.5):
        text = text[0].upper() + text[1:]
    return text + stream.choice(("", "", ".", "!", "?"))


def _doubled(pattern: str, after: str) -> bool:
    """Return whether the text after a request repeats it ("price of the pass please", "please"), or repeats its last word."""
    said = f" {pattern} "
    return bool(after) and (f" {after.strip(' ,')} " in said or said.endswith(f" {after.split(maxsplit=1)[0]} "))


def _filled(pattern: str, stream: Stream) -> str:
    """Slots filled, slots inside them too, no two with the same value; "a" or "an" as the next word sounds."""
    used: set[str] = set()
    while match := _SLOT.search(pattern):
        while (value := _slot(match[1], stream)) in used:
            pass
        used.add(value)
        pattern = pattern[: match.start()] + value + pattern[match.end() :]
    return fix_articles(pattern)


def _slot(name: str, stream: Stream) -> str:
    slots = _words()["slots"]
    if name == "n":
        return str(stream.between(2, 60))
    if name == "year":
        return str(stream.between(1100, 1950))
    if name == "place":
        return "".join(stream.choice(slots[piece]) for piece in ("start", "middle", "end"))
    if name == "who":
        return f"{stream.choice(slots['first'])} {stream.choice(slots['start'])}{stream.choice(slots['middle'])}{stream.choice(('s', 'n', 'sen', 'ski', 'ta', 'ro'))}"
    return str(stream.choice(slots[name]))


def _questions(name: str) -> tuple[Label, ...]:
    found = []
    for coarse, fine in _words()["questions"].items():
        divided = {kind: _divided(kind, patterns) for kind, patterns in fine.items()}
        if name == "coarse":
            train, held_out = (tuple(chain.from_iterable(each)) for each in zip(*divided.values(), strict=True))
            found.append(Label(coarse, train, held_out, (), False))
        else:
            found += [Label(f"{coarse}:{kind}", *patterns, (), False) for kind, patterns in divided.items()]
    return tuple(found)


def _divided(kind: str, patterns: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Patterns of train, and those of test and dev: the same in both sets and for every seed."""
    mixed = Stream("world", "utterances", "patterns", kind).shuffled(patterns)
    held = max(1, len(mixed) // _HELD_OUT)
    return tuple(mixed[held:]), tuple(mixed[:held])


def _requests(name: str) -> tuple[Label, ...]:
    words = _words()
    wanted = words["requests"][name]
    found = [
        Label(f"{thing}_{matter}", *(tuple(words["matters"][matter]),) * 2, tuple(said), True)
        for thing, said in wanted["things"].items()
        for matter in wanted["matters"]
    ]
    if besides := wanted.get("besides"):
        found.append(Label(besides, *(tuple(words["besides"][besides]),) * 2, (), True))
    return tuple(found)


@cache
def _words() -> dict[str, Any]:
    return read_yaml(Path(__file__).with_name("words.yaml"))
