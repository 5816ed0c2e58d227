"""InfiniteBench: passkey, number string, key-value retrieval, numbers, code (docs/spec/synthetic.md D), and its own rules for books.

An answer is one code or number, `answers[0]`; of math_calc a list of whole numbers. Where the reference's scorer crashes on an
output (a decimal point where a whole number is wanted, a number of thousands of digits) `@official` gives 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from scoring.metrics import Metric, kv, pair
from scoring.metrics.items import lines
from scoring.text import nearest_f1, whole

_DIGITS = re.compile(r"[0-9]+")
_UNSIGNED = re.compile(r"\d+\.\d+|\d+")
_KV_MARKS = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))
_CODE_MARKS = str.maketrans(dict.fromkeys("\n.`'\":", " "))
_OPTIONS = "ABCD"
_SPACES = re.compile(" +")
_CHOICE_MARKS = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))
_CHOICE_CUES = ("answer is:", "answer:", "answer is", "option is")
_MINUS = str.maketrans("−–", "--")
# Not the 2 of "2nd", of "f_2" or of "1.2.3"; a minus belongs to the number unless something stands right before it.
_NUMBER = re.compile(r"(?<![\w.,])(?:(?<!\S)[-+]|(?<=[=(\[:$])[-+])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,]\d)")
_CUE = re.compile(r"\banswer\s*(?:is|:|=)[\s:=]*", re.IGNORECASE)
_WHOLE = re.compile(r"(?<![\w.])(?:(?<!\S)-|(?<=[,;\[(])-)?\d++(?!\w|\.\d)")


def passkey_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first run of digits is the key; leading zeros count."""
    first = _DIGITS.search(whole(output))
    return float(first is not None and first.group() == row["answers"][0])


def kv_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the value is a word of the output, ten punctuation marks being spaces."""
    return float(row["answers"][0] in whole(output).translate(_KV_MARKS).split())


def find_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first number, read without its sign, equals the label; a negative label is never found."""
    first, label = _UNSIGNED.search(whole(output)), row["answers"][0]
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
    return float(answering(output) == Decimal(row["answers"][0]))


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
        return float(bool(words) and int(words[-1]) == int(row["answers"][0]))
    except ValueError:  # the reference catches it
        return 0.0


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule for questions on books: word F1 of all of the output, normalised, against the nearest answer.

    Differs from HELMET's f1: one reading, and no answer is right or wrong as a whole.
    """
    return nearest_f1(whole(output), row["answers"])


def choice_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule for questions with four options: the first of these that is there decides.

    A capital A to D that the output begins with, whatever word it begins; what follows a cue, one character being passed over; the
    first word made of neighbouring letters of "ABCD". Kept on purpose: "Although ..." says A; an option with one of the marks that
    become spaces is never found by its text. Of an empty output, on which the reference's scorer crashes, nothing is right.
    """
    text, accepted = whole(output), _accepted(row)
    if text[:1] and text[0] in _OPTIONS:
        return float(text[0] in accepted)
    text = _SPACES.sub(" ", text.translate(_CHOICE_MARKS))
    for cue in _CHOICE_CUES:
        _, found, after = text.partition(cue)
        if found:
            return float(after[1:].startswith(accepted))
    return float(next((word for word in text.split() if word in _OPTIONS), "") in accepted)


def _accepted(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The right letter, and the text of its option as it stands."""
    letter, choices = row["answers"][0], row["choices"]
    place = _OPTIONS.find(letter) if letter else -1
    return tuple(filter(None, (letter, choices[place] if 0 <= place < len(choices) else "")))


def no_number(row: Mapping[str, Any]) -> str:
    """What a row does not have whose answer must be a number."""
    try:
        return "" if Decimal(row["answers"][0]).is_finite() else "its answer is no number"
    except InvalidOperation:
        return "its answer is no number"


def _no_numbers(row: Mapping[str, Any]) -> str:
    return "" if _whole(row["answers"][0]) else "its answer has no whole numbers"


def calc_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: share of intermediate values before the first that differs; signs are not read."""
    return _prefix(_DIGITS.findall(whole(output)), _whole(row["answers"][0]))


def calc_strict(output: str, row: Mapping[str, Any]) -> float:
    """The same with signs, of whole numbers after the last "answer is" or "Answer:" where the output has one."""
    text = lines(output).translate(_MINUS)
    cues = list(_CUE.finditer(text))
    return _prefix(_whole(text[cues[-1].end() :] if cues else text), _whole(row["answers"][0]))


@lru_cache(maxsize=4)
def _whole(text: str) -> tuple[str, ...]:
    """Whole numbers of a text; kept for the next question about it, as answers may have tens of thousands."""
    return tuple(_WHOLE.findall(text))


def _prefix(got: Sequence[str], label: Sequence[str]) -> float:
    """Share of the label that agrees from its beginning; numbers are compared without leading zeros."""
    right = 0
    for ours, theirs in zip(got, label, strict=False):
        if ours != theirs and _bare(ours) != _bare(theirs):
            break
        right += 1
    return right / len(label) if label else 0.0


def _bare(digits: str) -> str:
    sign = "-" * digits.startswith("-")
    bare = digits.lstrip("-").lstrip("0")
    return sign + bare if bare else "0"


_BOOKS = "InfiniteBench's rule."
_CODE = ("answers", "question")
METRICS = (
    *pair("passkey", "The key that was hidden.", kv.strict, passkey_official, _CODE, 3, 4),
    *pair("infbench_kv", "The value of the key.", kv.strict, kv_official, _CODE, 3, 4),
    *pair("math_find", "The number asked for.", find_strict, find_official, demands=no_number),
    *pair(
        "math_calc",
        "Share of intermediate values before the first that is wrong.",
        calc_strict,
        calc_official,
        demands=_no_numbers,
    ),
    Metric("infbench_f1@official", 1, f"Word F1 against the nearest answer: {_BOOKS}", f1_official, ("answers",)),
    Metric(
        "infbench_choice@official",
        1,
        f"The option chosen is the right one: {_BOOKS}",
        choice_official,
        ("answers", "choices"),
    ),
    *pair("code_run", "The value that the function returns.", find_strict, run_official, demands=no_number),
)
