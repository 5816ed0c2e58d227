"""Parse a finished prompt: the sentences of the text with their years, the question, the options.

Uses only general knowledge of English: numbers in words, endings of verbs, irregular verbs.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
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


_IRREGULAR = {"built": "build", "dug": "dig"}


@dataclass(slots=True)
class Sentence:
    """One sentence.

    Attributes:
        text: the sentence.
        paragraph: number of the paragraph.
        year: year of the events, in the sentence or counted from an earlier one of the paragraph; None: unknown.
        stems: stems of the words.
        before: stems of the words before the sentence in its paragraph.
        opening: stems of the first sentence of the paragraph, which names the thing that the paragraph is about.
        names: unstemmed words with a capital in the paragraph up to the end of the sentence: Sutmere is no form of Sutmer.
    """

    text: str
    paragraph: int
    year: int | None
    stems: frozenset[str]
    before: frozenset[str]
    opening: frozenset[str]
    names: frozenset[str]


@dataclass
class Reading:
    """A parsed prompt.

    Attributes:
        question: first line of the question.
        items: numbered lines of the question: number -> text.
        options: letter -> text.
        sentences: sentences of the text that the question is about, in order.
    """

    question: str
    items: dict[int, str]
    options: dict[str, str]
    sentences: list[Sentence]

    @cached_property
    def rarity(self) -> dict[str, float]:
        """Stem -> weight: the fewer paragraphs have it, the higher."""
        found: dict[int, set[str]] = {}
        for sentence in self.sentences:
            found.setdefault(sentence.paragraph, set()).update(sentence.stems)
        counts = Counter(stem for stems in found.values() for stem in stems)
        return {stem: log(1 + len(found) / count) for stem, count in counts.items()}


def read(prompt: str) -> Reading:
    """Parse a prompt.

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
    return Reading(question, {int(m[1]): m[2] for m in listed if m}, options, _sentences(_text(lines[:asked], head)))


def _text(lines: list[str], head: str) -> list[str]:
    """Paragraphs of the text whose title is in the question, or all lines."""
    title = re.search(r'"(.+)"', head)
    if title is None or f"[{title[1]}]" not in lines:
        return lines
    first = lines.index(f"[{title[1]}]")
    return list(takewhile(lambda line: line not in ("***", "</text>"), lines[first:]))


def _sentences(paragraphs: list[str]) -> list[Sentence]:
    found = []
    for number, paragraph in enumerate(paragraphs):
        before, named = frozenset[str](), frozenset[str]()
        opening: frozenset[str] | None = None
        last_year: int | None = None
        for text in _END.split(paragraph):
            own, later = _YEAR.search(text), _LATER.search(text)
            gap = _number(later[1]) if later else None
            year = int(own[1]) if own else last_year + gap if last_year is not None and gap is not None else None
            last_year = year if year is not None else last_year
            named |= names(text)
            own_stems = stems(text)
            opening = own_stems if opening is None else opening
            found.append(Sentence(text, number, year, own_stems, before, opening, named))
            before |= own_stems
    return found


def _number(word: str) -> int | None:
    """The value of a number in words, below a hundred."""
    tens, _, ones = word.lower().partition("-")
    if tens in _ONES:
        return _ONES.index(tens)
    return 20 + 10 * _TENS.index(tens) + (_ONES.index(ones) if ones else 0) if tens in _TENS else None


@lru_cache(maxsize=1 << 14)
def stems(text: str) -> frozenset[str]:
    """Return the stems of a text, without stop words."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word.removesuffix("'s")) for word in words if word not in _WEAK)


def names(text: str) -> frozenset[str]:
    """Return the words with a capital, unstemmed."""
    return frozenset(_CAPITAL.findall(text))


def _stem(word: str) -> str:
    """The word without its ending: "stopped" and "stopping" give "stop", "mills" gives "mill"."""
    word = _IRREGULAR.get(word, word)
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word.removesuffix(end)
            return word[:-1] if end in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "lsfz" else word
    return word
