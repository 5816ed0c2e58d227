"""Questions that number things: options to choose from, events to put in order (docs/spec/marathon.md 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_MARKER = r"\(?(?P<mark>\d{1,2}|[IVX]{1,5}|[A-Ha-h])\s?[.):]"
_AT_LINE = re.compile(rf"^[ \t]*{_MARKER}[ \t]*", re.MULTILINE)
_IN_LINE = re.compile(rf"(?:^|(?<=\s)){_MARKER}\s*")
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI")
_ITEM = re.compile(r"^\(?([A-Za-z]+|\d+)[.):]?$")
_APART = re.compile(r"[\s,;>→-]+|\band\b|\bthen\b")
_MOST_DIGITS = 9  # things that a run of digits without anything between can name


def numbered(text: str) -> tuple[str, list[str]]:
    """What stands before the things that a text numbers from 1 (I, A, a), and these; none where it numbers fewer than two."""
    for pattern in (_AT_LINE, _IN_LINE):
        for read in (_as_digits, _as_roman, _as_letter):
            if len(found := _in_turn(list(pattern.finditer(text)), read)) > 1:
                ends = [each.start() for each in found[1:]] + [len(text)]
                things = [text[each.end() : end] for each, end in zip(found, ends, strict=True)]
                return text[: found[0].start()].strip(), [" ".join(thing.split()) for thing in things]
    return text, []


def order_of(answer: str, count: int) -> tuple[int, ...]:
    """The order of `count` numbered things that an answer gives: numbers, Roman numerals or letters; empty where it gives none."""
    bare = answer.strip().rstrip(".")
    marks = [mark for mark in _APART.split(bare) if mark]
    if len(marks) == 1 and bare.isascii() and bare.isdigit() and count <= _MOST_DIGITS:
        marks = list(bare)
    items = [found.group(1) for found in map(_ITEM.match, marks) if found]
    for read in (_as_digits, _as_roman, _as_letter):
        order = tuple(read(item) for item in items)
        if len(items) == len(marks) and sorted(order) == list(range(1, count + 1)):
            return order
    return ()


def place_of(answer: str, count: int) -> int:
    """Which of `count` numbered things an answer names, from 1; 0 where it is no number or letter alone."""
    found = _ITEM.match(answer.strip())
    read = _as_digits if found and found.group(1).isdigit() else _as_letter
    number = read(found.group(1)) if found else 0
    return number if number <= count else 0


def listed(things: Sequence[str]) -> str:
    """Things in the one form in which they are numbered here."""
    return "\n".join(f"{number}. {thing}" for number, thing in enumerate(things, 1))


def _in_turn(found: list[re.Match[str]], read: Callable[[str], int]) -> list[re.Match[str]]:
    """The markers that count 1, 2, 3 and on, in order; what does not follow on is part of a thing."""
    out: list[re.Match[str]] = []
    for each in found:
        if read(each["mark"]) == len(out) + 1:
            out.append(each)
    return out


def _as_digits(mark: str) -> int:
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) < 3 else 0


def _as_roman(mark: str) -> int:
    return _ROMAN.index(mark.upper()) if mark.upper() in _ROMAN else 0


def _as_letter(mark: str) -> int:
    return ord(mark.upper()) - ord("A") + 1 if len(mark) == 1 and mark.isascii() and mark.isalpha() else 0
