"""Sets of labelled texts, prepared: data/examples/<set>.parquet holds every text once, counted in the form it has in a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haymaker.params import Name, Section

EXAMPLES_VERSION = 1
OPENER = "Text:"  # opens a shot; the unit before it ends with it, so units begin with a space and add up (docs/decisions/0009)
ANSWER = "Label:"


class ExampleParams(Section):
    """A set of labelled texts (params key `examples.<name>`): which source, which of its sets."""

    source: Name
    set: str


def unit(text: str) -> str:
    """A shot as far as its label, which comes behind it and ends with what opens the next shot."""
    return f" {text}\n{ANSWER}"


class Examples:
    """A finished set.

    Args:
        path: data/examples/<name>.parquet.

    Raises:
        CorpusError: missing, damaged or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.meta: dict[str, Any] = {}
