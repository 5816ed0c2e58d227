"""SubEM: an accepted answer stands in the output (docs/spec/helmet.md 11.1, 11.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.hedges import unhedged
from scoring.metrics import Metric, pair
from scoring.text import CLOSED, best, best_way, holds_words, normalise, normalise_strictly, raw_and_parsed, said


@unhedged
def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when a normalised answer is a substring of the normalised output.

    Differs from the reference: an answer that normalises to nothing is never found (docs/defects/helmet.md D10), yes and no are
    found as whole words alone ("no" is not in "I do not know", and the "no" of "there is no doubt", "no one knows" is none:
    scoring/yes_no.py), numbers from their first digit ("3 May" is not in "23 May"), marks of every script are deleted ("12 平方公里。"), dates and
    marks of LaTeX are in one form (scoring/ways.py), the output is read once, and one that takes no
    side ("yes or no") is wrong (scoring/hedges.py).
    """
    answers = [answer for answer in row["answers"] if normalise(answer)]
    return best_way(_within, said(output), answers, normalise_strictly)


def _within(text: str, gold: str) -> bool:
    if gold in CLOSED:
        return f" {gold} " in f" {text} "
    return bool(gold) and (gold in text if not gold[0].isdigit() else _number(gold).search(text) is not None)


def _number(gold: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d){re.escape(gold)}")


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the better of the raw and the parsed output; an answer "The" is in every output."""
    return best(lambda text, gold: normalise(gold) in normalise(text), raw_and_parsed(output), row["answers"])


@unhedged
def tokens(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when an answer stands in the output as whole words, so "pol" is not in "police" (docs/defects/helmet.md D24); "one" is "1"; a "no" that
    answers nothing is none, and an output that takes no side is wrong.
    """
    return best(holds_words, [said(output)], row["answers"])


_READ = ("answers", "question")
METRICS = (
    *pair(
        "subem", "An accepted answer is part of the output, both normalised.", strict, official, _READ, strict_version=6
    ),
    Metric("subem_tokens@strict", 5, "An accepted answer stands in the output as whole words.", tokens, _READ),
)
