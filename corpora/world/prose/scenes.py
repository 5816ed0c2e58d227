"""From scene to paragraph: who is there, what happens in which order, who speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from zlib import crc32

from .cast import FIRST, SECOND, Person, kin
from .grammar import pick
from .morphology import fix_articles
from .teller import Teller, phrase, set_time

# What a scene is made of; each name is a paragraph of KINDS, "talk" and its fellows are runs of speech.
_SCENES: tuple[tuple[str, ...], ...] = (
    ("room", "act", "talk", "think", "talk", "act", "close"),
    ("weather", "move", "land", "move", "think", "talk", "land", "close"),
    ("journey", "land", "journey", "talk", "journey", "town"),
    ("work", "work", "talk", "think", "small", "work"),
    ("room", "meal", "small", "meal", "talk", "act"),
    ("town", "weather", "town", "small", "reflect", "town"),
    ("weather", "think", "hist", "think", "act", "close"),
    ("hist", "hist", "reflect", "time"),
    ("act", "letter", "think", "act"),
    ("room", "act", "quarrel", "act", "quarrel", "think", "close"),
    ("land", "move", "tender", "land", "tender", "think"),
    ("time", "weather", "work", "time", "hist", "think"),
    ("town", "hist", "talk", "town", "move"),
    ("room", "hist", "think", "small", "act", "talk"),
)
# Sentence rules a paragraph draws from; a rule named twice comes twice as often.
_KINDS: dict[str, tuple[str, ...]] = {
    "room": ("s.room", "s.room", "s.room", "s.act", "s.weather"),
    "act": ("s.act", "s.act", "s.act", "s.act", "s.think", "s.room"),
    "think": ("s.think", "s.think", "s.think", "s.reflect", "s.act", "s.hist"),
    "weather": ("s.weather", "s.weather", "s.land", "s.move"),
    "land": ("s.land", "s.land", "s.land", "s.weather", "s.move"),
    "move": ("s.move", "s.move", "s.land", "s.think"),
    "journey": ("s.journey", "s.journey", "s.land", "s.weather"),
    "town": ("s.town", "s.town", "s.town", "s.move", "s.weather"),
    "work": ("s.work", "s.work", "s.work", "s.think", "s.room"),
    "meal": ("s.meal", "s.meal", "s.room", "s.act"),
    "hist": ("s.hist", "s.hist", "s.hist", "s.town", "s.reflect"),
    "time": ("s.time", "s.time", "s.weather", "s.land"),
    "reflect": ("s.reflect", "s.reflect", "s.think"),
    "close": ("s.think", "s.act", "s.weather"),
}
_SPEECH: dict[str, tuple[str, ...]] = {
    "talk": ("d.state", "d.state", "d.state", "d.ask", "d.small"),
    "small": ("d.small", "d.state", "d.small", "d.ask"),
    "quarrel": ("d.quarrel", "d.quarrel", "d.state", "d.ask"),
    "tender": ("d.tender", "d.tender", "d.state", "d.ask"),
}
_STRAY_COMMA = re.compile(r",(?=[,.;:?!])")
_PIECE = re.compile(r"[.?!][\"']?\s+")
_FACT = re.compile(r"(?:\w+ ){1,4}(?:to|in|into) the \w+")  # the shape of facts hidden in this text
_TRIES = 300  # then the paragraph is turned down and written anew
SHARDS, SHARDS_LONGER = 32, 16  # books over which short and not so short sentences are dealt out
_SHORT, _LONG = 10, 18  # spaces in a short sentence; in one long enough to be unlike all others by itself
_SHORTEST = 5  # words of the shortest sentence: shorter ones would repeat from book to book


def _allowed(t: Teller, piece: str) -> bool:
    """Short sentences are dealt out among the books, so that none can come in two books near each other."""
    size = piece.count(" ")
    if size >= _LONG:
        return True
    shards = SHARDS if size <= _SHORT else SHARDS_LONGER
    return crc32(piece.encode()) % shards == t.shard % shards


def _drawn(t: Teller, slot: str, head: str = "", tail: str = "", *, capital: bool = True) -> str:
    """A slot's text, corrected, such that head + text + tail is a sentence this book may use; short slots stay short."""
    write, short = phrase(slot), slot.endswith(".short")
    said = t.said
    for _ in range(_TRIES):
        t.named, t.said = False, said  # what an unused try has said was never said
        text = write(t)
        text = fix_articles(_STRAY_COMMA.sub("", text[0].upper() + text[1:] if capital else text))
        if _allowed(t, head + text + tail) and not (short and text.count(" ") >= _LONG):
            break
    return text


def _sentence(t: Teller, slot: str) -> str:
    text = _drawn(t, slot)
    asks = slot == "d.ask" or text.startswith("What if ") or ", was it " in text
    return text + ("?" if asks else ".")


def _joined(t: Teller, left: str, right: str) -> str:
    """Two sentences as one: the long breath of the period."""
    if left.endswith("?") or right.endswith("?"):
        return f"{left} {right}"
    start = right.split(" ", 1)[0]
    known = {
        "A",
        "An",
        "The",
        "It",
        "There",
        "He",
        "She",
        "In",
        "On",
        "At",
        "Not",
        "What",
        "If",
        "Having",
        "Though",
        "Although",
        "When",
        "While",
        "As",
    }
    low = start.lower() if start in known else start
    return f"{left[:-1]}{t.one(('; and ', '; ', '; but '))}{low}{right[len(start) :]}"


