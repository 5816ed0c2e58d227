"""Few odd phrases (tests/prose.py) in what people and models read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from haymaker.cli.app import app
from haymaker.core.files.yaml_file import read_yaml
from tests.prose import Count, count, files, odd_in_prompts, prose

ROOT = Path(__file__).parents[1]
_LIMITS = {
    "README.md": 2, "docs/tutorial": 2, "CONTRIBUTING.md": 4, "docs": 4, "docs/decisions": 4, "params": 4,
    "haymaker": 4, "worlds": 4, "corpora": 4, "generators": 4, "pipelines": 4, "devtools": 4,
}  # fmt: skip
"""Highest number of odd phrases per 1,000 words."""
_HELP_LIMIT = 2
_PROMPTS = ("generators/**/*.yaml", "corpora/choices/prompt.yaml", "haymaker/scoring/judges/judge.yaml")
_NO_PROMPTS = {
    "words",
    "oracles",
    "pools.yaml",
    "filler.yaml",
    "de.yaml",
}  # words of filler sentences, phrases of events, German
_NO_INSTRUCTIONS = {"decoys", "statement"}  # sentences hidden in the text


@cache
def counted(path: Path) -> Count:
    """Pages of docs/ are in two limits."""
    return count(prose(path))


@pytest.mark.parametrize("name", _LIMITS)
def test_odd_phrases_are_rare(name: str) -> None:
    total = sum(map(counted, files(ROOT / name)), Count())
    assert total.words > 500
    assert total.per_1000 < _LIMITS[name], f"`python -m tests.prose {name}` prints them"


def _help(command: Any) -> Iterator[str]:
    """Yield the help of a command, its options and its subcommands."""
    yield command.help or ""
    yield from (str(getattr(parameter, "help", None) or "") for parameter in command.params)
    for each in getattr(command, "commands", {}).values():
        yield from _help(each)


def test_odd_phrases_are_rare_in_the_help() -> None:
    total = count(line for text in _help(get_command(app)) for line in text.splitlines())
    assert total.words > 1000
    assert total.per_1000 < _HELP_LIMIT


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for key, each in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if key not in _NO_INSTRUCTIONS:
            yield from _texts(each)


def test_what_models_read_is_plain_english() -> None:
    files = [path for pattern in _PROMPTS for path in ROOT.glob(pattern) if not _NO_PROMPTS & set(path.parts)]
    assert len(files) > 15
    odd = {path.name: odd_in_prompts(_texts(read_yaml(path))) for path in files}
    assert {name: found for name, found in odd.items() if found} == {}
