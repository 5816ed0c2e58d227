r"""What people write in several ways and mean the same, brought to one: dates and spans of them, what LaTeX marks, metres, and words
that are spelt differently in Britain and America.

An answer "14 July 1997" is given by "July 14th, 1997", "1966-1967" by "from 1966 to 1967", "100 m" by "100 meters", "$F_1$" by "F1",
"\textbf{BERT}" by "BERT". Our rules accept a text as it stands or in this one form (`scoring.text.best_way`), so none is worth less than before; the references' rules do not know it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from haymaker.english import MONTHS
from haymaker.text import PART

_MONTH = "|".join((*MONTHS, r"Sept\.?", *(rf"{month[:3]}\.?" for month in MONTHS)))
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.,-]){_DAY}(?:\s+of)?\s+(?P<month>{_MONTH})(?!\w)(?:,?\s+{_YEAR})?",
        rf"(?<!\w)(?P<month>{_MONTH})\s+(?:the\s+)?{_DAY}(?!\w)(?:,?\s+{_YEAR})?",
        rf"(?<![\w-]){_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])",
        rf"(?<!\d){_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月\s*(?P<day>\d{{1,2}})\s*日",
    )
)
_TO = r"\s*(?:[-–—]|(?<=\s)(?:to|until|till|through|and)\s(?:the\s)?)\s*"  # "and" behind "between" alone
_OPENS = r"(?<![\w.,–—-])(?:(?:from|(?P<between>between))\s+(?:the\s+)?)?"
_YEARS = re.compile(
    rf"{_OPENS}(?P<first>[12]\d{{3}})(?:{_TO}(?P<last>[12]\d{{3}})|[-–](?P<short>\d\d))(?![\w–—-]|[.,]\d)",
    re.IGNORECASE,
)
_SPAN_OF_DAYS = rf"(?P<first>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?{_TO}{_DAY}"
_MAY_SPAN = re.compile(r"\d[a-z]{0,2}\s*(?:[-–—]|to|until|till|through|and)\s*(?:the\s)?\d", re.IGNORECASE)
_DAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_OPENS}{_SPAN_OF_DAYS}(?:\s+of)?\s+(?P<month>{_MONTH})(?!\w)(?:,?\s+{_YEAR})?",
        rf"{_OPENS}(?P<month>{_MONTH})\s+(?:the\s+)?{_SPAN_OF_DAYS}(?![\w–—-])(?:,?\s+{_YEAR})?",
    )
)
_DIGIT = re.compile("[0-9]")
_SCRIPTS = re.compile("[⁰-₎²³¹]+")
_GREEK = re.compile(r"(?<![^\W\d_])[Α-Ωα-ωϵϕ](?![^\W\d_])")
_NAMED = {"ϵ": "epsilon", "ϕ": "phi", "×": "x"}
_SIGNS = {
    "times": "x",
    "cdot": "x",
    "ldots": "...",
    "dots": "...",
    "leq": "<=",
    "geq": ">=",
    "le": "<=",
    "ge": ">=",
    "pm": "±",
    "infty": "∞",
}
_VARIANTS = re.compile(r"\\var(?=epsilon|phi|theta|rho|sigma|pi)")
_DROPPED = re.compile(
    r"\\(?:cite[a-z]*|ref|label|footnote|url)\*?\{[^{}]*\}|\\(?:left|right|displaystyle|quad|qquad)(?![a-zA-Z])"
)
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?\s*\{([^{}]*)\}")
_SCRIPT = re.compile(r"(?<=\S)[_^](?:\{([^{}]*)\}|(?=\w))")
_WORD = re.compile(r"\\([a-zA-Z]+)")
_SPACE = re.compile(r"\\[,;:! ]|(?<=\w)~(?=\w)")
_ESCAPED = re.compile(r"\\([%$&_#{}])")
_MATHS = re.compile(r"(?<![\\\w])\$([^$\n]{1,200}?)(?<!\\)\$(?!\d)")
_DEEPEST = 4  # commands inside one another that are opened
_OUR = tuple(
    "armour behaviour colour favour flavour harbour honour humour labour neighbour odour rumour tumour vapour".split()
)
_RE = ("centre", "fibre", "litre", "metre", "theatre")
_BRITISH = re.compile(rf"\bgrey(?=(?:e[rd]|est|ing|ish|s)?\b)|{'|'.join(_OUR + _RE)}", re.IGNORECASE)
_METRES = re.compile(rf"(?<=\d)[ -]?(?:(?i:(kilo|centi|milli)?meters?)|([kKcm]?)m)(?!{PART}|[²³/^])")
_PREFIXES = {"k": "kilo", "c": "centi", "m": "milli"}
_MONEY = re.compile(r"[$£€]\s?[\d.,]*\Z")
_LONGEST_SUM = 20  # characters


@lru_cache(maxsize=256)  # several metrics compare the same texts
def one_form(text: str) -> str:
    """A text with its dates as "14 July 1997" or "14 July", spans as "1966-1967" or "3-5 May 1990", lengths as "100 kilometers", in
    American spelling, without marks of LaTeX, Greek letters by name.
    """
    text = one_spelling(unmarked(text))
    if _DIGIT.search(text):
        text = _with_spans(_METRES.sub(_measured, text))
        for pattern in _DATES:
            text = pattern.sub(_dated, text)
    return text


def one_spelling(text: str) -> str:
    """A text in American spelling, as far as a short list of words goes: "gray" for "grey", "meter" for "metre", "color" for "colour"."""
    lower = text.lower()
    return _BRITISH.sub(_american, text) if any(word in lower for word in ("grey", *_OUR, *_RE)) else text


def _american(found: re.Match[str]) -> str:
    word, end = found[0], found[0][-2:]
    if word.lower().startswith("gr"):
        return word.replace("e", "a").replace("E", "A")
    return word[:-2] + (end[1] if word.lower().endswith("ur") else end[::-1])


def unmarked(text: str) -> str:
    r"""A text as a reader sees it whose LaTeX was set: "\textbf{BERT}" is BERT, "$F_{1}$" and "F₁" are F1, "\alpha" and "α" are alpha."""
    if "$" in text or "\\" in text:
        text = _unescaped(_DROPPED.sub("", _VARIANTS.sub(r"\\", _MATHS.sub(_set, text))))
    if text.isascii():
        return text
    text = _SCRIPTS.sub(lambda found: unicodedata.normalize("NFKC", found[0]).replace("−", "-"), text)
    return _GREEK.sub(_named, text).replace("×", "x")


def _set(found: re.Match[str]) -> str:
    """What stands between two signs of dollars; as it stands where these may be money ("$5 and $")."""
    return _scripted(found[1]) if re.search(r"[\\_^={]|^\s*[a-zA-Z]\w?\s*$", found[1]) else found[0]


def _unescaped(text: str) -> str:
    """Commands opened from the innermost outwards; of unknown ones the name stays."""
    for _ in range(_DEEPEST):
        text = _COMMAND.sub(r"\1", _FRACTION.sub(r"\1/\2", text))
    text = _SPACE.sub(" ", text)
    return _ESCAPED.sub(r"\1", _WORD.sub(lambda word: _SIGNS.get(word[1], word[1]), text))


def _scripted(text: str) -> str:
    """A formula without marks of subscripts and superscripts: "F_{1}" is F1, "10^{-3}" is 10-3."""
    for _ in range(_DEEPEST):
        text = _SCRIPT.sub(lambda found: found[1] or "", text)
    return text


def _named(found: re.Match[str]) -> str:
    letter = found[0]
    return _NAMED.get(letter) or unicodedata.name(letter).rpartition(" ")[2].lower()


def _measured(found: re.Match[str]) -> str:
    """Metres behind a number, whole and in plural; "$100 m" may be millions."""
    if _MONEY.search(found.string, max(0, found.start() - _LONGEST_SUM), found.start()):
        return found[0]
    return f" {(found[1] or '').lower() or _PREFIXES.get((found[2] or '').lower(), '')}meters"


def _with_spans(text: str) -> str:
    """A text with spans of years and of days of a month in one form."""
    if _MAY_SPAN.search(text):
        text = _YEARS.sub(_spanned, text)
        for pattern in _DAYS:
            text = pattern.sub(_from_day, text)
    return text


def _spanned(found: re.Match[str]) -> str:
    """A span of years, "1966-67" too, where it is one: "in 1966 and 1967" is none, nor "2001-01"."""
    first, last = found["first"], found["last"] or found["first"][:2] + found["short"]
    return f"{first}-{last}" if first < last and _is_span(found) else found[0]


def _from_day(found: re.Match[str]) -> str:
    """A span of days of one month."""
    first, ending = int(found["first"]), _dated(found)
    return f"{first}-{ending}" if first < int(found["day"]) and _is_span(found) else found[0]


def _is_span(found: re.Match[str]) -> bool:
    return bool(found["between"]) or not re.search(r"\sand\s", found[0])


def _dated(found: re.Match[str]) -> str:
    month = found["month"]
    number = (
        int(month)
        if month.isdigit()
        else next(i for i, name in enumerate(MONTHS, 1) if name[:3].lower() == month[:3].lower())
    )
    if not (1 <= number <= len(MONTHS) and 1 <= int(found["day"]) <= 31):
        return found[0]
    return f"{int(found['day'])} {MONTHS[number - 1]}" + (f" {found['year']}" if found["year"] else "")
