"""Multiple choice: which of the options shown an answer names (docs/spec/helmet.md 11.3).

`answers` is the letter and "letter. text", `choices` the texts of the options in the order shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from haymaker.text import padded
from scoring.metrics import pair
from scoring.metrics.qa import em_official
from scoring.text import final_text, said

_MARKUP = str.maketrans("", "", '*`_#"“”')
_CUE = re.compile(r"\b(?:answer|option|choice)\s*(?:is|:)[\s:]*", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-•]\s*)?(?:(?:option|choice)\b[\s:]*)?[(\[]?([a-z])(?:[)\].:,]|\s*$)", re.IGNORECASE)
_FIRST = re.compile(r"\s*(?:(?:option|choice|answer)\b[\s:]*)?[(\[]?([a-z])(?:[)\].:,]|\s*$)", re.IGNORECASE)
# Letters that stand alone; the A of "A dog" is an article, that of "A or B" and "A is right" is not.
_LETTER = re.compile(r"(?<![\w'’.-])(?!A (?!(?:or|and|is|was)\b)[a-z])([A-Z])(?![\w'’-])(?!\.\w)")


def strict(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the output names the right option and no other.

    Read is the rest of the line after an "Answer:" or "answer is", else the first line, else the whole output: the first of
    these that names an option. Letters count before texts: "B", "(b)", "B. text", "option B"; without a letter an option is
    named by its whole text. Lines that list the options, one a line from A on, are no answer and are left out. Where two
    options are named, nothing is made of what is said of them ("B is wrong, so A"): 0.0, as where none is.
    Differs from the reference: no article is dropped, so an empty output or "The" is not "A" (docs/defects/helmet.md D9);
    "A or B" is wrong.
    """
    choices = row["choices"] or ()
    text = unlisted(said(output).translate(_MARKUP), len(choices)).strip()
    for place in (*_after_cues(text), text.split("\n", 1)[0], text):
        if letters := _named(place, choices):
            return float(letters == {row["answers"][0].upper()})
    return 0.0


def official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the normalised raw or parsed output equals an answer, or "letter. text" is a substring.

    Kept on purpose: of the answer "A" nothing is left, so an empty output equals it (docs/defects/helmet.md D9).
    """
    whole = row["answers"][-1].lower()
    return float(whole in final_text(output).lower()) or em_official(output, row)


def unlisted(text: str, options: int) -> str:
    """A text without its list of options: from the line that begins with A to the last of those that go on with B, C ..."""
    lines, following, first, last = text.split("\n"), 0, 0, 0
    for number, line in enumerate(lines):
        item = _ITEM.match(line)
        letter = item[1].upper() if item else ""
        if letter == "A" and following < 2:
            following, first = 1, number
        elif following and following < options and letter == _letter(following):
            following, last = following + 1, number
    return "\n".join(lines[:first] + lines[last + 1 :]) if following > 1 else text


def _after_cues(text: str) -> Iterator[str]:
    """What follows each cue: the rest of its line, or the next line with something on it."""
    until = 0
    for cue in _CUE.finditer(text):
        if cue.start() >= until:
            until = (text.find("\n", cue.end()) + 1 or len(text) + 1) - 1
            yield text[cue.end() : until]


def _named(text: str, choices: Sequence[str]) -> set[str]:
    """Letters of the options that a text names."""
    texts = _texts(text, choices)
    return _letters(text, choices) or {_letter(number) for number in texts}


def _letters(text: str, choices: Sequence[str]) -> set[str]:
    """Letters that stand alone, outside of options' texts; a leading one in small print too."""
    bare = " ".join(text.split())
    for choice in sorted((" ".join(choice.split()) for choice in choices), key=len, reverse=True):
        if len(choice) > 1:
            bare = re.sub(re.escape(choice), "\n", bare, flags=re.IGNORECASE)
    found = set(_LETTER.findall(bare))
    if first := _FIRST.match(bare):
        found.add(first[1].upper())
    return found & {_letter(number) for number in range(len(choices))}


def _texts(text: str, choices: Sequence[str]) -> list[int]:
    """Options whose whole text stands in a text, without those that are part of another that does."""
    whole = padded(text)
    keys = [padded(choice) for choice in choices]
    found = [number for number, key in enumerate(keys) if key.strip() and key in whole]
    return [n for n in found if not any(keys[n] != keys[other] and keys[n] in keys[other] for other in found)]


def _letter(number: int) -> str:
    return chr(ord("A") + number)


METRICS = pair("mc", "The option chosen is the right one.", strict, official, ("answers", "choices"))
