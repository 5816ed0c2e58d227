"""From phrase to paragraph: sentences made whole, speech with its tags, and hardly a run of seven words that the book has had."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from zlib import crc32

from .capitals import names, within
from .cards import pick
from .cast import Person
from .morphology import fix_articles
from .recall import View
from .teller import Teller, phrase

_RUN = 7  # words
_MASK = (1 << 26) - 1  # of a run in the memory of runs: one per cent full after half a million words
_TRIES = 18
_NEAR, _AGAIN = 20, 9  # window in which two sentences should begin differently; penalty, in known runs, if they do not
_REPEATED = 1 << 20  # known runs as which a pattern counts that the scene has had: any other is better
_OPEN = frozenset(("p.stir", "s.land", "s.road", "s.way"))  # room for a sound
_FRONTED = frozenset(("p.stir", "p.leave"))
_ALONE = frozenset(("m.reflect", "m.hint", "n.aside", "s.time"))
_SHORT = 260  # characters of two sentences that always become one
_LONGEST = 640  # characters of two sentences that may become one
_JOINING = frozenset(("And", "But", "So", "Or", "For", "While"))
_JOINTS = ("; ", "; and ", ", and ", ", and ")  # between descriptions
_STRAY_COMMA = re.compile(r",(?=[,.;:?!])")
_START = re.compile(r"([.?!] )([a-z])")
_LETTERS = bytes(c if chr(c) in "abcdefghijklmnopqrstuvwxyz'" else 32 for c in bytes(range(256)).lower())  # of words
_FACT = re.compile(r"(?:\w+ ){1,4}(?:to|in|into) the \w+")  # the shape of facts hidden in this text
_FACT_END = re.compile(r" the \w+ *(?:[.?!;]|$)")  # a text without a match holds no fact
_CUT = re.compile(r"(?<=[.?!]) |; ")
_SEEN = frozenset(("s.land", "s.road", "s.weather", "s.light", "s.room", "s.way"))
_JOINABLE = frozenset(("m.", "p."))
_JOINED = re.compile(r"; |: |, and | while ")
_FIRST = re.compile(r"[^.?!]+[.?!]+")
_PAUSE = re.compile(r"(\w[\w' ]{3,24}), (?!and |or )")


def _kind(slot: str) -> str:
    """Sentences of one kind may be joined; reflections, work and old stories are always separate."""
    if slot in _SEEN:
        return "seen"
    return slot[:2] if slot[:2] in _JOINABLE and slot not in _ALONE else ""


def finish(text: str) -> str:
    """Capitals, articles, commas and the full stop of one or more sentences."""
    text = fix_articles(_STRAY_COMMA.sub("", text))
    text = _START.sub(lambda m: m[1] + m[2].upper(), text[0].upper() + text[1:])
    if text[-1] == '"' and text[-2] not in ".?!":
        return text[:-1] + '."'
    return text if text[-1] in '.?!:"' else text + "."


def _lookalike(text: str) -> bool:
    if not _FACT_END.search(text):
        return False
    return any(_FACT.fullmatch(s.strip(" .?!")) for s in _CUT.split(text))


@lru_cache(maxsize=1 << 12)
def _reading(text: str) -> tuple[bytes, list[int]]:
    """Return the beginning of a text, and the position of each run of its words in the memory of runs."""
    words = text.encode().translate(_LETTERS).split()
    joined = b" ".join(words)
    ends = list(accumulate([len(word) + 1 for word in words]))
    marks = [crc32(joined[at : end - 1]) & _MASK for at, end in zip((0, *ends), ends[_RUN - 1 :], strict=False)]
    return b" ".join(words[:4]), marks


class Page:
    """Writes sentences for a book and remembers every run of seven words.

    Args:
        t: the state of the telling.
    """

    def __init__(self, t: Teller) -> None:
        self.t = t
        self._names = names(t.world)
        self._runs: set[int] = set()
        self._openings: deque[bytes] = deque(maxlen=_NEAR)
        self._heard: tuple[Person, Person] | None = None
        self._patterns: set[tuple[int, int]] = set()  # of the narration of the scene at hand

    def new_scene(self) -> None:
        """Allow the next text to have the patterns of earlier texts."""
        self._patterns.clear()

    def _known(self, marks: list[int]) -> int:
        runs = self._runs
        return 0 if runs.isdisjoint(marks) else sum(map(runs.__contains__, marks))

    def fresh(self, write: Callable[[], str]) -> str:
        """The first of some tries that has no known run of words, or the one with the fewest."""
        best, fewest, kept, began, pattern = "", 1 << 30, list[int](), b"", (-1, -1)
        t, said = self.t, self.t.said
        for _ in range(_TRIES):
            t.said, t.recalled = said, None  # what an unused try has said was never said
            text = finish(write())
            if _lookalike(text):
                continue
            opening, marks = _reading(text)
            known = (
                self._known(marks) + _AGAIN * (opening in self._openings) + _REPEATED * (t.pattern in self._patterns)
            )
            if known < fewest:
                best, fewest, kept, began, pattern = text, known, marks, opening, t.pattern
            if not known:
                break
        self._runs.update(kept)
        self._openings.append(began)
        t.pattern = pattern
        return best

    def sentence(self, slot: str) -> str:
        """Return one sentence, or the few of one alternative, of a rule; "" if the rule needs something that is missing."""
        write, t, said = phrase(slot), self.t, self.t.said
        try:
            return self.fresh(lambda: write(t))
        except LookupError:
            t.said = said
            return ""

    def statement(self, slot: str) -> str:
        """A sentence, now and then with a word before it or an afterthought; "" where the scene has had all patterns that fit."""
        t = self.t
        known = t.said, t.other
        text = self.sentence(slot)
        if text and t.pattern in self._patterns:
            t.said, t.other = known
            return ""
        self._patterns.add(t.pattern)
        if not text or text[-1] != "." or '"' in text or text.count(". "):
            return text
        shape = pick(t, 16)
        if shape == 0 and slot in _FRONTED:
            return f"{finish(t.say('x.front'))[:-1]}, {within(text, self._names)}"
        if shape < 4 and slot in _OPEN and not _JOINED.search(text) and len(text) < _LONGEST // 4:
            return f"{text[:-1]}{self.fresh_tail()}"
        return text

    def fresh_tail(self) -> str:
        """An afterthought, with its full stop."""
        try:
            tail = self.fresh(lambda: self.t.say("x.tail"))
        except LookupError:
            return "."
        return f", {within(tail, self._names)}"

    def paragraph(self, *slots: str) -> str:
        """Sentences of some rules in order."""
        out: list[str] = []
        last = ""
        for slot in slots:
            text = self.statement(slot)
            if out and text and last and _kind(slot) == last:
                text = self._joined(out.pop(), text, _JOINTS if last == "seen" else ("; ",))
            if text:
                out.append(text)
                last = _kind(slot)
        return " ".join(out)

    def _joined(self, left: str, right: str, joints: tuple[str, ...]) -> str:
        """Two sentences as one, where both are plain statements and not too long."""
        word = right.split(" ", 1)[0]
        size = len(left) + len(right)
        if (
            left[-1] != "."
            or size > _LONGEST
            or word.startswith('"')
            or word in _JOINING
            or pick(self.t, _LONGEST) < size - _SHORT
        ):
            return f"{left} {right}"
        if _JOINED.search(left) or _JOINED.search(right):
            return f"{left} {right}" if pick(self.t, 2) else self._with(left, "; ", right)
        return self._with(left, self.t.one(joints), right)

    def _with(self, left: str, joint: str, right: str) -> str:
        word = right.split(" ", 1)[0]
        if word in _JOINING:  # "and and" is one too many
            joint = "; "
        return f"{left[:-1]}{joint}{within(right, self._names)}"

    def exchange(self, slot: str) -> list[str]:
        """A few lines of speech that answer each other, A and B by turns; the first of them carry tags."""
        t = self.t
        a, b = t.a, t.b
        tagged = 1 if self._heard == (a, b) else 2
        lines = self._drawn(slot)
        out, self._heard = [], (a, b)
        for turn, (mine, line) in enumerate(lines):
            t.a, t.b = (a, b) if mine else (b, a)
            t.view = View(t.a, t.b)
            said = self._longer(line, slot)
            t.view = View()
            t.said = t.a if turn and a.male != b.male else None
            out.append(self._spoken(said, turn < tagged or pick(t, 6) == 0, turn == 0))
        t.a, t.b, t.said = a, b, None
        return out

    def _drawn(self, slot: str) -> list[tuple[bool, str]]:
        """The lines of an exchange with whether A speaks: of some tries the one with the fewest known runs of words."""
        t, write = self.t, phrase(slot)
        a, b = t.a, t.b
        best: tuple[int, list[tuple[bool, str]], list[int]] = (1 << 30, [], [])
        for _ in range(_TRIES):
            t.view, t.recalled = View(a, b), None
            try:
                lines = self._lines(write(t))
            except LookupError:
                continue
            finally:
                t.a, t.b, t.view = a, b, View()
            marks = _reading(" ".join([line for _, line in lines]))[1]
            known = self._known(marks)
            if known < best[0] and not any(_lookalike(line) for _, line in lines):
                best = (known, lines, marks)
            if not best[0]:
                break
        self._runs.update(best[2])
        return best[1]

    def _lines(self, text: str) -> list[tuple[bool, str]]:
        """Lines with whether A speaks, of an exchange in one text."""
        first = not text.startswith("B: ")
        parts = text.removeprefix("B: ").split(" // ")
        return [((i % 2 == 0) is first, self._run_on(finish(p))) for i, p in enumerate(parts)]

    def _run_on(self, line: str) -> str:
        """The first two statements of a speech as one, now and then."""
        left, dot, right = line.partition(". ")
        if not dot or '"' in line or "?" in line or "!" in left or pick(self.t, 2):
            return line
        return self._with(left + ".", "; ", right)

    def _longer(self, line: str, slot: str) -> str:
        """Let people with a grievance continue in most cases; a question is left for the other person to answer."""
        t = self.t
        grave = slot.endswith(".talk") and t.event and t.event.schema.mood == "bad" and t.event.schema.where != "feast"
        if not grave or line[-1] != "." or pick(t, 20) >= 8:
            return line
        more = self.fresh(lambda: t.say("b.serious"))
        return f"{line} {more}" if pick(t, 2) or len(line) > _LONGEST // 3 else self._with(line, "; ", more)

    def _spoken(self, line: str, tagged: bool, first: bool) -> str:
        t = self.t
        if not tagged:
            return f'"{line}"'
        shape = pick(t, 10)
        if shape < 2:
            return f'{self.sentence("beat")} "{line}"'
        if shape < 4:
            return f'"{line}" {self.sentence("beat")}'
        opens = "tag.first" if first else "tag.said"
        tag = "tag.asked" if _FIRST.match(line)[0].endswith("?") else "tag.cried" if "!" in line[:60] else opens  # type: ignore[index]
        said = fix_articles(t.say(tag))
        pause = _PAUSE.match(line) if shape > 6 else None
        if pause:
            return f'"{pause[1]}," {said}, "{line[pause.end() :]}"'
        found = _FIRST.match(line)
        head = found[0] if found else line
        rest = line[len(head) :].strip()
        head = head[:-1] + "," if head.endswith(".") and not head.endswith("..") else head
        return f'"{head}" {said}.' + (f' "{rest}"' if rest else "")
