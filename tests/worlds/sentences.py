"""Sentences of a document, and texts of a file of wordings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from haymaker.core.rows.source_records import DocumentQuestion
from haymaker.core.text.strings import padded, words


class Sentences:
    """Which option occurs in a sentence of a text that has many words of the question."""

    def __init__(self, text: str) -> None:
        lines = re.split(r"(?<=[.!?]) (?=[A-Z])|\n+", text)
        self._lines = [(padded(line), set(words(line))) for line in lines]

    def shared(self, ask: DocumentQuestion) -> list[int]:
        """Return for each option the most words of the question in a sentence with this option; -1 if there is none."""
        asked = set(words(ask.text))
        shared = [(line, len(asked & found)) for line, found in self._lines]
        return [
            max((both for line, both in shared if choice in line), default=-1) for choice in map(padded, ask.choices)
        ]


def texts(node: Any) -> Iterator[str]:
    """All texts below."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for each in node.values() if isinstance(node, dict) else node:
            yield from texts(each)
