"""Marks that stand for what Qasper's papers and answers lost: citations (BIBREF12), formulas (INLINEFORM0), tables (TABREF3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from haymaker.core.text.strings import words

_NEEDED = (
    r"^|[.:;(]|\b(?:and|as|by|from|in|like|of|on|see|than|to|use|with)"  # what a sentence does not break off behind
)
_SPACE = r"[^\S\n]*"
_CITED = re.compile(
    rf"(?P<needed>{_NEEDED})?(?P<cited>{_SPACE}BIBREF\d+(?:{_SPACE}[,;]?{_SPACE}BIBREF\d+)*)(?:[^\S\n]+(?=[.,;:)]))?",
    re.MULTILINE,
)
_MARK = re.compile(r"BIBREF(\d+)")
_FORMULAS = r"(?:INLINE|DISPLAY)FORM\d+"
_NAMES = {"FIG": "Figure", "TAB": "Table", "SEC": "Section", "EQ": "Equation"}
_REFERENCE = re.compile(
    rf"(?:(?P<name>(?i:\b(?:fig(?:ure)?s?|tab(?:le)?s?|sec(?:tion)?s?|eq(?:uation)?s?)\b|§)){_SPACE}\.?{_SPACE})?"
    r"(?P<kind>FIG|TAB|SEC|EQ)REF(?P<number>\d+)(?:[^\S\n]+(?=[.,;:)]))?"
)
_FORMULA = re.compile(rf"{_FORMULAS}(?:[^\S\n]+(?=[.,;:)]))?")
_LOST = re.compile(rf"{_FORMULAS}|(?:FIG|TAB|SEC|EQ)REF\d+")
_NAME = re.compile(r"(?<!\w)(?=\w*\d|\w+[A-Z]|(?<!^)[A-Z]\w)\w+(?:[.,]\d+)*")


def uncited(text: str) -> str:
    """A text without marks of citations; where a sentence leans on one ("as in BIBREF12") it is [12], as in papers."""
    return _CITED.sub(
        lambda found: found["needed"] + _numbered(found["cited"]) if found["needed"] is not None else "", text
    )


def plain(text: str) -> str:
    """A paper's text as a reader may see it: without marks of citations, "Table 3" for TABREF3, "[formula]" for INLINEFORM0."""
    return _FORMULA.sub("[formula]", _REFERENCE.sub(_named, uncited(text)))


def _numbered(cited: str) -> str:
    return _MARK.sub(lambda mark: f"[{mark[1]}]", cited)


def _named(found: re.Match[str]) -> str:
    name, number = (found["name"] or "").rstrip(), found["number"]
    return f"§{number}" if name == "§" else f"{name or _NAMES[found['kind']]} {number}"


def readable(answers: Iterable[str]) -> list[str]:
    """Answers without marks of citations; one with a mark in place of a formula, a table or a figure is none."""
    return [uncited(answer).strip() for answer in answers if not _LOST.search(answer)]


def lost(answer: str, paper: str) -> list[str]:
    """Names and numbers of an answer that the paper's text does not hold: they stood in a table or figure, which it dropped."""
    there = set(words(paper))
    return [name for name in _NAME.findall(answer) if not there.issuperset(words(name))]
