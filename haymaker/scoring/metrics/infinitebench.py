"""InfiniteBench: keys, numbers, code (docs/spec/synthetic.md D), books. `@official` is 0 if the reference crashes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.metrics.ruler import kv_strict
from haymaker.scoring.metrics.values import number
from haymaker.scoring.official_text import nearest_f1, whole
from haymaker.scoring.reader import answer, clean

_DIGITS = re.compile(r"[0-9]+")
_UNSIGNED = re.compile(r"\d+\.\d+|\d+")
_KV_MARKS = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))
_CODE_MARKS = str.maketrans(dict.fromkeys("\n.`'\":", " "))
_OPTIONS = "ABCD"
_SPACES = re.compile(" +")
_CHOICE_MARKS = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))
_CHOICE_CUES = ("answer is:", "answer:", "answer is", "option is")
_WHOLE = re.compile(r"(?<![\w.])(?:(?<!\S)-|(?<=[,;\[(])-)?\d++(?!\w|\.\d)")


def passkey_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first run of digits is the key; leading zeros count."""
    first = _DIGITS.search(whole(output))
    return float(first is not None and first.group() == row["answers"][0])


def kv_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the value is a word of the output, with ten punctuation marks as spaces."""
    return float(row["answers"][0] in whole(output).translate(_KV_MARKS).split())


def find_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the first number, without sign, equals the label; negative labels are never found."""
    first, label = _UNSIGNED.search(whole(output)), row["answers"][0]
    try:
        kind = float if "." in label else int
        return float(first is not None and kind(first.group()) == kind(label))
    except ValueError:  # the reference crashes
        return 0.0


def find_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 if the number that the output gives equals the label, sign included (haymaker/scoring/metrics/values.py).

    Differs from the reference: "17.0" is 17, "1,234" is 1234, and no output crashes.
    """
    return float(number(output, row) == Decimal(row["answers"][0]))


def run_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the last word is the number, with six marks as spaces; "17.0" is 0."""
    words = whole(output).translate(_CODE_MARKS).split()
    try:
        return float(bool(words) and int(words[-1]) == int(row["answers"][0]))
    except ValueError:  # the reference catches it
        return 0.0


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule for questions on books: word F1 of the whole output, with no special rule for yes and no."""
    return nearest_f1(whole(output), row["answers"])


def choice_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule for questions with four options; the first match in this order decides.

    The order: a capital A to D at the start of the output, even of a longer word ("Although" is A), the text one
    character after a cue, the first word that is a substring of "ABCD". Options with a mark that becomes a space are
    never found by their text. Empty outputs, on which the reference crashes, score 0.
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
    """Return the right letter and the unchanged text of its option."""
    letter, choices = row["answers"][0], row["choices"]
    place = _OPTIONS.find(letter) if letter else -1
    return tuple(filter(None, (letter, choices[place] if 0 <= place < len(choices) else "")))


def no_number(row: Mapping[str, Any]) -> str:
    """Return why a row whose answer must be a number cannot be scored, or an empty string."""
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
    """Share of intermediate values before the first that differs, signs included, in the final answer."""
    return _prefix(_whole(clean(answer(output, row, block=True), groups=False)), _whole(row["answers"][0]))


@lru_cache(maxsize=4)
def _whole(text: str) -> tuple[str, ...]:
    """Return the whole numbers of a text, perhaps tens of thousands: remembered for the next metric."""
    return tuple(_WHOLE.findall(text))


def _prefix(got: Sequence[str], label: Sequence[str]) -> float:
    """Return the share of the label that agrees from its start; leading zeros are ignored."""
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


_READ = ("answers", "question")
_NUMBER: dict[str, Any] = {"columns": _READ, "strict_version": 3, "demands": no_number}
_CALC: dict[str, Any] = {"strict_version": 3, "demands": _no_numbers}
_KV = "1 if the answer gives the value of the key (InfiniteBench)."
_VALUES = "Share of the intermediate values before the first wrong one."
_F1 = "Word F1 against the nearest accepted answer, by InfiniteBench's rule."
_CHOICE = "1 if the chosen option is right, by InfiniteBench's rule."
METRICS = (
    *pair("passkey", "1 if the hidden key is the answer.", kv_strict, passkey_official, _READ, 3, 5),
    *pair("infbench_kv", _KV, kv_strict, kv_official, _READ, 3, 5),
    *pair("math_find", "1 if the requested number is right.", find_strict, find_official, **_NUMBER),
    *pair("math_calc", _VALUES, calc_strict, calc_official, **_CALC),
    Metric("infbench_f1@official", 1, _F1, f1_official, ("answers",)),
    Metric("infbench_choice@official", 1, _CHOICE, choice_official, ("answers", "choices")),
    *pair("code_run", "1 if the return value of the function is right.", find_strict, run_official, **_NUMBER),
)
