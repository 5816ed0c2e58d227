"""Speech in running text: no sentence of a speech is without its quotation marks, no announcement without its speech."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

Span = tuple[int, int]

_ANNOUNCES = (":", ",")
_START = r"(?<![^\s(\[{])"  # after a space or an opening bracket
_ANY = re.compile("[\"“”„«»「」『』'‘’]")
_ELISIONS = r"(?i:tis|twas|twere|twill|twould|em|un|cause|bout|gainst|tother|t|d|ll|ee|ud|nuff|stead|neath)\b"


class Marks(NamedTuple):
    """Quotation marks of a document: patterns of marks that open a speech, close one, close one if it is open, or do either."""

    opens: str
    closes: str
    may_close: str = "(?!)"
    either: str = "(?!)"


_STYLES = (
    Marks(rf'[“「『]|{_START}"(?=\S)', r'[”」』]|(?<=[^\s\d])"(?=[\s.,;:?!)\]}]|$)', r'(?<=\d)"', '"'),
    Marks(
        rf"(?:{_START}|(?<=[—–-]))['‘](?!{_ELISIONS})(?=[\w“\"(\[—…])",
        r"(?<=[^\w\s(\[{])['’](?!\w)",
        r"(?<=\w)['’](?=[,.;:?!)\]])",  # or an apostrophe
    ),
    Marks("„", "[“”]"),
    Marks("«", "»"),
    Marks("»", "«"),
)
"""Of English and Chinese, British, German, French and Danish texts."""


@lru_cache(maxsize=1)
def marks_of(text: str) -> Marks:
    """Return the quotation marks that enclose most speeches of a document; other marks, as around single words, are no speech."""
    return max(_STYLES, key=lambda marks: sum(before and not inside for _, before, inside in _states(text, marks)))


def _states(text: str, marks: Marks) -> Iterator[tuple[int, bool, bool]]:
    """Yield the place of each mark, and whether the text before it and the text after it are inside a speech."""
    inside, pattern = False, _pattern(marks)
    for place in _ANY.finditer(text):
        mark = pattern.match(text, place.start())
        if mark and (inside or mark.lastgroup != "may_close"):
            before, inside = inside, mark.lastgroup == "opens" or (mark.lastgroup == "either" and not inside)
            yield place.start(), before, inside


@cache
def _pattern(marks: Marks) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in marks._asdict().items()))


def is_balanced(text: str, marks: Marks) -> bool:
    """Check whether each opening mark is followed by its closing mark, and each closing mark preceded by its opening mark."""
    states = [(before, inside) for _, before, inside in _states(text, marks)]
    return all(before != inside for before, inside in states) and not (states and states[-1][1])


def whole_speech(spans: Iterable[Span], text: str, marks: Marks) -> Iterator[Span]:
    """Join the sentences of a paragraph that are in one speech, and a tag ("he asked.") to the sentence before it.

    A mark without its other half joins every sentence that may be inside that speech: the piece is not balanced.
    """
    found: list[Span] = []
    states, inside, closed = deque(_states(text, marks)), False, 0  # closed: pieces up to the end of the last speech
    for start, end in spans:
        found.append((found.pop()[0] if found and (inside or text[start].islower()) else start, end))
        while states and states[0][0] < end:
            _, before, inside = states.popleft()
            if inside:
                continue
            if not before and closed < len(found):
                found[closed:] = [(found[closed][0], end)]
            closed = len(found)
    return iter(found)


def without_announcements(sentences: Sequence[tuple[str, int]], kept: Sequence[int]) -> list[int]:
    """Return the kept sentences without "And then he said:" if the speech after it is not kept.

    Args:
        sentences: of a document, each with the number of its paragraph; whole paragraphs may be missing.
        kept: numbers of kept sentences, ascending.
    """
    stays: list[int] = []
    for i in reversed(kept):
        if not sentences[i][0].endswith(_ANNOUNCES) or _follows(sentences, i, stays):
            stays.append(i)
    return stays[::-1]


def _follows(sentences: Sequence[tuple[str, int]], i: int, stays: Sequence[int]) -> bool:
    """Check whether the next sentence after number `i` is kept, with no paragraph removed in between."""
    return stays[-1:] == [i + 1] and sentences[i + 1][1] <= sentences[i][1] + 1
