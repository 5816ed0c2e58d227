"""By what `haymaker score --by` can split a table, and what a row's value is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

BY = (
    "depth_index", "depth", "permutation", "variant", "n_distractors", "haystack", "part", "evidence", "shown",
)  # fmt: skip
_IN_EXTRA = ("evidence", "shown")  # of rows on long documents (docs/suites/helmet.md)
_DEPTHS = 5  # bands of depth


def column(by: str) -> str:
    """The column of a row that the value is read from."""
    return "extra" if by in _IN_EXTRA else by


def value(row: Mapping[str, Any], by: str | None) -> str:
    """What stands in a row's column or `extra`, of a depth the fifth that it lies in; "" where nothing does."""
    if by == "depth":
        return "" if row[by] is None else fifth(row[by])
    if by not in _IN_EXTRA:
        return "" if by is None or row[by] is None else str(row[by])
    extra = json.loads(row["extra"] or "{}")
    if by == "shown":
        return ("whole" if extra["cut"] == "whole" else "part") if "cut" in extra else ""
    known = extra.get("evidence")
    return known if isinstance(known, str) else ""  # BABILong's `evidence` is a list of facts


def fifth(depth: float) -> str:
    """'0.0-0.2' of a depth from 0 to below 0.2; 1 lies in the last."""
    band = min(int(depth * _DEPTHS), _DEPTHS - 1)
    return f"{band / _DEPTHS:.1f}-{(band + 1) / _DEPTHS:.1f}"
