"""Oracle of variable tracking: reads only the finished prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_TEXT = re.compile(r"<text>\n(?P<text>.*)\n</text>\n\n(?P<question>.*)\Z", re.DOTALL)
_QUESTION = re.compile(
    r"Question: Which variables hold the number (\d+)\?\nAnswer:(?: \d+ variables hold the number \1:)?\Z"
)
_SET = re.compile(r"Let(?<!\wLet) (\w+) = (\w+)\.")  # the search for its letters is fast


def holders(prompt: str) -> list[str]:
    """Return the variables that hold the number of the question, in the order in which they are set, as one answer.

    Raises:
        ValueError: no text or question, a variable set twice or to an unset variable, or no variable holds the number.
    """
    text, number = _read(prompt, _QUESTION)
    return _traced(_SET.findall(text), number)


def holders_in(prompt: str, said: Mapping[str, str]) -> list[str]:
    """Return the same for a prompt in the words of a phrase file (path -> phrase); raise ValueError as holders does."""
    asked = said["asked"].replace("{form}", "").rstrip().replace("{question}", said["vt.question"])
    text, number = _read(prompt, re.compile(pattern(asked, value=r"(\d+)") + "\n"))
    statement = pattern(said["vt.statement"], name="(?P<name>[A-Z]+)", value="(?P<value>[A-Z0-9]+)")
    pairs = re.finditer(rf"(?<!\S){statement}(?!\S)", text)
    return _traced([(each["name"], each["value"]) for each in pairs], number)


def pattern(template: str, **words: str) -> str:
    """Return a regular expression for a phrase: its {words} by expressions, all else literally."""
    pieces = re.split(r"\{(\w+)\}", template)
    return "".join(words[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))


def _read(prompt: str, asked: re.Pattern[str]) -> tuple[str, str]:
    """Return the text and the number of the question after it."""
    found = _TEXT.search(prompt)
    question = asked.match(found["question"]) if found else None
    if not found or not question:
        raise ValueError("no text with a question after it")
    return found["text"], question[1]


def _traced(statements: Iterable[tuple[str, str]], number: str) -> list[str]:
    held: dict[str, str] = {}
    for name, value in statements:
        if name in held:
            raise ValueError(f"{name} is set twice")
        if not value.isdigit() and value not in held:
            raise ValueError(f"{name} is set to {value} before that is set")
        held[name] = value if value.isdigit() else held[value]
    names = [name for name, value in held.items() if value == number]
    if not names:
        raise ValueError(f"no variable has the value {number}")
    return [", ".join(names)]
