"""Normal form of answer options, the form of an answer, and comparison of options by their words and values.

All options are written in the normal form, so it does not show which one is right: no full stop at the end, a capital first, no
reference marks, no half of a pair of brackets or quotation marks, orders as "2, 1, 3". It keeps all words.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import cache
from pathlib import Path

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.text.english_grammar import in_digits
from haymaker.core.text.equivalents import equivalents
from haymaker.core.text.strings import words

_REFERENCES = re.compile(r"\s?\[(?:\d{1,4}|[a-z]|note \d+|citation needed)\]")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:(?:[^\W\d]\.)+[^\W\d]|Inc|Ltd|Co|Corp|Jr|Sr|St|Dr|No|etc)\.$")
_EDGES = " \t,;:·•–—"
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_ITEM = r"(?:\d{1,2}|[IVXivx]{1,5}|[A-Za-z])"
_ORDER = re.compile(rf"[(\[]?{_ITEM}[)\].]?(?:\s*[,;>→-]+\s*[(\[]?{_ITEM}[)\].]?){{2,}}")
_YES_NO = frozenset({"yes", "no", "true", "false"})
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NUMBER = re.compile(
    rf"(?<![\w.,:/-])(\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,20}}(?:\.\d{{1,20}})?)(?:st|nd|rd|th)?(?:[ -]({'|'.join(_SCALES)})\b)?(?![\w-]|[.,:/]\d)"
)
_MINUS = re.compile(r"(?<!\w)(?<!\d )[-\N{MINUS SIGN}](?=\d)")
_PER_CENT = re.compile(r" ?%| per cent\b")
_INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_](?!\w)\.?")
_QUANTITY = re.compile(r"(?<![\w.,/:-])(\d{1,20}(?:\.\d{1,20})?)(?:[ -]?([a-z]+)\b)?(?![./:]\d)")
_CLOCK = re.compile(r"(?<![\w:.])(\d{1,2})(?::(\d\d))? ?([ap]m)\b")
_MOST_AROUND_A_VALUE = 4
_ARTICLES = frozenset({"a", "an", "the"})


@cache
def _words() -> tuple[frozenset[str], dict[str, str]]:
    """Return the stop words, and the full form of each short form."""
    found = read_yaml(Path(__file__).with_name("words.yaml"))
    full_forms = {short: full for full, shorts in found["full_forms"].items() for short in shorts.split()}
    return frozenset(found["stop_words"].split()), full_forms


@cache
def _units() -> dict[str, tuple[str, Decimal]]:
    """Return the base unit of each unit, and how many of it one unit is."""
    found = read_yaml(Path(__file__).with_name("words.yaml"))["units"]
    others = {unit: (base, Decimal(str(factor))) for base, units in found.items() for unit, factor in units.items()}
    return {base: (base, Decimal(1)) for base in found} | others


@cache
def _names() -> dict[str, str]:
    """Return the short form of each full name, the longest names first."""
    found = read_yaml(Path(__file__).with_name("words.yaml"))["names"]
    return {full: short for short, fulls in found.items() for full in fulls}


def normal(text: str) -> str:
    """Return a text in the normal form of options."""
    found = " ".join(_REFERENCES.sub("", text).split())
    while found and (trimmed := _trimmed(found)) != found:
        found = trimmed
    if order := order_of(found):
        return ", ".join(order)
    first = found.split(" ", 1)[0]
    return found[:1].upper() + found[1:] if first.islower() else found


def _trimmed(text: str) -> str:
    text = text.strip(_EDGES)
    if text.endswith((".", "。")) and not _ABBREVIATION.search(text):
        text = text[:-1]
    for opening, closing in _PAIRS:
        if text.startswith(closing) or (text.startswith(opening) and closing not in text):
            text = text[1:]
        if text.endswith(opening) or (text.endswith(closing) and opening not in text):
            text = text[:-1]
    if len(text) > 1 and text[0] in "\"“'" and text[-1] in "\"”'" and not set("\"“”'") & set(text[1:-1]):
        text = text[1:-1]
    return text if text.count('"') != 1 else text.replace('"', "").strip()


def order_of(text: str) -> list[str]:
    """Return the labels of an order of events ("3,1,2", "III, I, II"); empty for other texts and repeated labels."""
    items = re.findall(_ITEM, text) if _ORDER.fullmatch(text) else []
    return items if len(set(items)) == len(items) and len({item.isdigit() for item in items}) == 1 else []


def form_of(text: str) -> str:
    """Return the form of an answer: yes_no, order, text, or value (numbers and dates with at most four other words)."""
    found = words(text)
    if found and found[0] in _YES_NO:
        return "yes_no"
    if order_of(text):
        return "order"
    plain = in_values(text)
    is_value = _NUMBER.search(plain) and len(words(_NUMBER.sub(" ", plain))) <= _MOST_AROUND_A_VALUE
    return "value" if is_value else "text"


def in_values(text: str) -> str:
    """Return a text in lower case with plain characters and numbers as digits: "3.2 Billion" is 3200000000, "two" is 2."""
    plain = unicodedata.normalize("NFKC", text).replace("\N{FRACTION SLASH}", "/")
    plain = _MINUS.sub("minus ", plain)
    return _NUMBER.sub(_digits, _PER_CENT.sub(" percent", in_digits(plain.casefold())))


def _digits(found: re.Match[str]) -> str:
    value = (Decimal(found[1].replace(",", "")) * _SCALES.get(found[2], 1)).normalize()
    return f"{value:f}"


def content(text: str) -> set[str]:
    """Return the words of a text without stop words."""
    stop_words, _ = _words()
    return {word for word in words(text) if word not in stop_words}


def bare(text: str) -> list[str]:
    """Return the words of a text without articles, numbers as digits in base units, times as 15:00, abbreviations in full
    ("6 ft", "St. Ann"), names of states and unions abbreviated ("US").
    """
    joined = in_values(_INITIALS.sub(lambda found: found[0].replace(".", ""), text))
    for full, short in _names().items():
        joined = re.sub(rf"\b{full}\b", short, joined)
    _, full_forms = _words()
    plain = _QUANTITY.sub(_in_base_unit, _CLOCK.sub(_in_24_hours, joined))
    return [full_forms.get(word, word) for word in words(plain) if word not in _ARTICLES]


def _in_24_hours(found: re.Match[str]) -> str:
    return f"{int(found[1]) % 12 + 12 * (found[3] == 'pm'):02}:{found[2] or '00'}"


def _in_base_unit(found: re.Match[str]) -> str:
    """Return a number in the base unit of its dimension ("2 km" as "2000 metres"); other numbers as they are, as one word."""
    unit = found[2] or "whole"
    unit = _words()[1].get(unit, unit)
    base, factor = _units().get(unit) or _units().get(f"{unit}s") or ("", Decimal(1))
    if not base:
        return found[0]
    value = f"{(Decimal(found[1]) * factor).normalize():f}".replace(".", "point")
    return value if base == "whole" else f"{value} {base}"


def same(text: str, other: str) -> bool:
    """Check whether two texts have the same words, the same numbers or the same date; the order of a list is ignored."""
    return bool(_keys(text) & _keys(other))


def _keys(text: str) -> set[tuple[str, ...]]:
    if order := order_of(text):
        return {tuple(order)}
    joined = "".join(bare(text))  # "e-mail", "email"
    together = set() if any(map(str.isdigit, joined)) else {(joined,)}
    return {_key(form) for form in (text, *equivalents(text))} | together


def _key(text: str) -> tuple[str, ...]:
    """Return the words of a text, or the sorted members of a list of short items ("Paris, Bordeaux and Nantes")."""
    parts = [" ".join(bare(part)) for part in re.split(r",(?!\d{3}\b)|;| and | or ", text)]
    is_list = len(parts) > 1 and all(0 < len(part.split()) <= _MOST_AROUND_A_VALUE for part in parts)
    return tuple(sorted(parts)) if is_list else tuple(bare(text))
