"""Check the columns of a row that the caller passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from haymaker.core.errors import ReleaseError


def require_columns(row: Mapping[str, Any], columns: Iterable[str]) -> None:
    """Check that a row has columns; their values can be null.

    Raises:
        ReleaseError: the row lacks one of the columns.
    """
    lacking = [name for name in columns if name not in row]
    if lacking:
        what = f"the row lacks column{'s' if len(lacking) != 1 else ''} {', '.join(map(repr, lacking))}"
        raise ReleaseError(what, fix="load a config that ends in _full, or pass columns=[...]")
