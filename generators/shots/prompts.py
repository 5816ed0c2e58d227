"""The words around the shots (texts in prompts.yaml) and the readable names of labels (names.yaml)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from corpora.examples import OPENER
from haymaker.errors import BuildError
from haymaker.params import read_yaml

GAP = "\n\n"
ENDING = GAP + OPENER  # what a shot's unit ends with, and the last one gives back
_CODE = re.compile(r"[A-Z]{3,4}(?::[a-z]+)?|oos")


@cache
def _texts(name: str) -> dict[str, Any]:
    return read_yaml(Path(__file__).with_name(name))


def instruction(key: str, names: Sequence[str]) -> str:
    """What to do and in which form to answer: numbers, natural or counting, about labels of these names in order."""
    return str(_texts("prompts.yaml")[key]).format(first=names[0], last=names[-1])


def question(kind: str, label: int, other: int) -> str:
    """A question on how often labels occur."""
    return str(_texts("prompts.yaml")["questions"][kind]).format(label=label, other=other)


def readable(labels: Sequence[str], where: str) -> list[str]:
    """Names of labels as a reader would write them: codes spelled out, no underscores.

    Raises:
        BuildError: two labels get the same name.
    """
    names = [_name(label) for label in labels]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BuildError(f"two labels read {twice[0]!r}", where=where, fix="use labels: numbers")
    return names


def _name(label: str) -> str:
    if not _CODE.fullmatch(label):
        return " ".join(label.replace("_", " ").split())
    words = _texts("names.yaml")
    return ": ".join(words.get(part, part) for part in label.split(":"))
