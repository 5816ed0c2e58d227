"""People by the name that their article has: "Julie Deborah Kavner" is Julie Kavner too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from haymaker.text import words

_IN_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_FEWEST = 2  # words of a name


def with_short_names(accepted: tuple[str, ...], titles: Iterable[str]) -> tuple[str, ...]:
    """Accepted answers, and behind them each title of a gold article that is one of them without names in the middle.

    Args:
        accepted: as the source has them, the canonical one first.
        titles: of articles that are known to answer; what stands in brackets behind a name is none of it.
    """
    known = {tuple(words(answer)) for answer in accepted}
    found = [name for name in _names(titles) if tuple(words(name)) not in known]
    return (*accepted, *(name for name in dict.fromkeys(found) if any(_is_short(name, each) for each in accepted)))


def _names(titles: Iterable[str]) -> Iterator[str]:
    return (_IN_BRACKETS.sub("", title.strip()) for title in titles)


def _is_short(name: str, answer: str) -> bool:
    """Whether a name is an answer without some words between its first and its last; all of both begin with a capital."""
    short, long = words(name), words(answer)
    if not _FEWEST <= len(short) < len(long) or (short[0], short[-1]) != (long[0], long[-1]):
        return False
    left = iter(long)
    return all(word in left for word in short) and all(part[:1].isupper() for part in (*name.split(), *answer.split()))
