"""RULER and JSON-KV: how many of the wanted values an output names, and how many others (docs/spec/synthetic.md A1, C).

`answer_groups` has the aliases of each wanted value; a row with the answer `none` asks for a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.metrics.short_answers import subem_strict
from haymaker.scoring.metrics.values import f1, recall
from haymaker.scoring.official_text import best, final_text, normalise, parse, whole
from haymaker.scoring.reader import Row

_CONTROL = re.compile(r"[\x00-\x1f]")


def all_official(output: str, row: Row) -> float:
    """The reference's rule: share of values that are substrings of the output, case aside; "123" is in "1234567".

    Reasoning is read like all other text, as in the reference.
    """
    groups = row["answer_groups"] or [row["answers"]]
    return sum(_part_of(group, output) for group in groups) / len(groups)


def part_official(output: str, row: Row) -> float:
    """The reference's rule for its two question tasks: any accepted answer is a substring of the output, case aside."""
    return float(_part_of(row["answers"], output))


def _part_of(values: Sequence[str], output: object) -> bool:
    """Return whether one of the values is in an output as the reference prepares it."""
    text = _CONTROL.sub("\n", whole(output).strip()).strip().lower()
    return any(value.lower() in text for value in values)


def kv_strict(output: str, row: Row) -> float:
    """1.0 if the answer names the value and no other of its shape, the question's own key aside.

    Differs from the reference: whole tokens, one reading, outputs that list the object are wrong; `none` is right only
    if it is the answer and no code is next to it.
    """
    return float(f1(output, row) == 1)


def kv_official(output: str, row: Row) -> float:
    """The reference's rule: the normalised value is a substring of the raw output or of the text after its cue."""
    text = final_text(output)
    readings = [text, parse(text, "Corresponding value:")]
    return best(lambda ours, gold: normalise(gold) in normalise(ours), readings, row["answers"])


_COLUMNS = ("answers", "answer_groups", "question")
METRICS = (
    *pair("ruler_all", "Share of the wanted values that are in the answer.", recall, all_official, _COLUMNS, 3, 5),
    *pair("ruler_part", "1 if the output states an accepted answer (RULER's question tasks).", subem_strict, part_official, ("answers", "question"), strict_version=5),
    Metric("ruler_f1@strict", 5, "F1 of the wanted values among all values of their shape in the answer.", f1, _COLUMNS),
    *pair("kv", "1 if the answer gives the value of the key.", kv_strict, kv_official, ("answers", "question"), 3, 5),
)  # fmt: skip
