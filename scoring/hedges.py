"""Outputs that take no side where a question offers two: "yes or no", or both things of "A or B?".

A rule that looks for the answer in an output finds it in such a one too. Our rules give it nothing; the references' do not know it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from haymaker.text import folded, padded
from scoring.text import said

Score = Callable[[str, Mapping[str, Any]], float]

_YES_NO = frozenset({" yes ", " no "})
_BESIDE_A_NOUN = re.compile(
    r"(?<!\w)(?!(?:or|and|nor|yes|no|maybe|perhaps|either)\b)\w+ no (?!(?:or|and|but|yes|no|because|since|as)\b)(?=\w)"
)  # "there is no doubt" does not say no
_OR, _BEFORE, _BEHIND = re.compile(r"\sor\s", re.IGNORECASE), re.compile(r"[,:;]\s"), re.compile(r"[,;?]")
_NAMES = re.compile(r"(?:[^\W\d_a-z][\w'’.&-]*(?:\s(?:of|the|to|de|von|van|and|in|for)(?=\s[^\W\d_a-z]))*\s?)+$")
_MOST_WORDS = 8  # of a thing that a question offers
_PIECE = re.compile(r"(?<=[.!?;])\s|\n|\b(?=(?:so|therefore|thus|hence|answer)\b)")
_CONCLUDES = re.compile(r"(?:so|therefore|thus|hence|answer)\b")
_JOINED = r"""[\s\d,/&()\[\]"'*–-]*(?:\b(?:or|and|nor|vs|versus|the|an?)\b[\s\d,./&()\[\]"'*–-]*)*"""


def unhedged(score: Score) -> Score:
    """A rule that gives nothing to an output that takes no side; it reads `answers` and `question`."""

    @wraps(score)
    def function(output: str, row: Mapping[str, Any]) -> float:
        return 0.0 if hedges(said(output), row["answers"], row["question"] or "") else score(output, row)

    return function


def hedges(text: str, answers: Sequence[str], question: str) -> bool:
    """Whether a text holds yes and no where one of them is right, or both things that a question offers without saying which.

    Args:
        text: what an output says, without thoughts.
        answers: accepted.
        question: of the row.
    """
    golds = {padded(answer) for answer in answers}
    if golds & _YES_NO:
        words = padded(_BESIDE_A_NOUN.sub(" ", " ".join(text.lower().split())))
        return not golds >= _YES_NO and all(word in words for word in _YES_NO)
    return any(_undecided(text, *pair) for pair in _offered(question, golds))


def _offered(question: str, golds: set[str]) -> list[tuple[str, str]]:
    """The right and the wrong one of two things around an "or" of a question; nothing where it is not clear which is which."""
    asked, found = question.strip().rpartition("\n")[2], []
    for match in _OR.finditer(asked):
        sides = _last(asked[: match.start()]), _BEHIND.split(asked[match.end() :])[0]
        named = [side for side in map(_bare, sides) if 0 < len(side.split()) <= _MOST_WORDS]
        right = [side for side in named if any(gold.strip() and (side in gold or gold in side) for gold in golds)]
        wrong = [side for side in named if side not in right]
        found += [(right[0], wrong[0])] if len(right) == len(wrong) == 1 else []
    return found


def _last(before: str) -> str:
    """What stands before "or": from the last comma or colon, else the names at the end."""
    part, names = _BEFORE.split(before)[-1], _NAMES.search(before)
    return names.group() if names and len(part) == len(before) else part


def _bare(thing: str) -> str:
    """Its words without an article before them, one space around each."""
    return re.sub("^ (?:the|an?) ", " ", padded(thing))


def _undecided(text: str, right: str, wrong: str) -> bool:
    """Whether a text names both and does not say the right one: in its conclusion, else in the first sentence that names one.

    Two that stand side by side ("A or B", "A (1940), B") are repeated from the question, and say neither.
    """
    if not all(side in padded(text) for side in (right, wrong)):
        return False
    one, other = (r"[\W_]+".join(map(re.escape, side.split())) for side in (right, wrong))
    bare = re.sub(rf"\b(?:{one}{_JOINED}{other}|{other}{_JOINED}{one})\b", " ", folded(text))
    naming = [(piece, places) for piece in _PIECE.split(bare) if (places := _places(padded(piece), right, wrong))]
    chosen = next(
        (places for piece, places in reversed(naming) if _CONCLUDES.match(piece)), naming[0][1] if naming else []
    )
    return not chosen or min(chosen)[1] != right


def _places(text: str, *sides: str) -> list[tuple[int, str]]:
    return [(text.find(side), side) for side in sides if side in text]