def _narrate(t: Teller, kind: str, count: int) -> str:
    rules = _KINDS[kind]
    out = [_sentence(t, rules[0] if pick(t, 4) else "s.short")]
    for _ in range(count - 1):
        shape = pick(t, 20)
        slot = "s.short" if shape < 8 else "s.long" if shape < 11 else rules[pick(t, len(rules))]
        out.append(_sentence(t, slot))
        if shape == 11:
            out[-2:] = [_joined(t, out[-2], out[-1])]
    if kind == "close":
        out[-1] = _sentence(t, "s.close")
    return " ".join(out)


def _utter(t: Teller, rules: tuple[str, ...], count: int, short: int = 2) -> list[str]:
    """What a says to b, as sentences of first and second person."""
    a, b = t.a, t.b
    t.speaker, t.hearer, t.a, t.b = a, b, FIRST, SECOND
    out = [_sentence(t, rules[pick(t, len(rules))] if pick(t, 5) >= short else "d.short") for _ in range(count)]
    t.a, t.b = a, b
    return out


def _tagged(t: Teller, lines: list[str]) -> str:
    """Speech with its tag behind the first sentence; a splitter cuts the tag of a question off."""
    first, rest = lines[0], lines[1:]
    if first.endswith("?"):
        head, tag = first, _drawn(t, "tag.asked", capital=False)
    else:
        head = first[:-1] + ","
        tag = _drawn(t, "tag.said", f'{head}" ', capital=False)
    tail = f' "{" ".join(rest)}"' if rest else ""
    return f'"{head}" {tag}.{tail}'


def _line(t: Teller, rules: tuple[str, ...], tagged: bool) -> str:
    """One paragraph of speech by a."""
    lines = _utter(t, rules, 1 + pick(t, 3) + pick(t, 2) * pick(t, 2))
    if not tagged and pick(t, 3):
        return f'"{" ".join(lines)}"'
    t.said = None
    shape = pick(t, 6)
    if shape < 3:
        return _tagged(t, lines)
    if shape == 3:
        rest = f', "{lines[0][:-1]}'
        return f'{_drawn(t, "lead", tail=rest)}, "{" ".join(lines)}"'
    return f'{_drawn(t, "beat")}. "{" ".join(lines)}"'


def _letter(t: Teller) -> Iterator[str]:
    a, b = t.a, t.b
    greeting = b.given if a.family == b.family or " " not in b.name else b.name
    yield f"My dear {greeting},"
    middle = [_utter(t, ("d.state", "d.small", "d.tender"), 2 + pick(t, 3)) for _ in range(3)]
    middle[0].insert(0, _utter(t, ("letter.open",), 1, 0)[0])
    middle[2] += _utter(t, ("letter.close",), 1, 0)
    yield from map(" ".join, middle)
    yield f"Your affectionate {kin(b, a) or 'friend'},\n{a.full}"


def _set_scene(t: Teller) -> None:
    """Choose who is there, the things at hand and the matter in question."""
    people = t.world.people
    family = [p for p in people if p.family == t.a.family and p is not t.a]
    rest = [p for p in people if p is not t.a]
    pool = family if family and pick(t, 3) == 0 else rest
    t.b = pool[pick(t, len(pool))]
    away = [p for p in rest if p is not t.b]
    t.c = away[pick(t, len(away))]
    t.others = [p for p in away if p is not t.c]
    t.props = [t.say("scene.prop") for _ in range(3)]
    t.said = None


class Book:
    """Writes the paragraphs of one book, none of whose sentences comes twice.

    Args:
        t: the state of the telling.
        matters: long and short names of what the book turns upon.
    """

    def __init__(self, t: Teller, matters: list[tuple[str, str]]) -> None:
        self._t, self._matters = t, matters
        self._seen: set[str] = set()

    def _fresh(self, text: str) -> bool:
        pieces = [piece.strip("\"'.?! ") for piece in _PIECE.split(text)]
        if not all(_allowed(self._t, piece) for piece in pieces):
            return False
        if len(set(pieces)) < len(pieces) or not self._seen.isdisjoint(pieces):
            return False
        if any(piece.count(" ") < _SHORTEST - 1 or _FACT.fullmatch(piece) for piece in pieces):
            return False
        self._seen.update(pieces)
        return True

    def _accept(self, text: str) -> str | None:
        text = fix_articles(_STRAY_COMMA.sub("", text))
        return text if self._fresh(text) else None

    def _insist(self, write: Callable[[], str]) -> str:
        while True:
            text = self._accept(write())
            if text:
                return text

    def paragraph(self, kind: str, count: int) -> str:
        """One paragraph of narration with `count` sentences."""

        def write() -> str:
            self._t.said = None
            return _narrate(self._t, kind, count)

        return self._insist(write)

    def _spoken(self, kind: str) -> Iterator[str]:
        """A run of speech by turns; who is who is plain from the tags of the first two lines."""
        t, rules = self._t, _SPEECH[kind]
        a, b = t.a, t.b
        for turn in range(3 + pick(t, 6)):
            t.a, t.b = (a, b) if turn % 2 == 0 else (b, a)
            yield self._insist(lambda tagged=turn < 2: _line(t, rules, tagged))  # type: ignore[misc]
        t.a, t.b, t.said = a, b, None

    def _written(self) -> Iterator[str]:
        for line in _letter(self._t):
            if not line.endswith(".") or self._accept(line):
                yield line

    def scene(self, focus: Person, month: int) -> Iterator[str]:
        """The paragraphs of one scene about `focus`."""
        t = self._t
        t.a = focus
        set_time(t, month)
        t.matter, t.matter_short = self._matters[pick(t, len(self._matters))]
        t.matter_told = False
        _set_scene(t)
        for kind in _SCENES[pick(t, len(_SCENES))]:
            if kind in _SPEECH:
                yield from self._spoken(kind)
            elif kind == "letter":
                yield from self._written()
            else:
                yield self.paragraph(kind, 2 + pick(t, 3) + pick(t, 3))
