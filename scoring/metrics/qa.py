"""EM and word F1 of short answers (docs/spec/helmet.md 11.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.metrics import pair
from scoring.text import best, best_way, normalise, normalise_numbers, raw_and_parsed, read, said, word_f1


def em_strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the line that answers equals an accepted answer.

    Differs from the reference: one reading, "one" is "1", dates and marks of LaTeX in one form (scoring/ways.py); an answer "A" is not equal to an empty output or to "The"
    (docs/defects/helmet.md D9).
    """
    line = read(said(output))
    return best_way(lambda text, gold: bool(gold) and text == gold, line, row["answers"], normalise_numbers)


def em_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the better of the raw and the parsed output; an empty output equals an answer "A"."""
    return best(lambda text, gold: normalise(text) == normalise(gold), raw_and_parsed(output), row["answers"])


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Word F1 of the line that answers, the best over accepted answers; one reading, articles of "A" kept
    (docs/defects/helmet.md D9), dates and marks of LaTeX in one form.
    """
    line = read(said(output))
    return best_way(lambda text, gold: word_f1(text, gold, normalise_numbers), line, row["answers"])


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the better of the raw and the parsed output."""
    return best(word_f1, raw_and_parsed(output), row["answers"])


METRICS = (
    *pair("em", "The answer equals an accepted one, both normalised.", em_strict, em_official, strict_version=6),
    *pair("f1", "Word F1 against the nearest accepted answer.", f1_strict, f1_official, strict_version=6),
)
