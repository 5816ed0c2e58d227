"""Solves needle prompts by reading them: finds what is asked, then every sentence that says it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import product

_CONTEXT = re.compile(r"<text>\n(.*)\n</text>\n\nQuestion: (.*)\nAnswer:[^\n]*\Z", re.DOTALL)
# What begins with letters is looked for by these, twenty times as quickly; so that no letter stands before is asked behind them.
_BY_KEY = (
    (
        re.compile(r"What (?:is|are) the special (?:numbers?|UUIDs?) of (\S.*) in the text above\? (.*)"),
        re.compile(r"The special(?<!\wThe special) (?:number|UUID) of (\S+) is ([0-9a-f-]+)\."),
    ),
    (
        re.compile(r"According to the text above, which special (?:numbers?|UUIDs?) belongs? to (\S.*)\? (.*)"),
        re.compile(r"When asked about(?<!\wWhen asked about) (\S+), she had always said ([0-9a-f-]+)\."),
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
            rf"The {name}(?<!\wThe {name}) is ([0-9a-f-]+), so somebody wrote ([0-9a-f-]+) by the open window\.",
            context,
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


# ------------------------------------------------------------------------------------------- in another language

_KINDS = ("number", "uuid", "digits", "runs")
_VALUE = "[0-9a-f-]+"


def solve_in(prompt: str, said: Mapping[str, str]) -> list[str]:
    """The same for a prompt in the words of a phrase file: a sentence counts where it begins behind white space.

    Args:
        prompt: finished.
        said: path -> phrase.

    Raises:
        ValueError: see solve.
    """
    ends = re.escape(said["cue"].partition("{cue}")[0].rstrip())
    found = re.search(rf"<text>\n(.*)\n</text>\n\n([^\n]+)\n{ends}[^\n]*\Z", prompt, re.DOTALL)
    if not found:
        raise ValueError("no text, question and answer")
    context, query = found.groups()
    for style, number, kind in product(("same", "other", "single"), ("one", "many"), _KINDS):
        asked = said.get(f"{style}.question.{number}")
        if asked is None or f"things.{kind}.one" not in said:
            continue
        if parts := re.fullmatch(_asked(said, asked, kind), query):
            keys = [""] if style == "single" else re.split(_between(said), parts["keys"])
            held = [_held(context, said, style, kind, key) for key in keys]
            return _said(held, parts["form"], said, kind)
    raise ValueError(f"question {query[:80]!r} is not of a needle task")


def _filled(said: Mapping[str, str], template: str, kind: str, **words: str) -> str:
    """A regular expression for a phrase about a kind of value: its {words} by expressions, all else as it stands."""
    things = {word: re.escape(said.get(f"things.{kind}.{word}", "")) for word in ("one", "many", "alone")}
    pieces = re.split(r"\{(\w+)\}", template)
    return "".join({**things, **words}[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))


def _asked(said: Mapping[str, str], question: str, kind: str) -> str:
    whole = _filled(said, question, kind, keys="(?P<keys>.+)")
    return _filled(said, said["asked"], kind, question=whole, form="(?P<form>.*)")


def _between(said: Mapping[str, str]) -> str:
    return "|".join(re.escape(said[path]) for path in ("list.comma", "list.last"))


def _held(context: str, said: Mapping[str, str], style: str, kind: str, key: str) -> list[str]:
    """Values that sentences say of a key, in the order of the text."""
    forms = [said[path] for path in (f"{style}.statement", f"{style}.line") if path in said]
    values: dict[int, str] = {}
    for form in forms:
        whole = _filled(said, form, kind, key=re.escape(key), value="{}").split("{}")
        again = "(?P=value)".join(whole[1:])
        for match in re.finditer(rf"(?<!\S){whole[0]}(?P<value>{_VALUE}){again}(?!\S)", context):
            values[match.start()] = match["value"]
    return [values[at] for at in sorted(values)]


def _said(held: list[list[str]], form: str, said: Mapping[str, str], kind: str) -> list[str]:
    """As many of each as the form asks for, as in `_checked`."""
    asked = {path for path in said if ".format." in path and re.fullmatch(_filled(said, said[path], kind), form)}
    if not asked:
        raise ValueError(f"{form[:80]!r} is no form of an answer")
    if not any(held) and any(path.startswith("absent") for path in asked):
        return ["none"]
    many = any(path.endswith((".several", ".matrix")) for path in asked)
    found = [len(group) for group in held]
    if len(set(found)) > 1 or not found[0] or (found[0] > 1 and not many):
        raise ValueError(f"{found} values found, {'any number' if many else 'one'} of each asked for")
    return [", ".join(value for group in held for value in group)]
