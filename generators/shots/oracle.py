"""Solves questions on how often labels occur, from the finished prompt alone; shares nothing with what builds it."""

from __future__ import annotations

import re
from collections import Counter

_SHOT = re.compile(r"^Text: .+\nLabel: (\d+)$", re.MULTILINE)
_QUESTION = re.compile(r"\n\nQuestion: (.+)\nAnswer:\Z")


def solve(prompt: str) -> list[str]:
    """The answer.

    Raises:
        ValueError: no question that is known, no shots, or a tie that leaves the answer open.
    """
    question = _QUESTION.search(prompt)
    counts = Counter(_SHOT.findall(prompt))
    if question is None or not counts:
        raise ValueError("no question, or no labels")
    named = re.findall(r"\d+", question[1])
    if question[1].startswith("Which label occurs most"):
        return [_alone(counts, max(counts.values()))]
    if question[1].startswith("Which label occurs least"):
        return [_alone(counts, min(counts.values()))]
    if question[1].startswith("How many texts"):
        return [str(counts[named[0]])]
    if question[1].startswith("Does the label"):
        first, second = counts[named[0]], counts[named[1]]
        if first == second:
            raise ValueError(f"labels {named[0]} and {named[1]} occur equally often")
        return ["yes" if first > second else "no"]
    if question[1].startswith("How many different"):
        return [str(len(counts))]
    raise ValueError(f"unknown question {question[1]!r}")


def _alone(counts: Counter[str], wanted: int) -> str:
    found = [label for label, count in counts.items() if count == wanted]
    if len(found) > 1:
        raise ValueError(f"labels {', '.join(sorted(found))} occur equally often")
    return found[0]
