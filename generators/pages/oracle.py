"""Counts and finds numbered paragraphs in the finished prompt alone, and chooses the option that names one; shares nothing with what
builds it.
"""

from __future__ import annotations

import json
import re

_PARAGRAPH = re.compile(r"^Paragraph (?P<number>[0-9]+): (?P<text>.+)$", re.MULTILINE)
_QUOTATION = re.compile(r"^Quotation: (?P<text>.+)$", re.MULTILINE)
_OPTION = re.compile(r"^(?P<letter>[A-Z])\. (?P<name>Paragraph [0-9]+)$", re.MULTILINE)
_GAP = " [...] "


def count(prompt: str) -> list[str]:
    """How many different paragraphs there are.

    Raises:
        ValueError: paragraphs that are not numbered 1, 2, 3 ...
    """
    return [str(len(set(_paragraphs(prompt)[0])))]


def find(prompt: str) -> list[str]:
    """The paragraph that holds every sentence of the quotation behind the last one, word for word.

    Raises:
        ValueError: no quotation, or not exactly one paragraph that holds it.
    """
    texts, rest = _paragraphs(prompt)
    asked = _QUOTATION.search(rest)
    if not asked:
        raise ValueError("no quotation behind the paragraphs")
    sentences = asked["text"].split(_GAP)
    found = [number for number, text in enumerate(texts, 1) if all(sentence in text for sentence in sentences)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} paragraphs hold the sentences")
    return [f"Paragraph {found[0]}"]


def choose(prompt: str) -> list[str]:
    """The option that names this paragraph: as the object that the prompt asks for, its letter, its letter and name.

    Raises:
        ValueError: as in find; or not exactly one option that names it.
    """
    (name,) = find(prompt)
    letters = [each["letter"] for each in _OPTION.finditer(_paragraphs(prompt)[1]) if each["name"] == name]
    if len(letters) != 1:
        raise ValueError(f"{len(letters)} options name {name}")
    return [json.dumps({"option": letters[0]}), letters[0], f"{letters[0]}. {name}"]


def _paragraphs(prompt: str) -> tuple[list[str], str]:
    """Texts of the paragraphs, and what stands behind them."""
    found = list(_PARAGRAPH.finditer(prompt))
    if not found or [int(each["number"]) for each in found] != list(range(1, len(found) + 1)):
        raise ValueError("paragraphs are not numbered 1, 2, 3 ...")
    return [each["text"] for each in found], prompt[found[-1].end() :]
