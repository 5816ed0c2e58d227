"""English words and numbers up to 999, shared by simulated texts, headings, answer readers and metrics."""

from __future__ import annotations

import re

MONTHS = tuple("January February March April May June July August September October November December".split())
BELOW_TWENTY = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())
ORDINALS = tuple(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth".split()
)
"""From 1."""
_UNITS, _BELOW_TWENTY, _TENS = ("|".join(words) for words in (BELOW_TWENTY[1:10], BELOW_TWENTY, TENS))
_NUMBER = re.compile(rf"\b(?:(?P<tens>{_TENS})(?:[ -]?(?P<unit>{_UNITS}))?|(?P<below>{_BELOW_TWENTY}))\b")


def in_digits(text: str) -> str:
    """Replace number words up to 99 by digits ("twenty-one", "twenty one", "one") in a lower-case text."""
    return _NUMBER.sub(_digits, text)


def short_ordinal(value: int) -> str:
    """Return a positive integer as an ordinal in digits ("21st", "112th")."""
    ending = "th" if value // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def _digits(found: re.Match[str]) -> str:
    if found["below"]:
        return str(BELOW_TWENTY.index(found["below"]))
    unit = BELOW_TWENTY.index(found["unit"]) if found["unit"] else 0
    return str(10 * (TENS.index(found["tens"]) + 2) + unit)


def number_words(value: int) -> str:
    """Return a number from 0 to 999 in words ("three hundred and four").

    Raises:
        ValueError: the number is out of range.
    """
    if not 0 <= value < 1000:
        raise ValueError(f"{value} is not written in words here")
    if value >= 100:
        rest = f" and {number_words(value % 100)}" if value % 100 else ""
        return f"{BELOW_TWENTY[value // 100]} hundred{rest}"
    if value < len(BELOW_TWENTY):
        return BELOW_TWENTY[value]
    return TENS[value // 10 - 2] + (f"-{BELOW_TWENTY[value % 10]}" if value % 10 else "")
