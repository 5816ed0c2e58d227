"""Oracle of the JSON tasks: parses the object between the tags of the prompt and looks the key up."""

from __future__ import annotations

import json
import re
from typing import Any

OPEN, CLOSE = "<json>\n", "\n</json>"
_QUESTION = re.compile(r'\nKey: "?(?P<key>[^"\n]+)"?\n[^\n]*:\Z')
_ABSENT = re.compile(r"If the object does not have that key, answer with the word (?P<word>[a-z]+)\.\n")


def solve(prompt: str) -> list[str]:
    """Return the value of the last requested key, or the word that the instruction gives for a missing key.

    Raises:
        ValueError: no object, a key twice, or a missing key without such a word.
    """
    head, opened, rest = prompt.partition(OPEN)
    body, closed, tail = rest.rpartition(CLOSE)
    question = _QUESTION.search(tail)
    if not (opened and closed and question):
        raise ValueError("no object between its tags, or no key after it")
    found = json.loads(body, object_pairs_hook=_once)
    if question["key"] in found:
        return [found[question["key"]]]
    if not (absent := _ABSENT.search(head)):
        raise ValueError("the object does not have the key")
    return [absent["word"]]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found
