"""Step 3 of the answer reader: bring an output and an accepted answer to one written form."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from haymaker.core.text.english_grammar import in_digits
from haymaker.core.text.strings import PART, folded

_SAME = str.maketrans(
    dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys("’‘ʼ´`", "'")
    | {"٬": ",", "٫": ".", "⁄": "/", "\u200b": "", "\u00ad": ""}
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_FORMULA = re.compile(r"\$([^$\n]{1,200}?)\$")
_SCRIPT_MARK = re.compile(r"[_^](?=\{|\w)")
_LATEX = (
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:text\w*|math\w+|boxed|mbox|fbox|emph|operatorname|displaystyle)\b\s*"), ""),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[,;:!]|(?<=\d)~(?=\d)"), " "),
    (re.compile(r"\\([%$&_#{}])"), r"\1"),
    (re.compile(r"\\([A-Za-z]+)"), r" \1 "),
    (re.compile(r"[{}]|\\[()\[\]]"), " "),
)
_TAG = re.compile(r"</?(?:[a-z]|[A-Za-z][\w-]{1,20})(?:\s[^<>]{0,80})?>")
_GROUPS = re.compile(  # one separator between groups of three digits; full stops only between three groups or more
    rf"(?<!{PART})(?<![.,])(?!0[ ,])"
    r"[0-9]{1,3}(?:(?P<mark>[ ,'_])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?!,[0-9])|(?:\.[0-9]{3}){2,}(?!\.[0-9]))(?![0-9])"
)
_RANGE = re.compile(r"(?<=\d) - (?=\d)")
_MILLIONS = re.compile(r"([$£€]\s?\d[\d.,]*)\s?m\b")
_INITIAL = re.compile(r"\b([A-Z])\.\s?(?=[A-Z]\b)|\b([a-z])\.(?=[a-z]\b)")
_PRONOUN = re.compile(r"\b(which|no|any|every|each|this|that|another|the|some) one\b")
_ENDING = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b|(?<=\w)'s\b")
_TOKEN = re.compile(r"(?:(?<![\w.)\]%])-)?[0-9]+(?:[.:/-][0-9]+)*(?![^\W_])|[^\W_]+")
_ARTICLES = frozenset({"a", "an", "the"})


@lru_cache(maxsize=1024)
def clean(text: str, *, groups: bool = True) -> str:
    r"""Return a text with uniform characters and numbers, without LaTeX and HTML marks; words, lines and case stay.

    Full-width and Arabic-Indic digits become 0 to 9, dashes become "-", "1 234 567", "1'234'567" and "1{,}234{,}567"
    become "1234567", and "\text{B}" becomes "B".
    """
    text = unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)
    text = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    if "$" in text:
        text = _FORMULA.sub(lambda formula: _SCRIPT_MARK.sub("", formula[1]), text)
    if "\\" in text or "{,}" in text:
        for mark, plain in _LATEX:
            text = mark.sub(plain, text)
    text = _TAG.sub(" ", text) if "<" in text else text
    text = _MILLIONS.sub(r"\1 million", _RANGE.sub("-", text))
    return _GROUPS.sub(lambda number: re.sub("[^0-9]", "", number[0]), text) if groups else text


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """Return the words of a text in one form, separated by single spaces.

    Case, accents, punctuation and articles are removed (articles stay if nothing else is left), initials are joined
    ("U.S." is "us"), number words up to 99 become digits, ordinal endings and possessive s are dropped. Numbers keep
    sign and marks: "-5", "49.9", "3/4", "10:30", "1966-1967". Each Chinese or Japanese character is a word.
    """
    text = folded(_INITIAL.sub(lambda match: match[1] or match[2], clean(text)))
    text = _ENDING.sub("", in_digits(_PRONOUN.sub(r"\1 ones", text)))
    words = _TOKEN.findall(text)
    return " ".join([word for word in words if word not in _ARTICLES] or words)
