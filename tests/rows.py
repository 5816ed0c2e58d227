"""One name for a finished row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from haymaker.core.rng import digest

LATER = {"length_of": "input", "options_reviewed_by": None, "output_constraints": None, "messages": None}
"""Columns that came after digests had been written down, with what they are in rows that have no use for them."""


def row_digest(row: Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits that change with any byte of a row."""
    told = {key: value for key, value in row.items() if key not in LATER or value != LATER[key]}
    return digest(json.dumps(told, sort_keys=True), size=6).hex()
