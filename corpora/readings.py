"""Documents with questions, prepared: data/readings/<name>/ is a sentence store (corpora/background.py) and what is asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haymaker.params import Name, Section

READINGS_VERSION = 1


class ReadingParams(Section):
    """Documents with questions (params key `readings.<name>`): which source, which of its sets."""

    source: Name
    set: str


class Readings:
    """A finished collection.

    Args:
        folder: data/readings/<name>/.

    Raises:
        CorpusError: missing, damaged or of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meta: dict[str, Any] = {}
