"""One of a few options, asked for as a JSON object: which letter an output says, and how well it keeps to the form
(docs/spec/marathon.md 4).

`answers` is the object that is asked for, the letter, and "letter. text"; `choices` the texts of the options in the order shown.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from haymaker.json_lines import objects_in
from haymaker.text import padded
from scoring.metrics import Metric, pair
from scoring.metrics.choice import unlisted
from scoring.text import final_text, said, unthought

KEY = "option"
_KEYS = (KEY, "answer")
_MARKUP = str.maketrans("", "", "*`#")
# A letter that stands alone, in quotes or brackets or without; not the first of several ("A or B", "A, C").
_ALONE = r"""["'“”‘’(\[{<\s]*([A-Za-z])(?![\w-]|['’]\w)(?! ?(?:(?:or|and|nor)\b|[/&,] ?(?-i:[A-H])\b))"""
_IS = r"(?:\s(?:is|was|would\sbe|should\sbe|must\sbe))"
_PATTERNS = (
    re.compile(rf"""["'“]?\b(?:option|answer)\b["'”]?\s?[:=]{_ALONE}""", re.IGNORECASE),
    re.compile(rf"\b(?:answer|(?:correct|right)\s(?:option|choice|letter)){_IS}?:?(?:\s(?:option|choice|letter))?{_ALONE}", re.IGNORECASE),
    re.compile(rf"\b(?:option|choice|letter|choose|pick|select){_IS}?:?{_ALONE}", re.IGNORECASE),
    re.compile(r"""^ ?["'“(\[]*([A-Za-z])["'”]*(?:[.)\]]["'”]*(?=\s|$)| ?$)""", re.MULTILINE),
)  # fmt: skip
# What follows the article of "A dog" or the pronoun of "I think", and not the letter of "A because".
_GOES_ON = re.compile(r" (?!(?:because|since|as|is|was|which|based|according|due|given)\b)[a-z]")
_VALUE = re.compile(r"""\s?["'“(\[<]*([A-Za-z])["'”)\]>]*(?:[.):,]?\s?$|[.):]\s)""")
_CUE = re.compile(r"\s?(?:final\s)?answer\s?:\s?", re.IGNORECASE)
_TRIED = re.compile(r"""\{|["']option["']\s?:""", re.IGNORECASE)
_FIRST = re.compile(r"\b[A-D]\b")
_RUNS = re.compile(r"[^\S\n]+"), re.compile(r" ?\n\s*")


class _Object(list[tuple[str, Any]]):
    """A JSON object with each of its keys, those that come twice too."""


def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the output says the right letter, read as `letter_of` reads it.

    Differs from the reference in that the patterns are written down: it has "regular expressions" and no more.
    """
    letter = letter_of(output, row["choices"] or ())
    return float(letter is not None and letter == _right(row))


def letter_of(output: str, choices: Sequence[str]) -> str | None:
    """The one letter that an output says; None where it says none, two, or one that is no option's: nothing is guessed.

    The first of these that is found in the text decides: a JSON object with the key `option` or `answer`; such a key or word with a
    letter behind a colon; "the answer is X", "option X", "I choose X"; a letter at the start of a line with a full stop or bracket
    behind it, or alone on its line; all of the output is the text of one option. Lines that list the options again are left out.

    Args:
        output: of a model; what it thought is cut off.
        choices: texts of the options in the order shown.
    """
    text = unicodedata.normalize("NFKC", said(output))
    for run, one in zip(_RUNS, (" ", "\n"), strict=True):
        text = run.sub(one, text)
    letters = [chr(ord("A") + place) for place in range(len(choices))]
    if values := list(_values(text)):
        return _agreed([_of_value(value, choices) for value in values], letters)
    bare = unlisted(text.translate(_MARKUP), len(choices))
    for pattern in _PATTERNS:
        if found := list(_found(pattern, bare)):
            return _agreed(found, letters)
    return _of_text(_CUE.sub("", text, count=1) if _CUE.match(text) else text, choices)


def _right(row: Mapping[str, Any]) -> str:
    """The right letter: the one of the answers that is one character."""
    return next((str(answer) for answer in row["answers"] if len(answer) == 1), "")


def _no_letter(row: Mapping[str, Any]) -> str:
    return "" if _right(row) else "no answer is a letter"


def _agreed(found: Sequence[str | None], letters: Sequence[str]) -> str | None:
    """The only one that was found, where it is an option's."""
    said = set(found)
    only = said.pop() if len(said) == 1 else None
    return only if only in letters else None


def _values(text: str) -> Iterator[Any]:
    """What JSON objects in a text have under a key that says an answer, in order."""
    until = 0
    for first, last, found in objects_in(text, _Object):
        if first >= until:  # an object inside of one that says nothing may say something
            said = [value for key, value in found if key.strip().lower() in _KEYS]
            yield from said
            until = last if said else until


def _of_value(value: Any, choices: Sequence[str]) -> str | None:
    """The letter that the value of an object says: a letter, the text of an option, or "letter. text"."""
    if not isinstance(value, str):
        return None
    found = _VALUE.match(value)
    is_letter = len(value.strip()) == 1 and value.strip().isalpha()
    by_text = None if is_letter else _of_text(value, choices)
    return by_text or (found[1].upper() if found else None)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Letters that a pattern finds, capital; small ones, A and I only where no sentence goes on behind them."""
    for match in pattern.finditer(text):
        letter, goes_on = match[1], match.end() == match.end(1) and _GOES_ON.match(text, match.end())
        if not goes_on or (letter.isupper() and letter not in "AI"):
            yield letter.upper()


def _of_text(text: str, choices: Sequence[str]) -> str | None:
    """The option whose whole text this is, to the letter or by its words; None where there is none or more than one."""
    for form in (_plain, padded):
        said = form(text)
        same = [place for place, choice in enumerate(choices) if said.strip() and form(choice) == said]
        if len(same) == 1:
            return chr(ord("A") + same[0])
    return None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule as its paper tells it: the letter of the JSON object, else the first letter found.

    The paper gives no patterns; the first capital A to D that stands alone is our reading, so "A dog" says A.
    """
    text = final_text(output)
    try:
        letter = json.loads(text)[KEY]
    except (ValueError, RecursionError, KeyError, TypeError, IndexError):
        letter = None
    if not isinstance(letter, str):
        found = _FIRST.search(text)
        letter = found[0] if found else ""
    return float(letter.strip() == _right(row))


# ------------------------------------------------------------------------------------------- how it keeps to the form


def form_of(output: str, options: int) -> str:
    """How an output keeps to the form that is asked for: "json", "like" or "plain"; each output is exactly one of these.

    json: all of it is one JSON object with the key `option` alone, whose value is the letter of an option. like: such an object was
    tried: there is a brace, or the key in quotes with a colon. plain: anything else, an empty output too.
    """
    text = unthought(output)
    try:
        found = json.loads(text, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        found = None
    wanted = [[(KEY, letter)] for place in range(options) for letter in (chr(ord("A") + place), chr(ord("a") + place))]
    if isinstance(found, _Object) and found in wanted:
        return "json"
    return "like" if _TRIED.search(text) else "plain"


def _is(form: str, doc: str) -> Metric:
    def function(output: str, row: Mapping[str, Any]) -> float:
        return float(form_of(output, len(row["choices"] or ())) == form)

    return Metric(f"option_{form}@strict", 2, doc, function, ("choices",))


METRICS = (
    *pair(
        "option",
        "The option that is said is the right one.",
        strict,
        official,
        ("answers", "choices"),
        demands=_no_letter,
        strict_version=3,
    ),
    _is("json", "The output is exactly the JSON object that is asked for, whatever its letter."),
    _is("like", "The JSON object was tried: cut off, malformed, of another form, or with text around it."),
    _is("plain", "The output has no JSON object."),
)
