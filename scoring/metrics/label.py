"""The label of a many-shot prompt: a number or a name, by equality (ICL; spec/helmet.md 9, 11.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.text import words
from scoring.metrics.text import best, normalise, pair, parse, read, said

CUE = "Label:"

_AROUND = " \t\"'“”‘’*`_()[]<>.,;:!"


def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the line that answers is an accepted label.

    Differs from the reference: the answer may stand below the cue; quotes, brackets and emphasis around it, case, accents and
    what joins its words ("card_arrival") do not count; articles do, so no label is equal to nothing.
    """
    line = read(said(output), CUE).strip(_AROUND)
    return best(_same, [line], [answer.strip(_AROUND) for answer in row["answers"]])


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the parsed line equals an accepted label, both normalised; an empty line equals a label "A"."""
    return best(lambda text, gold: normalise(text) == normalise(gold), [parse(said(output), CUE)], row["answers"])


def _same(text: str, gold: str) -> bool:
    if any(letter.isdigit() for letter in gold):  # "-5" is not 5, "1.5" is not "1 5"
        return text.casefold() == gold.casefold() != ""
    return words(text) == words(gold) != []


METRICS = pair("label", "The label is the right one.", strict, official)
