"""The option `--json`: a command writes its figures to a file, or prints them instead of its text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from haymaker.core.files.disk import json_text, write_json

STANDARD_OUTPUT = Path("-")


def reserve_output(path: Path | None) -> Path | None:
    """Print nothing else on standard output if JSON goes there (callback of the option). Return the path."""
    from haymaker.core.progress import out

    out.quiet = path == STANDARD_OUTPUT
    return path


def write_json_or_print(path: Path | None, value: Any) -> None:
    """Write a value as JSON.

    Args:
        path: file; `-`: standard output; None: no JSON requested.
        value: JSON value; field names carry units (docs/reference/json-output.md).
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.write(json_text(value))
    elif path is not None:
        write_json(path, value)
