"""InfiniteBench's synthetic tasks: passkey, number string, key-value retrieval, numbers, code (docs/spec/synthetic.md D).

An answer is one code or number, `answers[0]`; of math_calc a list of whole numbers. Where the reference's scorer crashes on an
output (a decimal point where a whole number is wanted, a number of thousands of digits) `@official` gives 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from scoring.metrics import kv, pair
from scoring.metrics.items import lines
from scoring.text import gold, whole

_DIGITS = re.compile(r"[0-9]+")
_UNSIGNED = re.compile(r"\d+\.\d+|\d+")
_KV_MARKS = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))
_CODE_MARKS = str.maketrans(dict.fromkeys("\n.`'\":", " "))
_MINUS = str.maketrans("−–", "--")
# Not the 2 of "2nd", of "f_2" or of "1.2.3"; a minus belongs to the number unless something stands right before it.
_NUMBER = re.compile(r"(?<![\w.,])(?:(?<!\S)[-+]|(?<=[=(\[:$])[-+])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,]\d)")
_CUE = re.compile(r"\banswer\s*(?:is|:|=)[\s:=]*", re.IGNORECASE)
_WHOLE = re.compile(r"(?<![\w.])(?:(?<!\S)-|(?<=[,;\[(])-)?\d++(?!\w|\.\d)")


def passkey_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first run of digits is the key; leading zeros count."""
    first = _DIGITS.search(whole(output))
    return float(first is not None and first.group() == gold(row))


def kv_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the value is a word of the output, ten punctuation marks being spaces."""
    return float(gold(row) in whole(output).translate(_KV_MARKS).split())


def find_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first number, read without its sign, equals the label; a negative label is never found."""
    first, label = _UNSIGNED.search(whole(output)), gold(row)
    try:
        kind = float if "." in label else int
        return float(first is not None and kind(first.group()) == kind(label))
    except ValueError:  # the reference crashes
        return 0.0


def find_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the number that answers equals the label, signs included.

    Differs from the reference: the number that answers is the first after "answer is" or "Answer:", else the one that the
    output begins with, else the last; "17.0" is 17, "1,234" is 1234, and no output crashes.
    """
    label = _label(row)
    return float(label is not None and answering(output) == label)


def _label(row: Mapping[str, Any]) -> Decimal | None:
    """The number that a row asks for; None where its answer is none."""
    try:
        label = Decimal(gold(row))
    except InvalidOperation:
        return None
    return label if label.is_finite() else None


def answering(output: object) -> Decimal | None:
    """The one number that an output gives for its answer; None of none."""
    text = lines(output).translate(_MINUS).strip()
    cues = list(_CUE.finditer(text))
    after = _NUMBER.search(text, cues[-1].end()) if cues else None
    found = after or _NUMBER.match(text) or next(reversed(list(_NUMBER.finditer(text))), None)
    return Decimal(found.group().replace(",", "")) if found else None


def run_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the last word is the number, six marks being spaces; "17.0" is 0."""
    words = whole(output).translate(_CODE_MARKS).split()
    try:
        return float(bool(words) and int(words[-1]) == int(gold(row)))
    except ValueError:  # the reference catches it
        return 0.0


def calc_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: share of intermediate values before the first that differs; signs are not read."""
    return _prefix(_DIGITS.findall(whole(output)), _whole(gold(row)))


def calc_strict(output: str, row: Mapping[str, Any]) -> float:
    """The same with signs, of whole numbers after the last "answer is" or "Answer:" where the output has one."""
    text = lines(output).translate(_MINUS)
    cues = list(_CUE.finditer(text))
    return _prefix(_whole(text[cues[-1].end() :] if cues else text), _whole(gold(row)))


def _whole(text: str) -> list[str]:
    return _WHOLE.findall(text)


def _prefix(got: Sequence[str], label: Sequence[str]) -> float:
    """Share of the label that agrees from its beginning; numbers are compared without leading zeros."""
    right = 0
    for ours, theirs in zip(got, label, strict=False):
        if _bare(ours) != _bare(theirs):
            break
        right += 1
    return right / len(label) if label else 0.0


def _bare(digits: str) -> str:
    sign = "-" * digits.startswith("-")
    bare = digits.lstrip("-").lstrip("0")
    return sign + bare if bare else "0"


def no_number(row: Mapping[str, Any]) -> str:
    """Why a row cannot ask for a number."""
    return "" if _label(row) is not None else f"its answer {gold(row)!r} is no number"


def _no_numbers(row: Mapping[str, Any]) -> str:
    return "" if _whole(gold(row)) else f"its answer {gold(row)[:40]!r} has no whole numbers"


_CODE = ("answers", "question")
METRICS = (
    *pair("passkey", "The key that was hidden.", kv.strict, passkey_official, _CODE),
    *pair("infbench_kv", "The value of the key.", kv.strict, kv_official, _CODE),
    *pair("math_find", "The number asked for.", find_strict, find_official, unfit=no_number),
    *pair("math_calc", "Share of intermediate values before the first that is wrong.", calc_strict, calc_official, unfit=_no_numbers),
    *pair("code_run", "The value that the function returns.", find_strict, run_official, unfit=no_number),
)
