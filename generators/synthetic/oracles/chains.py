"""Solves variable tracking from the finished prompt alone; shares nothing with what builds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_TEXT = re.compile(r"<text>\n(?P<text>.*)\n</text>\n\n(?P<question>.*)\Z", re.DOTALL)
_QUESTION = re.compile(
    r"Question: Which variables hold the number (\d+)\?\nAnswer:(?: \d+ variables hold the number \1:)?\Z"
)
_SET = re.compile(r"Let(?<!\wLet) (\w+) = (\w+)\.")  # found by its letters


def holders(prompt: str) -> list[str]:
    """The variables that hold the number asked for, in the order in which they are set, as one answer.

    Raises:
        ValueError: no text, no question, a variable set twice or to one that is not yet set, or nothing holds the number.
    """
    found = _TEXT.search(prompt)
    question = _QUESTION.match(found["question"]) if found else None
    if not found or not question:
        raise ValueError("no text with a question behind it")
    return _traced(_SET.findall(found["text"]), question[1])


def holders_in(prompt: str, said: Mapping[str, str]) -> list[str]:
    """The same for a prompt in the words of a phrase file (path -> phrase).

    Raises:
        ValueError: see holders.
    """
    found = _TEXT.search(prompt)
    asked = said["asked"].replace("{form}", "").rstrip().replace("{question}", said["vt.question"])
    question = re.match(_pattern(asked, value=r"(\d+)") + "\n", found["question"]) if found else None
    if not found or not question:
        raise ValueError("no text with a question behind it")
    pairs = re.finditer(
        rf"(?<!\S){_pattern(said['vt.statement'], name='(?P<name>[A-Z]+)', value='(?P<value>[A-Z0-9]+)')}(?!\S)",
        found["text"],
    )
    return _traced([(each["name"], each["value"]) for each in pairs], question[1])


def _pattern(template: str, **words: str) -> str:
    """A regular expression for a phrase: its {words} by expressions, all else as it stands."""
    pieces = re.split(r"\{(\w+)\}", template)
    return "".join(words[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))


def _traced(statements: Iterable[tuple[str, str]], number: str) -> list[str]:
    held: dict[str, str] = {}
    for name, value in statements:
        if name in held:
            raise ValueError(f"{name} is set twice")
        if not value.isdigit() and value not in held:
            raise ValueError(f"{name} is set to {value}, which is not set before it")
        held[name] = value if value.isdigit() else held[value]
    names = [name for name, value in held.items() if value == number]
    if not names:
        raise ValueError(f"no variable holds {number}")
    return [", ".join(names)]
