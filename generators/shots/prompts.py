"""What stands between shots, and the readable names of labels (names.yaml)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml

GAP = "\n\n"
_CODE = re.compile(r"[A-Z]{3,4}(?::[a-z]+)?")


@cache
def names_of_codes() -> dict[str, str]:
    """What a code in a label stands for."""
    return read_yaml(Path(__file__).with_name("names.yaml"))


def readable(labels: Sequence[str], where: str) -> list[str]:
    """Names of labels as a reader would write them: codes spelled out, no underscores.

    Raises:
        BuildError: two labels get the same name.
    """
    names = [_name(label) for label in labels]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BuildError(f"two labels are shown as {twice[0]!r}", where=where, fix="use labels: numbers")
    return names


def _name(label: str) -> str:
    if not _CODE.fullmatch(label):
        return " ".join(label.replace("_", " ").split())
    words = names_of_codes()
    return ": ".join(words.get(part, part) for part in label.split(":"))
