"""The option `--json`: a command writes its figures to a file, or prints them instead of its text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from haymaker.core.files.disk import json_text, write_json

STANDARD_OUTPUT = Path("-")


def write_json_or_print(path: Path | None, value: Any) -> None:
    """Write a value as JSON.

    Args:
        path: file, or `-` for standard output; None: no JSON requested.
        value: JSON value; field names carry units (docs/reference/command-line.md).
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.write(json_text(value))
    elif path is not None:
        write_json(path, value)
