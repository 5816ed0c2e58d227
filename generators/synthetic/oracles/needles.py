"""Oracle of needle tasks: finds the question of the finished prompt, then every sentence that answers it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

from generators.synthetic.oracles.chains import pattern

_CONTEXT = re.compile(r"<text>\n(.*)\n</text>\n\nQuestion: (.*)\nAnswer:[^\n]*\Z", re.DOTALL)
# A pattern that begins with letters is found twenty times as fast, so a lookbehind after them excludes a letter before them.
_BY_KEY = (
    (
        re.compile(r"What (?:is|are) the special (?:numbers?|UUIDs?) of (\S.*) in the text above\? (.*)"),
        re.compile(r"The special(?<!\wThe special) (?:number|UUID) of (\S+) is ([0-9a-f-]+)\."),
    ),
    (
        re.compile(r"According to the text above, which special (?:numbers?|UUIDs?) belongs? to (\S.*)\? (.*)"),
        re.compile(
            r"(?<!\w)(?:Nobody had ever known|They had long since given|All this time) (\S+) "
            r"(?:without its own mark|a mark of its own|had kept its own mark), ([0-9a-f-]+)\."
        ),
    ),
)
_ALONE = re.compile(r"What is the (pass number|pass code) in the text above\? (.*)")


def solve(prompt: str) -> list[str]:
    """Return the answer: values by key in the order of the question, values of a key in the order of the text; or "none".

    Raises:
        ValueError: no such prompt, a key with no value or too many, or a pass key that contradicts itself.
    """
    found = _CONTEXT.search(prompt)
    if not found:
        raise ValueError("no text, question and answer")
    context, query = found.groups()
    if alone := _ALONE.fullmatch(query):
        name = alone[1]
        said = rf"The {name}(?<!\wThe {name}) is ([0-9a-f-]+), so somebody wrote ([0-9a-f-]+) by the open window\."
        values = re.findall(said, context)
        if any(a != b for a, b in values):
            raise ValueError(f"the {name} contradicts itself")
        return _english([[value for value, _ in values]], alone[2])
    for question, statement in _BY_KEY:
        if parts := question.fullmatch(query):
            held = defaultdict(list)
            for key, value in statement.findall(context):
                held[key].append(value)
            return _english([held[key] for key in re.split(r", | and ", parts[1])], parts[2])
    raise ValueError(f"question {query[:80]!r} is not a question of a needle task")


def _english(held: list[list[str]], form: str) -> list[str]:
    return _listed(held, form.startswith("Answer with all of them"), form.endswith("answer with the word none."))


def _listed(held: list[list[str]], many: bool, unanswerable: bool) -> list[str]:
    """Return all values as one answer: one per key or, if `many`, equally many per key; "none" if the row may be unanswerable."""
    if unanswerable and not any(held):
        return ["none"]
    found = [len(values) for values in held]
    if len(set(found)) > 1 or not found[0] or (found[0] > 1 and not many):
        raise ValueError(f"{found} values found, {'any number' if many else 'one'} of each requested")
    return [", ".join(value for values in held for value in values)]


# ------------------------------------------------------------------------------------------- in another language


def solve_in(prompt: str, said: Mapping[str, str], further: Sequence[str] = ()) -> list[str]:
    """Return the same for a prompt in the words of a phrase file (path -> phrase); a sentence begins after white space.

    `further` are more wordings of a statement whose question is in other words.
    """
    ends = re.escape(said["cue"].partition("{cue}")[0].rstrip())
    found = re.search(rf"<text>\n(.*)\n</text>\n\n([^\n]+)\n{ends}[^\n]*\Z", prompt, re.DOTALL)
    if not found:
        raise ValueError("no text, question and answer")
    context, query = found.groups()
    between = "|".join(re.escape(said[path]) for path in ("list.comma", "list.last"))
    kinds = ("number", "uuid", "digits", "runs")
    for style, number, kind in product(("same", "other", "single"), ("one", "many"), kinds):
        question = said.get(f"{style}.question.{number}")
        if question is None or f"things.{kind}.one" not in said:
            continue
        whole = _filled(said, question, kind, keys="(?P<keys>.+)")
        if parts := re.fullmatch(_filled(said, said["asked"], kind, question=whole, form="(?P<form>.*)"), query):
            keys = [""] if style == "single" else re.split(between, parts["keys"])
            return _said([_held(context, said, style, kind, key, further) for key in keys], parts["form"], said, kind)
    raise ValueError(f"question {query[:80]!r} is not a question of a needle task")


def _filled(said: Mapping[str, str], template: str, kind: str, **words: str) -> str:
    """Return a regular expression for a phrase about a kind of value."""
    things = {word: re.escape(said.get(f"things.{kind}.{word}", "")) for word in ("one", "many", "alone")}
    return pattern(template, **{**things, **words})


def _held(context: str, said: Mapping[str, str], style: str, kind: str, key: str, further: Sequence[str]) -> list[str]:
    """Return the values of a key, in the order of the text."""
    values: dict[int, str] = {}
    forms = [said[path] for path in (f"{style}.statement", f"{style}.line") if path in said]
    for form in (*forms, *(further if style == "other" else ())):
        whole = _filled(said, form, kind, key=re.escape(key), value="{}").split("{}")
        again = "(?P=value)".join(whole[1:])
        for match in re.finditer(rf"(?<!\S){whole[0]}(?P<value>[0-9a-f-]+){again}(?!\S)", context):
            values[match.start()] = match["value"]
    return [values[at] for at in sorted(values)]


def _said(held: list[list[str]], form: str, said: Mapping[str, str], kind: str) -> list[str]:
    asked = {path for path in said if ".format." in path and re.fullmatch(_filled(said, said[path], kind), form)}
    if not asked:
        raise ValueError(f"{form[:80]!r} is not a known form of an answer")
    many = any(path.endswith((".several", ".matrix")) for path in asked)
    return _listed(held, many, any(path.startswith("absent") for path in asked))
