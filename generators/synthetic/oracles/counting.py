"""Counts words in the finished prompt alone; shares nothing with what builds it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_COMMON = re.compile(
    r"<list>\n(?P<context>[^\n]*)\n</list>\n\n"
    r"Question: Which (?P<asked>\d+ )?words? stands? in the list most often\?\nAnswer:\Z"
)
_FREQUENT = re.compile(
    r"<text>\n(?P<context>[^\n]*)\n</text>\n\n"
    r"Question: Which (?P<asked>\d+ )?coded words? stands? in the text most often\?\nAnswer:\Z"
)


def common(prompt: str) -> list[str]:
    """The most common words of the list, in alphabetical order, as one answer.

    Raises:
        ValueError: no list with a question behind it, numbers that do not run from 1, or no clear answer.
    """
    context, asked = _read(_COMMON, prompt)
    items = re.findall(r"(\d+)\. (\S+)", context)
    if [int(number) for number, _ in items] != list(range(1, len(items) + 1)):
        raise ValueError("the list is not numbered 1, 2, 3 ...")
    return [", ".join(sorted(_most(asked, (word for _, word in items))))]


def frequent(prompt: str) -> list[str]:
    """The most frequent coded words of the text, the most frequent one first, as one answer.

    Raises:
        ValueError: no text with a question behind it, or no clear answer.
    """
    context, asked = _read(_FREQUENT, prompt)
    return [", ".join(_most(asked, re.findall(r"[a-z]+", context)))]


def _read(shape: re.Pattern[str], prompt: str) -> tuple[str, int]:
    found = shape.search(prompt)
    if not found:
        raise ValueError("no context with a question behind it")
    return found["context"], int(found["asked"] or 1)


def _most(asked: int, words: Iterable[str]) -> list[str]:
    """The words that come most often, most frequent first.

    Raises:
        ValueError: the next one comes as often.
    """
    ranked = Counter(words).most_common(asked + 1)
    if len(ranked) < asked or (len(ranked) > asked and ranked[asked][1] == ranked[asked - 1][1]):
        raise ValueError(f"{asked} words do not stand out")
    return [word for word, _ in ranked[:asked]]
