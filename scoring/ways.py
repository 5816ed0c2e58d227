r"""What people write in several ways and mean the same, brought to one: dates, what LaTeX marks, and the spelling of grey.

An answer "14 July 1997" is given by "July 14th, 1997", "$F_1$" by "F1", "\textbf{BERT}" by "BERT". Our rules accept a text as it stands or
in this one form (`scoring.text.best_way`), so none is worth less than before; the references' rules do not know it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from haymaker.english import MONTHS

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
_GREY = re.compile(r"\bgrey(?=(?:e[rd]|est|ing|ish|s)?\b)", re.IGNORECASE)


@lru_cache(maxsize=256)  # several metrics compare the same texts
def one_form(text: str) -> str:
    """A text with its dates as "14 July 1997" or "14 July", without marks of LaTeX, Greek letters by name, "gray" for "grey"."""
    text = one_spelling(unmarked(text))
    if _DIGIT.search(text):
        for pattern in _DATES:
            text = pattern.sub(_dated, text)
    return text


def one_spelling(text: str) -> str:
    """A text with "gray" wherever it has "grey"."""
    return (
        text if "rey" not in text.lower() else _GREY.sub(lambda found: "Gray" if found[0][0] == "G" else "gray", text)
    )


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
