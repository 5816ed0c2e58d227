"""Questions of the simulated sources are plain English: modern words, and a noun for what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import worlds
from haymaker.core.files.yaml_file import read_yaml
from tests.worlds.sentences import texts

ROOT = Path(worlds.__file__).parent
ODD = re.compile(
    r"\b(?:lay behind|out of whose|(?:by|under|with) whom|dearer|surpass|tongue|beast|barter|upon|what sum|where or when|in what way|are told)\b"
    r"|\b(?:came into the world|on whose account|what is listed|whoever)\b"
    r"|\b(?:In|For) which\?|\bdid what\?|\bhad the [^?]+ room\?",
    re.IGNORECASE,
)


def wordings(node: Any, keys: tuple[str, ...]) -> Iterator[str]:
    """All texts under these keys."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from texts(value) if key in keys else wordings(value, keys)
    elif isinstance(node, list):
        for each in node:
            yield from wordings(each, keys)


@pytest.mark.parametrize(
    ("file", "keys", "fewest"),
    [
        ("archive/chronicles.yaml", ("asks", "timeline", "computation", "retrieval", "reasoning", "ask"), 55),
        ("archive/stories.yaml", ("text",), 40),
        ("encyclopaedia/data/people.yaml", ("ask", "tail", "first", "last"), 90),
        ("encyclopaedia/data/places.yaml", ("ask", "tail", "first", "last"), 120),
        ("encyclopaedia/data/works.yaml", ("ask", "tail", "first", "last"), 130),
        ("encyclopaedia/data/lists.yaml", ("ask", "ambiguous", "trivia"), 40),
        ("utterances/words.yaml", ("questions", "besides"), 130),
    ],
)
def test_questions_use_modern_words(file: str, keys: tuple[str, ...], fewest: int) -> None:
    found = list(wordings(read_yaml(ROOT / file), keys))
    assert len(found) >= fewest
    assert [text for text in found if ODD.search(text)] == []


def test_a_chronicle_opens_without_advice_for_its_questions() -> None:
    """The preface named the strategy: "whoever wants to know what came first must compare the years"."""
    preface = " ".join(read_yaml(ROOT / "archive/chronicles.yaml")["preface"])
    assert not re.search(r"\b(?:must|should|calendar|compare|earlier|later)\b", preface)
