"""Values of one shape (numbers of one length, UUIDs, words) and single numbers in an output.

Substring matching finds "123" in "1234567" and accepts lists of all candidates (docs/defects/synthetic.md A5 #10).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from decimal import Decimal
from functools import lru_cache

from haymaker.core.text.english_grammar import in_digits
from haymaker.core.text.strings import PART
from haymaker.scoring.reader import Row, answer, clean, harmonic

NONE = "none"  # answer of rows without a value

_EMPHASIS = str.maketrans("", "", "*`")
_CONTROL = re.compile(r"[\x00-\x1f]+")
_LEAVES_OPEN = re.compile(  # "none" as an item of its own; not in "none of the others", "not none"
    rf"(?<!{PART})(?<!-)(?<!\bnot )none(?!{PART}|-)(?! (?!(?:or|and|if|but|unless|nor|when|where|because|as|since|oder|und|wenn)\b)[^\W\d])"
)
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_COMPOUND = r"[^\W\d_]+(?:-[^\W\d_]+)+"
_LETTERS = re.compile(rf"(?:(?=[^\d_]){PART})+")
_BREAK = re.compile(r"[,;:()|.=\n、；：（）]|\b(?:and|or|und|oder)\b|[和与及或]")
_AROUND = "\"'“”‘’„»«「」『』《》[]{}<>.。!！?？-•"
_FIRST_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:\.\d+)?(?!\w|[.,]\d)")
_RESULT = re.compile(r"=\s*([-+]?\d+(?:\.\d+)?)(?!\w|[.,]\d|\s*[-+*/^(])")
_MINUS = re.compile(r"\b(?:minus|negative) (?=\d)")
_SAID_NUMBER = re.compile(
    rf"(?:\b(?:is|are|was|were|be|returns?|equals|gives|outputs?|yields|evaluates to|count(?:ed)?|found|contains?|has|have|only|giving)|:)\s+(?:exactly |about |the number )?({_FIRST_NUMBER.pattern})",
    re.IGNORECASE,
)


def wanted(row: Row) -> list[list[str]]:
    """Return the aliases of each wanted value: `answer_groups`, or the accepted answers as one value."""
    given = row.get("answer_groups") or [row["answers"]]
    kept = [[" ".join(alias.lower().split()) for alias in group if alias.strip()] for group in given]
    return [group for group in kept if group]


def f1(output: object, row: Row) -> float:
    """Return the harmonic mean of recall and precision: the share of wanted values among named values of their shape.

    The reference has no such metric: an output with every candidate is right there (docs/defects/synthetic.md A5 #10).
    """
    groups, text = wanted(row), _read(output, row)
    found, right = _named(text, groups, row), {alias for group in groups for alias in group}
    share = _recall(text, groups, found, row)
    return harmonic(len(found & right) / len(found), share) if share and right != {NONE} else share


def recall(output: object, row: Row) -> float:
    """Return the share of wanted values that the answer names; `none` is right if no code is next to it in the answer.

    An answer with `none` next to all values ("5331199 or none") scores 0; next to some, `none` may mean the others.
    """
    groups, text = wanted(row), _read(output, row)
    return _recall(text, groups, _named(text, groups, row), row)


def _recall(text: str, groups: list[list[str]], found: set[str], row: Row) -> float:
    if groups == [[NONE]]:
        codes = {token for token in _tokens(text) - _tokens(row["question"]) if any(map(str.isdigit, token))}
        return float(_stands(NONE, _folded(text)) and not codes)
    share = sum(not found.isdisjoint(group) for group in groups) / max(1, len(groups))
    is_value = any(NONE in group for group in groups)
    return 0.0 if share == 1 and not is_value and _LEAVES_OPEN.search(_folded(text)) else share


def _named(text: str, groups: list[list[str]], row: Row) -> set[str]:
    """Return the values in an answer: wanted ones, and others of their shape that are not in the question."""
    values, line = {alias for group in groups for alias in group}, _folded(text)
    others = set(_alike(text, line, values)) - _tokens(row["question"]) - values
    return {value for value in values if _stands(value, line)} | others


def _read(output: object, row: Row) -> str:
    return _CONTROL.sub("\n", clean(answer(output, row, block=True))).translate(_EMPHASIS)


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"[\w-]+", _folded(clean(text or ""))))


def _stands(value: str, line: str) -> bool:
    """Check whether a line contains a value as whole tokens, without a letter, digit or joining hyphen next to it."""
    return value in line and _whole(re.escape(value)).search(line) is not None


def _alike(text: str, line: str, values: Collection[str]) -> Iterable[str]:
    """Return the items with the shape of the wanted ones; none if these have no common shape."""
    lengths = sorted({len(value) for value in values})
    for shape in ("|".join(rf"[0-9]{{{length}}}" for length in lengths), _UUID, _COMPOUND):
        if all(re.fullmatch(shape, value) for value in values):
            return _whole(shape).findall(line)
    return _listed(text, lengths) if all(_LETTERS.fullmatch(value) for value in values) else ()


def _listed(text: str, lengths: Collection[int]) -> set[str]:
    """Return words of given lengths that are list items: last words of the parts between commas, "and", line breaks.

    In "the words are abcdef" only the last word is an item. Words in capitals are always items.
    """
    found = {word.lower() for word in _LETTERS.findall(text) if word.isupper() and len(word) in lengths}
    if not any(map(str.islower, text)):
        found.clear()  # in an all-capitals text, capitals carry no information
    for part in _BREAK.split(text.lower()):
        for word in filter(None, (word.strip(_AROUND) for word in reversed(part.split()))):
            if len(word) not in lengths or not _LETTERS.fullmatch(word):
                break
            found.add(word)
    return found


@lru_cache(maxsize=256)
def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{PART})(?<!{PART}-)(?:{pattern})(?!{PART}|-{PART})")


def number(output: object, row: Row) -> Decimal | None:
    """Return the number that an output gives as its answer, or None.

    This is the result of the last equation in the final answer, else the number at its start, else the first after a
    verb ("is 12", "returns 12"), else the last number.
    """
    text = _digits(answer(output, row, lambda part: bool(_FIRST_NUMBER.search(_digits(part))), order=_equations_first))
    if results := _RESULT.findall(text):
        return Decimal(results[-1])
    if begins := _FIRST_NUMBER.match(text):
        return Decimal(begins[0])
    said = _SAID_NUMBER.findall(re.sub(r"\([^()]*\)", " ", text))
    every = _FIRST_NUMBER.findall(text)
    return Decimal(said[0] if said else every[-1]) if every else None


def _equations_first(sentences: list[str]) -> list[str]:
    return [*(each for each in reversed(sentences) if "=" in each), *sentences]


def _digits(text: str) -> str:
    text = _MINUS.sub("-", in_digits(clean(text).translate(_EMPHASIS).lower()))
    return text.strip(" \t\n\"'([$")
