"""Solves needle prompts by reading them: finds what is asked, then every sentence that says it."""

from __future__ import annotations

import re
from collections import defaultdict

_CONTEXT = re.compile(r"<text>\n(.*)\n</text>\n\nQuestion: (.*)\nAnswer:[^\n]*\Z", re.DOTALL)
_BY_KEY = (
    (
        re.compile(r"What (?:is|are) the special (?:numbers?|UUIDs?) of (\S.*) in the text above\? (.*)"),
        re.compile(r"\bThe special (?:number|UUID) of (\S+) is ([0-9a-f-]+)\."),
    ),
    (
        re.compile(r"According to the text above, which special (?:numbers?|UUIDs?) belongs? to (\S.*)\? (.*)"),
        re.compile(r"\bWhen asked about (\S+), she had always said ([0-9a-f-]+)\."),
    ),
)
_ALONE = re.compile(r"What is the (pass number|pass code) in the text above\? (.*)")
_MANY = "Answer with all of them"


def solve(prompt: str) -> list[str]:
    """The answer: values key after key as asked, those of one key as they stand; or "none".

    Args:
        prompt: finished.

    Raises:
        ValueError: no such prompt; a key that has no value or too many; a pass key that contradicts itself.
    """
    found = _CONTEXT.search(prompt)
    if not found:
        raise ValueError("no text, question and answer")
    context, query = found.groups()
    if alone := _ALONE.fullmatch(query):
        name = alone[1]
        values = re.findall(
            rf"\bThe {name} is ([0-9a-f-]+), so somebody wrote ([0-9a-f-]+) by the open window\.", context
        )
        if any(a != b for a, b in values):
            raise ValueError(f"the {name} contradicts itself")
        return _checked([[value for value, _ in values]], alone[2])
    for question, statement in _BY_KEY:
        if parts := question.fullmatch(query):
            held = defaultdict(list)
            for key, value in statement.findall(context):
                held[key].append(value)
            return _checked([held[key] for key in re.split(r", | and ", parts[1])], parts[2])
    raise ValueError(f"question {query[:80]!r} is not of a needle task")


def _checked(values: list[list[str]], form: str) -> list[str]:
    """As many of each as the form asks for: one, or any number, the same of all."""
    if not any(values) and form.endswith("answer with the word none."):
        return ["none"]
    found = [len(group) for group in values]
    if len(set(found)) > 1 or not found[0] or (found[0] > 1 and not form.startswith(_MANY)):
        raise ValueError(f"{found} values found, {'any number' if form.startswith(_MANY) else 'one'} of each asked for")
    return [", ".join(value for group in values for value in group)]
