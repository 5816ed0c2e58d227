"""Exact solvers of numbered paragraphs: they read the finished prompt and share nothing with the builder."""

from __future__ import annotations

import json
import re

_PARAGRAPH = re.compile(r"^Paragraph (?P<number>[0-9]+): (?P<text>.+)$", re.MULTILINE)
_QUOTATION = re.compile(r"^Quotation: (?P<text>.+)$", re.MULTILINE)
_OPTION = re.compile(r"^(?P<letter>[A-Z])\. (?P<name>Paragraph [0-9]+)$", re.MULTILINE)


def count(prompt: str) -> list[str]:
    """Return the number of different paragraphs.

    Raises:
        ValueError: paragraphs are not numbered 1, 2, 3 ...
    """
    return [str(len(set(_paragraphs(prompt)[0])))]


def find(prompt: str) -> list[str]:
    """Return the name of the paragraph that contains every sentence of the quotation after the last paragraph, word for word.

    Raises:
        ValueError: there is no quotation, or not exactly one such paragraph.
    """
    texts, rest = _paragraphs(prompt)
    if not (asked := _QUOTATION.search(rest)):
        raise ValueError("no quotation after the paragraphs")
    sentences = asked["text"].split(" [...] ")
    found = [number for number, text in enumerate(texts, 1) if all(sentence in text for sentence in sentences)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} paragraphs contain the sentences")
    return [f"Paragraph {found[0]}"]


def choose(prompt: str) -> list[str]:
    """Return the option that names this paragraph: as the requested object, its letter, its letter and name.

    Raises:
        ValueError: as in find; or not exactly one option names it.
    """
    (name,) = find(prompt)
    letters = [each["letter"] for each in _OPTION.finditer(_paragraphs(prompt)[1]) if each["name"] == name]
    if len(letters) != 1:
        raise ValueError(f"{len(letters)} options name {name}")
    return [json.dumps({"option": letters[0]}), letters[0], f"{letters[0]}. {name}"]


def _paragraphs(prompt: str) -> tuple[list[str], str]:
    """Return the texts of the paragraphs, and the text after them."""
    found = list(_PARAGRAPH.finditer(prompt))
    if not found or [int(each["number"]) for each in found] != list(range(1, len(found) + 1)):
        raise ValueError("paragraphs are not numbered 1, 2, 3 ...")
    return [each["text"] for each in found], prompt[found[-1].end() :]
