"""Marks that stand for citations and formulas in Qasper's papers and answers: BIBREF12, INLINEFORM0."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NEEDED = (
    r"^|[.:;(]|\b(?:and|as|by|from|in|like|of|on|see|than|to|use|with)"  # what a sentence does not break off behind
)
_SPACE = r"[^\S\n]*"
_CITED = re.compile(
    rf"(?P<needed>{_NEEDED})?(?P<cited>{_SPACE}BIBREF\d+(?:{_SPACE}[,;]?{_SPACE}BIBREF\d+)*)(?:[^\S\n]+(?=[.,;:)]))?",
    re.MULTILINE,
)
_MARK = re.compile(r"BIBREF(\d+)")
_FORMULA = re.compile(r"(?:INLINE|DISPLAY)FORM\d+")


def uncited(text: str) -> str:
    """A text without marks of citations; where a sentence leans on one ("as in BIBREF12") it is [12], as in papers."""
    return _CITED.sub(
        lambda found: found["needed"] + _numbered(found["cited"]) if found["needed"] is not None else "", text
    )


def _numbered(cited: str) -> str:
    return _MARK.sub(lambda mark: f"[{mark[1]}]", cited)


def readable(answers: Iterable[str]) -> list[str]:
    """Answers without marks of citations; one that has a formula's mark in place of the formula is none."""
    return [uncited(answer).strip() for answer in answers if not _FORMULA.search(answer)]
