"""Counts and finds numbered paragraphs in the finished prompt alone; shares nothing with what builds it."""

from __future__ import annotations

import re

_PARAGRAPH = re.compile(r"^Paragraph (?P<number>[0-9]+): (?P<text>.+)$", re.MULTILINE)
_SENTENCES = re.compile(r"^Sentences: (?P<text>.+)$", re.MULTILINE)
_GAP = " [...] "


def count(prompt: str) -> list[str]:
    """How many different paragraphs there are.

    Raises:
        ValueError: paragraphs that are not numbered 1, 2, 3 ...
    """
    return [str(len(set(_paragraphs(prompt)[0])))]


def find(prompt: str) -> list[str]:
    """The paragraph that holds every sentence asked about behind the last one, word for word.

    Raises:
        ValueError: no sentences, or not exactly one paragraph that holds it.
    """
    texts, rest = _paragraphs(prompt)
    asked = _SENTENCES.search(rest)
    if not asked:
        raise ValueError("no sentences behind the paragraphs")
    sentences = asked["text"].split(_GAP)
    found = [number for number, text in enumerate(texts, 1) if all(sentence in text for sentence in sentences)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} paragraphs hold the sentences")
    return [f"Paragraph {found[0]}"]


def _paragraphs(prompt: str) -> tuple[list[str], str]:
    """Texts of the paragraphs, and what stands behind them."""
    found = list(_PARAGRAPH.finditer(prompt))
    if not found or [int(each["number"]) for each in found] != list(range(1, len(found) + 1)):
        raise ValueError("paragraphs are not numbered 1, 2, 3 ...")
    return [each["text"] for each in found], prompt[found[-1].end() :]
