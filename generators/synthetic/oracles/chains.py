"""Solves variable tracking from the finished prompt alone; shares nothing with what builds it."""

from __future__ import annotations

import re

_TEXT = re.compile(r"<text>\n(?P<text>.*)\n</text>\n\n(?P<question>.*)\Z", re.DOTALL)
_QUESTION = re.compile(
    r"Question: Which variables hold the number (\d+)\?\nAnswer:(?: \d+ variables hold the number \1:)?\Z"
)
_SET = re.compile(r"\bLet (\w+) = (\w+)\.")


def holders(prompt: str) -> list[str]:
    """The variables that hold the number asked for, in the order in which they are set, as one answer.

    Raises:
        ValueError: no text, no question, a variable set twice or to one that is not yet set, or nothing holds the number.
    """
    found = _TEXT.search(prompt)
    question = _QUESTION.match(found["question"]) if found else None
    if not found or not question:
        raise ValueError("no text with a question behind it")
    held: dict[str, str] = {}
    for name, value in _SET.findall(found["text"]):
        if name in held:
            raise ValueError(f"{name} is set twice")
        if not value.isdigit() and value not in held:
            raise ValueError(f"{name} is set to {value}, which is not set before it")
        held[name] = value if value.isdigit() else held[value]
    names = [name for name, value in held.items() if value == question[1]]
    if not names:
        raise ValueError(f"no variable holds {question[1]}")
    return [", ".join(names)]
