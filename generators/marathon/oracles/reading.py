"""A finished prompt taken apart: the text that is asked about as sentences with years and amounts, the question, the options.

Knows English in general (numbers in words, endings of verbs) and nothing of what is told.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import log

_OPTION = re.compile(r"^([A-Z])\. (.+)$")
_YEAR = re.compile(r"\b(1[0-9]{3})\b")
_LATER = re.compile(r"\b([a-z]+(?:-[a-z]+)?) years later\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|[0-9][0-9,]*")
_CAPITAL = re.compile(r"\b[A-Z][a-z]+")
_END = re.compile(r"(?<=[.!?]) (?=[A-Z\"])")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WEAK = frozenset(
    "a an the of in at to for by and or was were is are it its that this with from on as had has been be who which".split()
)


@dataclass(slots=True)
class Sentence:
    """One sentence.

    Attributes:
        text: as it stands.
        paragraph: its number.
        year: in which what it tells happened, by a year of its own or counted from the sentence before that has one; None: unknown.
        stems: of its words.
        before: of the words that stand before it in its paragraph.
        names: words with a capital in its paragraph up to its end, whole: Sutmere is no form of Sutmer.
    """

    text: str
    paragraph: int
    year: int | None
    stems: frozenset[str]
    before: frozenset[str]
    names: frozenset[str]


@dataclass
class Reading:
    """A prompt as a reader sees it.

    Attributes:
        question: its first line, and its further lines, numbers taken off.
        items: numbered lines of the question: number -> text.
        options: letter -> text.
        sentences: of the text that is asked about, in order.
    """

    question: str
    items: dict[int, str]
    options: dict[str, str]
    sentences: list[Sentence] = field(default_factory=list)

    @cached_property
    def rarity(self) -> dict[str, float]:
        """Weight of a word by how few paragraphs have it."""
        found: dict[int, set[str]] = {}
        for sentence in self.sentences:
            found.setdefault(sentence.paragraph, set()).update(sentence.stems)
        counts = Counter(stem for stems in found.values() for stem in stems)
        return {stem: log(1 + len(found) / count) for stem, count in counts.items()}


def read(prompt: str) -> Reading:
    """Take a prompt apart.

    Raises:
        ValueError: no options, or no question before them.
    """
    lines = prompt.split("\n")
    last = max((at for at, line in enumerate(lines) if _OPTION.match(line)), default=-1)
    first = last
    while first > 0 and _OPTION.match(lines[first - 1]):
        first -= 1
    asked = max((at for at, line in enumerate(lines[: max(first, 0)]) if line.startswith("Question")), default=-1)
    if asked < 0:
        raise ValueError("no question with options under it")
    head, _, question = lines[asked].partition(": ")
    listed = (re.match(r"([0-9]+)\. (.+)", line) for line in lines[asked + 1 : first])
    options = {m[1]: m[2] for line in lines[first : last + 1] if (m := _OPTION.match(line))}
    found = Reading(question, {int(m[1]): m[2] for m in listed if m}, options)
    found.sentences = _sentences(_text(lines[:asked], head))
    return found


def _text(lines: list[str], head: str) -> list[str]:
    """Paragraphs of the text that the question names, or of all there is."""
    title = re.search(r'"(.+)"', head)
    if title and f"[{title[1]}]" in lines:
        first = lines.index(f"[{title[1]}]")
        stop = next((at for at in range(first, len(lines)) if lines[at] in ("***", "</text>")), len(lines))
        return lines[first:stop]
    return lines


def _sentences(paragraphs: list[str]) -> list[Sentence]:
    found = []
    for number, paragraph in enumerate(paragraphs):
        before, named = frozenset[str](), frozenset[str]()
        known: int | None = None
        for text in _END.split(paragraph):
            own, later = _YEAR.search(text), _LATER.search(text)
            gap = _number(later[1]) if later else None
            year = int(own[1]) if own else known + gap if known is not None and gap is not None else None
            known = year if year is not None else known
            named |= names(text)
            found.append(Sentence(text, number, year, stems(text), before, named))
            before |= found[-1].stems
    return found


def _number(word: str) -> int | None:
    """A number in words, below a hundred."""
    tens, _, ones = word.lower().partition("-")
    if tens in _ONES:
        return _ONES.index(tens)
    return 20 + 10 * _TENS.index(tens) + (_ONES.index(ones) if ones else 0) if tens in _TENS else None


@lru_cache(maxsize=1 << 14)
def stems(text: str) -> frozenset[str]:
    """Words without the endings that verbs and plurals take; words that say nothing are left out."""
    return frozenset(
        _stem(word.lower().removesuffix("'s")) for word in _WORD.findall(text) if word.lower() not in _WEAK
    )


def names(text: str) -> frozenset[str]:
    """Words that begin with a capital, as they stand."""
    return frozenset(_CAPITAL.findall(text))


def _stem(word: str) -> str:
    """The word without an ending and without a doubled last letter: "stopped" and "stopping" are "stop"."""
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word.removesuffix(end)
            break
    return word[:-1] if len(word) > 2 and word[-1] == word[-2] else word
