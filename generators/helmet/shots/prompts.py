"""The words around the shots (texts in prompts.yaml) and the readable names of labels (names.yaml)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from corpora.examples import ANSWER, OPENER
from haymaker.errors import BuildError

GAP = "\n\n"
ENDING = GAP + OPENER  # what a shot's unit ends with, and the last one gives back
COUNTED = "Answer:"
_CODE = re.compile(r"[A-Z]{3,4}(?::[a-z]+)?|oos")


@cache
def _texts(name: str) -> dict[str, Any]:
    import yaml

    raw: dict[str, Any] = yaml.safe_load(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return raw


def instruction(key: str, first: int = 0, last: int = 0) -> str:
    """What to do and in which form to answer: numbers, natural or counting."""
    text: str = _texts("prompts.yaml")[key]
    return text.format(first=first, last=last)


def asked(text: str) -> str:
    """Everything behind the last shot of a row that asks for the label of a text."""
    return f"{ENDING} {text}\n{ANSWER}"


def question(kind: str, label: object = "", other: object = "") -> str:
    """A question on how often labels occur."""
    text: str = _texts("prompts.yaml")["questions"][kind]
    return text.format(label=label, other=other)


def counted(question: str) -> str:
    """Everything behind the last shot of a row that asks such a question."""
    return f"{GAP}Question: {question}\n{COUNTED}"


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
