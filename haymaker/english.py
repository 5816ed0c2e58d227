"""English words that simulated texts, headings and readers of answers share: months, and numbers up to 999."""

from __future__ import annotations

MONTHS = tuple("January February March April May June July August September October November December".split())
BELOW_TWENTY = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())


def number_words(value: int) -> str:
    """0 .. 999 in words ("three hundred and four").

    Raises:
        ValueError: another number.
    """
    if not 0 <= value < 1000:
        raise ValueError(f"{value} is not written in words here")
    if value >= 100:
        rest = f" and {number_words(value % 100)}" if value % 100 else ""
        return f"{BELOW_TWENTY[value // 100]} hundred{rest}"
    if value < len(BELOW_TWENTY):
        return BELOW_TWENTY[value]
    return TENS[value // 10 - 2] + (f"-{BELOW_TWENTY[value % 10]}" if value % 10 else "")
