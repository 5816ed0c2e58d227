"""Answers with citations in square brackets: where they stand, and the text without them (docs/spec/helmet.md 11.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.reader import long_text
from scoring.text import final_text, uncued

END_MARKER = "<|im_end|>"
_OFFICIAL = re.compile(r" ?\[\d+")
_OFFICIAL_NUMBER = re.compile(r"\[(\d+)")
# "[3]", "[1, 2]", "[1 and 2]"; the bracket of the last one may be missing where the answer was cut off.
_CITATION = re.compile(r" ?\[ ?\d+(?: ?(?:,|;|and|&) ?\d+)* ?(?:\]|$)")
_AFTER_STOP = re.compile(rf"(?<!\b\w)([.!?])((?:{_CITATION.pattern})+)")
_NUMBER = re.compile(r"\d+")
_BREAKS = re.compile(r"\n+")
_TOO_LONG = 10  # digits: more than any document's number


def prepared(output: object) -> str:
    """An output as the reference reads it: each run of line breaks is a space, and the marker that ends a chat message goes."""
    return _BREAKS.sub(" ", final_text(output)).replace(END_MARKER, "")


def folded(output: object, row: Mapping[str, Any]) -> str:
    """Return a long answer for our rules: white space folded, the cue dropped, citations that follow a full stop set before it."""
    text = " ".join(long_text(output, row).replace(END_MARKER, "").split())
    return _AFTER_STOP.sub(r"\2\1", one_by_one(uncued(text)))


def one_by_one(text: str) -> str:
    """A text with each citation in brackets of its own: "[1, 2]" as "[1] [2]"."""
    return _CITATION.sub(lambda match: "".join(f" [{digits}]" for digits in _NUMBER.findall(match.group())), text)


def without_official(text: str) -> str:
    """The reference's removal: "[digits", then every " |" and "]"; of "[1, 2]" it leaves ", 2" (docs/defects/helmet.md D13)."""
    return _OFFICIAL.sub("", text).replace(" |", "").replace("]", "")


def without(text: str) -> str:
    """A text without its citations."""
    return _CITATION.sub("", text)


def numbers_official(text: str) -> list[int]:
    """Numbers cited, as often as they are; of "[1, 2]" the first (docs/defects/helmet.md D13)."""
    return [_whole(digits) for digits in _OFFICIAL_NUMBER.findall(text)]


def numbers(text: str) -> list[int]:
    """Numbers cited, each once, in order; of "[1, 2]" both."""
    cited = (_whole(digits) for match in _CITATION.finditer(text) for digits in _NUMBER.findall(match.group()))
    return list(dict.fromkeys(cited))


def _whole(digits: str) -> int:
    return int(digits) if len(digits) < _TOO_LONG else 10**_TOO_LONG
