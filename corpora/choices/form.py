"""How options are written, and of which form an answer is: a number, a date, an order, yes or no, or text.

The normal form is the same for the right option and the wrong ones, so that it tells nothing: no full stop at the end, a
capital first, no reference marks, no half of a pair of brackets or quotation marks. Words are never taken away.
"""

from __future__ import annotations

import re
from typing import Literal

from corpora.choices.quantities import dates, quantities
from haymaker.core.text.strings import words

Form = Literal["yes_no", "order", "number", "date", "text"]

_REFERENCES = re.compile(r"\s?\[(?:\d{1,4}|[a-z]|note \d+|citation needed)\]")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:(?:[^\W\d]\.)+[^\W\d]|Inc|Ltd|Co|Corp|Jr|Sr|St|Dr|No|etc)\.$")
_EDGES = " \t,;:·•–—"
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_ORDER = re.compile(r"[(\[]?(\d{1,2}|[IVXivx]{1,5}|[A-Za-z])[)\].]?(?:(?:\s*[,;>→-]+\s*|\s+)[(\[]?(?:\d{1,2}|[IVXivx]{1,5}|[A-Za-z])[)\].]?){2,}")  # fmt: skip
_ITEM = re.compile(r"\d{1,2}|[IVXivx]{1,5}|[A-Za-z]")
_YES_NO = frozenset({"yes", "no", "true", "false"})
_AROUND_DATES = frozenset("between and from to in on of the since until by about around at before after year early late mid during s".split())  # fmt: skip
_MOST_AROUND_A_NUMBER = 4
STOP_WORDS = frozenset(
    "a an the and or but of in on at to for from by with as is are was were be been being has have had do does did will "
    "would can could should may might must not no nor so than that this these those it its he she they them his her "
    "their him we our us you your i my me who whom whose which what when where why how if then there here also into "
    "about after before during between through over under against among because while such any all some more most other "
    "s t".split()
)


def normal(text: str) -> str:
    """A text as an option is written."""
    found = " ".join(_REFERENCES.sub("", text).split())
    while found and (trimmed := _trimmed(found)) != found:
        found = trimmed
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


def bare(text: str) -> str:
    """Without an explanation in brackets behind a number or date ("21 days (from 3 to 24 March)")."""
    head, bracket, _ = text.partition("(")
    return normal(head) if bracket and text.endswith(")") and form_of(normal(head)) in ("number", "date") else text


def content(text: str) -> list[str]:
    """The words that carry meaning, in order."""
    return [word for word in words(text) if word not in STOP_WORDS]


def order_of(text: str) -> list[str]:
    """The marks of an order of events ("3,1,2", "III, I, II"); empty for any other text, and where one comes twice."""
    if not _ORDER.fullmatch(text):
        return []
    items = _ITEM.findall(text)
    kinds = {item.isdigit() for item in items}
    return items if len(set(items)) == len(items) > 2 and len(kinds) == 1 else []


def form_of(text: str) -> Form:
    """The form of an answer in its normal form."""
    found = words(text)
    if found and found[0] in _YES_NO:
        return "yes_no"
    if order_of(text):
        return "order"
    if dates(text) and not set(_outside(text, [(d.start, d.end) for d in dates(text)])) - _AROUND_DATES:
        return "date"
    met = quantities(text)
    around = _outside(text, [(q.start, q.end) for q in met])
    if met and all(q.kind == "year" for q in met) and not set(around) - _AROUND_DATES:
        return "date"
    if len(met) == 1 and len(around) <= _MOST_AROUND_A_NUMBER and not any(word.isdigit() for word in around):
        return "number"
    return "text"


def _outside(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """Words that stand in none of the spans."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return words(text)
