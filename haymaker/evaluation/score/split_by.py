"""Columns for `haymaker score --by`, and the value of a row in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_IN_METADATA = ("evidence", "shown")  # keys of `metadata` in rows with long documents (docs/suites/helmet.md)
_DEPTHS = 5  # bands of depth


def column(by: str) -> str:
    """Return the name of the column that contains the value."""
    return "metadata" if by in _IN_METADATA else by


def value(row: Mapping[str, Any], by: str | None) -> str:
    """Return a row's value in a column or in `metadata`, for depth as a band of 0.2; "" if there is none."""
    if by == "depth":
        return "" if row[by] is None else fifth(row[by])
    if by not in _IN_METADATA:
        return "" if by is None or row[by] is None else str(row[by])
    metadata = json.loads(row["metadata"] or "{}")
    if by == "shown":
        return ("whole" if metadata["cut"] == "whole" else "part") if "cut" in metadata else ""
    known = metadata.get("evidence")
    return known if isinstance(known, str) else ""  # BABILong's `evidence` is a list of facts


def fifth(depth: float) -> str:
    """Return the band of a depth, such as '0.0-0.2' for 0 to below 0.2; depth 1 belongs to the last band."""
    band = min(int(depth * _DEPTHS), _DEPTHS - 1)
    return f"{band / _DEPTHS:.1f}-{(band + 1) / _DEPTHS:.1f}"
