"""The label of a many-shot prompt, or the answer of a count: a number or a name, by equality (ICL;
docs/spec/helmet.md 9, 11.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from haymaker.text import words
from scoring.metrics import pair
from scoring.text import best, final_text, normalise, parse, said

CUE = "Label:"

_AROUND = " \t\"'“”‘’*`_()[]<>.,;:!"
_CUE = re.compile(r"\b(?:answer|label)[\s*]*:", re.IGNORECASE)
_LEAD = re.compile(
    r"\W*(?:the )?(?:[a-z]+ )?(?:answer|label)\b(?: is\b)?", re.IGNORECASE
)  # "Label 80", "The right label is 80"
_BEHIND = re.compile(r"\s*(?:\(|,? because\b).*", re.IGNORECASE)  # "80 (lost card)"
_NUMBER = re.compile(r"(?<![\w.,-])-?\d+(?:[.,]\d+)*(?![\w-])")
_DENIED = re.compile(r"\b(?:not|no|never|nor)\b|n't\b", re.IGNORECASE)
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+")


def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the line that answers is an accepted label.

    The line that answers is what follows the first "Label:" or "Answer:", else the first line with something on it; the word
    "label" or "answer" before it is left out.
    Differs from the reference: both cues are known (the prompts that count shots end with "Answer:"), and the answer may stand
    below them; quotes, brackets and emphasis around it, case, accents and what joins its words ("card_arrival") do not count,
    nor do brackets or a reason behind it; where a number is wanted, 1,685 is 1685, and a line that holds one number and denies
    nothing says that number; articles count, so no label is equal to nothing.
    """
    text = said(output)
    after = _CUE.search(text)
    line = (text[after.end() :] if after else text).strip().split("\n", 1)[0]
    lead = _LEAD.match(line)
    told = line[lead.end() if lead else 0 :]
    readings = [each.strip(_AROUND) for each in (line, told, _BEHIND.sub("", told), *_only_number(told))]
    return best(_same, readings, [answer.strip(_AROUND) for answer in row["answers"]])


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the parsed line equals an accepted label, both normalised; an empty line equals a label "A"."""
    return best(lambda text, gold: normalise(text) == normalise(gold), [parse(final_text(output), CUE)], row["answers"])


def _only_number(line: str) -> list[str]:
    found = _NUMBER.findall(line)
    return found if len(found) == 1 and not _DENIED.search(line) else []


def _same(text: str, gold: str) -> bool:
    if any(letter.isdigit() for letter in gold):  # "-5" is not 5, "1.5" is not "1 5"
        return _plain(text) == _plain(gold) != ""
    return words(text) == words(gold) != []


def _plain(text: str) -> str:
    return text.replace(",", "") if _GROUPED.fullmatch(text) else text.casefold()


METRICS = pair("label", "The label is the right one.", strict, official)
