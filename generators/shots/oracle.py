"""Exact solver of questions on how often labels occur; it reads only the finished prompt and shares no code with its builder."""

from __future__ import annotations

import re
from collections import Counter

_SHOT = re.compile(r"^Text: .+\nLabel: (\d+)$", re.MULTILINE)
_QUESTION = re.compile(r"\n\nQuestion: (.+)\nAnswer:\Z")


def solve(prompt: str) -> list[str]:
    """Return the answer.

    Raises:
        ValueError: an unknown question, no shots, or a tie that leaves the answer open.
    """
    question = _QUESTION.search(prompt)
    counts = Counter(_SHOT.findall(prompt))
    if question is None or not counts:
        raise ValueError("no question, or no labels")
    asked, named = question[1], re.findall(r"\d+", question[1])
    if asked.startswith("Which label occurs most"):
        return [_only(counts, max(counts.values()))]
    if asked.startswith("Which label occurs least"):
        return [_only(counts, min(counts.values()))]
    if asked.startswith("How many texts"):
        return [str(counts[named[0]])]
    if asked.startswith("Does the label"):
        first, second = counts[named[0]], counts[named[1]]
        if first == second:
            raise ValueError(f"labels {named[0]} and {named[1]} occur equally often")
        return ["yes" if first > second else "no"]
    if asked.startswith("How many different"):
        return [str(len(counts))]
    raise ValueError(f"unknown question {asked!r}")


def _only(counts: Counter[str], wanted: int) -> str:
    found = [label for label, count in counts.items() if count == wanted]
    if len(found) > 1:
        raise ValueError(f"labels {', '.join(sorted(found))} occur equally often")
    return found[0]
