"""MRCR: how well a reply repeats the requested one of several texts (needles) that a conversation has on one request.

The score is difflib's ratio, 2M / T: M is the number of characters in matching blocks, T the length of both texts.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from difflib import SequenceMatcher
from typing import Any

from haymaker.core.text.strings import words
from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.official_text import whole
from haymaker.scoring.reader import Row, budget_of, strip_reasoning

NEAR = 0.5
"""Share of equal words, 2M / T, above which a reply repeats a needle.

Half a needle has 0.67. Unrelated prose has less than 0.2, and texts on one request less than 0.45.
"""
READS = 30_000
"""Maximum characters read of a reply; a longer one scores at most 0.15 against a text of 2,400 characters."""
_FENCED = re.compile(r"(```|~~~)[^\n`]*\n(.*?)(?:\n[ \t]*\1)?", re.DOTALL)


def official(output: str, row: Row) -> float:
    """The reference's rule: 0 if the output does not start with the string, and difflib's own settings.

    If the answer has 200 characters or more, difflib ignores each character that makes up more than 1 % of it.
    """
    string, said, gold = _facts(row)["string"], whole(output), row["answers"][0]
    if not said.startswith(string):
        return 0.0
    return SequenceMatcher(None, said.removeprefix(string), gold.removeprefix(string)).ratio()


def strict(output: str, row: Row) -> float:
    """The ratio of all characters, or 0 if the reply does not start with the string.

    Differs from the reference: reasoning, outer white space and a code fence around the reply are removed. No character
    is ignored, so the score of an unrelated text does not jump at 200 characters.
    """
    string, said, gold = _facts(row)["string"], reply(output, row), row["answers"][0]
    return ratio(said.removeprefix(string), gold.removeprefix(string)) if said.startswith(string) else 0.0


def which(output: str, row: Row) -> float:
    """1.0 if the reply repeats the requested needle, with or without the string."""
    return float(given(output, row) == _facts(row)["asked"])


def given(output: str, row: Row) -> int:
    """Return the number of the needle that a reply repeats, from 1, or 0 if it repeats none.

    It is the needle that shares most words with the reply, if the share exceeds NEAR. Case, punctuation, and
    anything up to the requested string do not count.

    Args:
        output: complete model output.
        row: row with `references` (texts of the needles in order) and `metadata`.
    """
    said = words(reply(output, row).split(_facts(row)["string"], 1)[-1])
    shares = [SequenceMatcher(None, said, words(text), autojunk=False).ratio() for text in row["references"]]
    nearest = shares.index(max(shares))
    return nearest + 1 if shares[nearest] > NEAR else 0


def reply(output: object, row: Row) -> str:
    """Return an output without reasoning, outer white space and a code fence around it, cut to the budget of the row."""
    text = strip_reasoning(output).strip()
    fence = _FENCED.fullmatch(text)
    return (fence[2].strip() if fence else text)[: budget_of(row)]


def ratio(left: str, right: str) -> float:
    """Return difflib's ratio of two texts without autojunk.

    difflib needs a minute if a reply of 4,000 characters repeats one common character. This function searches blocks
    by sets of substrings and needs less than a second.
    """
    matching, todo = 0, [(left, right, min(len(left), len(right)))]
    while todo:
        a, b, most = todo.pop()
        size = _longest(a, b, most)
        if size:
            i = _first(a, b, size)
            j = b.index(a[i : i + size])
            matching += size
            todo += [(a[:i], b[:j], size), (a[i + size :], b[j + size :], size)]
    return 2 * matching / max(1, len(left) + len(right))


def _longest(a: str, b: str, most: int) -> int:
    """Return the length of the longest common substring, at most `most`."""
    return bisect_left(range(most), True, key=lambda size: _first(a, b, size + 1) < 0)


def _first(a: str, b: str, size: int) -> int:
    """Return the first position in `a` of a substring of this length that is also in `b`, or -1."""
    there = {b[j : j + size] for j in range(len(b) - size + 1)}
    return next((i for i in range(len(a) - size + 1) if a[i : i + size] in there), -1)


def _facts(row: Row) -> dict[str, Any]:
    return dict(json.loads(row["metadata"] or "{}"))


def _missing(row: Row) -> str:
    """Return what the metadata of a row lacks: the string at the start, or the number of the requested needle."""
    return ", ".join(f"its metadata has no {key}" for key in ("string", "asked") if not _facts(row).get(key))


_DOC = "Similarity of the reply and the requested text, if the reply begins with the requested string."
_WHICH = "1 if the reply repeats the requested one of several texts."
METRICS = (
    *pair("mrcr", _DOC, strict, official, ("answers", "metadata"), 1, demands=_missing, reads=READS),
    Metric("which_needle@strict", 1, _WHICH, which, ("references", "metadata"), demands=_missing, needs=("references",), reads=READS),
)  # fmt: skip
