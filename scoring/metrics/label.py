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
_LEAD = re.compile(r"\W*(?:answer|label)\b", re.IGNORECASE)  # "Label 80", "Answer: Label 80"
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+")


def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the line that answers is an accepted label.

    The line that answers is what follows the first "Label:" or "Answer:", else the first line with something on it; the word
    "label" or "answer" before it is left out.
    Differs from the reference: both cues are known (the prompts that count shots end with "Answer:"), and the answer may stand
    below them; quotes, brackets and emphasis around it, case, accents and what joins its words ("card_arrival") do not count;
    where a number is wanted, 1,685 is 1685; articles count, so no label is equal to nothing.
    """
    text = said(output)
    after = _CUE.search(text)
    line = (text[after.end() :] if after else text).strip().split("\n", 1)[0]
    lead = _LEAD.match(line)
    readings = [line.strip(_AROUND), line[lead.end() if lead else 0 :].strip(_AROUND)]
    return best(_same, readings, [answer.strip(_AROUND) for answer in row["answers"]])


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the parsed line equals an accepted label, both normalised; an empty line equals a label "A"."""
    return best(lambda text, gold: normalise(text) == normalise(gold), [parse(final_text(output), CUE)], row["answers"])


def _same(text: str, gold: str) -> bool:
    if any(letter.isdigit() for letter in gold):  # "-5" is not 5, "1.5" is not "1 5"
        return _plain(text) == _plain(gold) != ""
    return words(text) == words(gold) != []


def _plain(text: str) -> str:
    return text.replace(",", "") if _GROUPED.fullmatch(text) else text.casefold()


METRICS = pair("label", "The label is the right one.", strict, official)
