"""Outputs that take no side where a question offers two: "yes or no", or both things of "A or B?".

A rule that looks for the answer in an output finds it in such a one too. Our rules give it nothing; the references' do not know it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from haymaker.text import folded, padded, words
from scoring.text import said
from scoring.yes_no import without_idle_no

Score = Callable[[str, Mapping[str, Any]], float]

_YES_NO = frozenset({" yes ", " no "})
_OR, _BEFORE, _BEHIND = re.compile(r"\sor\s", re.IGNORECASE), re.compile(r"[,:;]\s"), re.compile(r"[,;?]")
_NAMES = re.compile(r"(?:[^\W\d_a-z][\w'’.&-]*(?:\s(?:of|the|to|de|von|van|and|in|for)(?=\s[^\W\d_a-z]))*\s?)+$")
_MOST_WORDS = 8  # of a thing that a question offers
_RIGHT, _WRONG = "\ue000", "\ue001"  # stand for the two things in a text that is read
_SIDE = f"[{_RIGHT}{_WRONG}]"
_BETWEEN = r"""[\s\d,/&()\[\]"'*–-]*(?:\b(?:or|and|nor|vs|versus|the|an?)\b[\s\d,./&()\[\]"'*–-]*)*"""
_JOINED = re.compile(rf"({_SIDE}){_BETWEEN}(?!\1){_SIDE}")
_DENIED = re.compile(
    rf"(?:\b(?:not|unlike|nor|neither|rather than|instead of|contrary to|compared (?:to|with)|except)|n['’]t)"
    rf"\s(?:(?:by|in|on|at|for|the|an?)\s)*{_SIDE}"
    rf"|{_SIDE}\s(?:(?:is|was|are|were|does|do|did|has|have|had|can|could|would)(?:\s?not\b(?! only)|n['’]t\b))"
)
_CUE = r"\b(?:so|therefore|thus|hence|answer|in conclusion|in short|overall|consequently|(?:which|this|that) means|making)\b"
_COMPARING = re.compile(
    r"\b(?:more|most|less|least|fewer|first|last|later|latest|earlier|earliest|former|closer|higher|lower|better|worse|"
    r"(?:old|young|long|short|larg|bigg|small|tall|wid|deep|great|near|new|fast|heavi|rich)(?:er|est))\b"
)
_PIECE, _CONCLUDES = re.compile(rf"(?<=[.!?;])\s|\n|(?={_CUE})"), re.compile(_CUE)
_CLAUSE = re.compile(r"\b(?:although|though|while|whereas)\b[^,.;\n]{0,200},\s")  # before what is said


def unhedged(score: Score) -> Score:
    """A rule that gives nothing to an output that takes no side, and to a "no" that answers nothing (scoring/yes_no.py);
    it reads `answers` and `question`.
    """

    @wraps(score)
    def function(output: str, row: Mapping[str, Any]) -> float:
        text, golds = said(output), {padded(answer) for answer in row["answers"]}
        if golds & _YES_NO:
            text = without_idle_no(text)
        return 0.0 if _hedges(text, golds, row["question"] or "") else score(text, row)

    return function


def _hedges(text: str, golds: set[str], question: str) -> bool:
    """Whether a text says yes and no where one of them is right, in its conclusion where it says one there, or names both things that a
    question offers without saying which.

    Args:
        text: what an output says, without thoughts, without a "no" that answers nothing.
        golds: accepted answers, padded.
        question: of the row.
    """
    if golds & _YES_NO:
        concluding = [padded(piece) for piece in _PIECE.split(folded(text)) if _CONCLUDES.match(piece)]
        read = next((piece for piece in reversed(concluding) if any(side in piece for side in _YES_NO)), padded(text))
        return any(side in read for side in _YES_NO - golds)
    return any(_undecided(text, question, *pair) for pair in _offered(question, golds))


def _offered(question: str, golds: set[str]) -> list[tuple[set[str], str]]:
    """The names of the right and the wrong one of two things around an "or" of a question; nothing where it is not clear which is which."""
    asked, found = question.strip().rpartition("\n")[2], []
    for match in _OR.finditer(asked):
        sides = _last(asked[: match.start()]), _BEHIND.split(asked[match.end() :])[0]
        named = [side for side in map(_bare, sides) if 0 < len(side.split()) <= _MOST_WORDS]
        right = {side: {gold for gold in golds if gold.strip() and (side in gold or gold in side)} for side in named}
        wrong = [side for side in named if not right[side]]
        found += [({side, *right[side]}, wrong[0]) for side in named if right[side] and len(named) == 2 and wrong]
    return found


def _last(before: str) -> str:
    """What stands before "or": from the last comma or colon, else the names at the end."""
    part, names = _BEFORE.split(before)[-1], _NAMES.search(before)
    return names.group() if names and len(part) == len(before) else part


def _bare(thing: str) -> str:
    """Its words without an article before them, one space around each."""
    return re.sub("^ (?:the|an?) ", " ", padded(thing))


def _undecided(text: str, question: str, right: set[str], wrong: str) -> bool:
    """Whether a text that holds the right one does not say it: in its conclusion ("so", "the answer is"), else in the first sentence
    that compares as the question does ("older"), else in the first that names one. One that is nothing but a name comes before these.

    Not said is what is denied ("not A", "unlike A", "A is not"), and what stands beside the other one ("A or B", "A (1940), B"): that is
    repeated from the question. So is a sentence that asks.
    """
    if not any(name in padded(text) for name in right):
        return False
    bare = _CLAUSE.sub(r"\g<0>\n", _JOINED.sub(" ", _DENIED.sub(" ", _marked(folded(text), right, wrong))))
    pieces = [piece for piece in _PIECE.split(bare) if _WRONG in piece or _RIGHT in piece]
    telling = [piece for piece in pieces if not piece.rstrip().endswith("?")] or pieces
    asked = set(_COMPARING.findall(folded(question)))
    answering = [piece for piece in telling if not words(piece)]
    answering += [piece for piece in telling if asked & set(_COMPARING.findall(piece))]
    chosen = next(filter(_CONCLUDES.match, reversed(telling)), next(iter(answering + telling), ""))
    return next((side for side in chosen if side in _RIGHT + _WRONG), _WRONG) == _WRONG


def _marked(text: str, right: set[str], wrong: str) -> str:
    """A folded text with one character for each of the two things, longer names looked for first."""
    for name in sorted({*right, wrong}, key=lambda name: (-len(name), name)):
        pattern = r"[\W_]+".join(map(re.escape, name.split()))
        text = re.sub(rf"(?<!\w){pattern}(?!\w)", _RIGHT if name in right else _WRONG, text)
    return text
