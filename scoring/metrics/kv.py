"""The value of a key in a long JSON object (HELMET's JSON-KV; docs/spec/synthetic.md C; docs/spec/helmet.md 11.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.metrics import pair
from scoring.metrics.items import is_none, leaves_open, named, predicts_none, wanted
from scoring.text import best, final_text, normalise, parse

CUE = "Corresponding value:"


def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the output names the value and no other of its shape, the question's own key aside.

    Differs from the reference: whole tokens, one reading, and an output that lists the object is wrong; `none` is right
    only where it is the answer and no code stands beside it, and a value beside `none` ("5331199 or none") is wrong.
    """
    groups = wanted({"answers": row["answers"], "answer_groups": None})
    if is_none(groups):
        return float(predicts_none(output, row["question"]))
    values = {alias for group in groups for alias in group}
    items = named(output, values, row["question"])
    return float(len(items) == 1 and items <= values and not leaves_open(output, values))


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the normalised value is a substring of the raw output, or of what follows the reference's cue."""
    text = final_text(output)
    return best(lambda ours, gold: normalise(gold) in normalise(ours), [text, parse(text, CUE)], row["answers"])


METRICS = pair("kv", "The output names the value of the key.", strict, official, ("answers", "question"), 3, 4)
