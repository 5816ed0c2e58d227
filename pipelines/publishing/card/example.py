"""The example row of the card: one row of a release, with long values shortened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from haymaker.core.rows.parquet import read_row_groups, to_rows
from haymaker.core.rows.schema import LEAN_COLUMNS
from haymaker.releases.configs import example_rows

_CHARACTERS = 100  # shown at each end of a long text
_ITEMS = 2  # shown of a long list


def example(release: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return `file` and `row`: the first row of the card's example config, shortened."""
    table = example_rows(manifest)
    start = f"data/{table.suite}/{table.task}/{table.length}/{table.splits[0]}-"
    name = min(name for name in manifest["files"] if name.startswith(start))
    first = next(iter(read_row_groups(release / name, LEAN_COLUMNS))).slice(0, 1)
    (row,) = to_rows(first, release / name)
    return {"file": name, "row": shortened(row)}


def shortened(value: Any) -> Any:
    """Return a value with long texts and lists shortened, and without null members of structures in lists."""
    if isinstance(value, str) and len(value) > 3 * _CHARACTERS:
        return f"{value[:_CHARACTERS]} [... {len(value) - 2 * _CHARACTERS:,} characters ...] {value[-_CHARACTERS:]}"
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        shown = [_without_nulls(each) for each in value[:_ITEMS]]
        return [*map(shortened, shown), *([f"... {len(value) - _ITEMS:,} more"] if len(value) > _ITEMS else [])]
    return value


def _without_nulls(value: Any) -> Any:
    return {key: inner for key, inner in value.items() if inner is not None} if isinstance(value, dict) else value
