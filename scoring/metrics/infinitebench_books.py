"""InfiniteBench's own rules for questions on books: word F1 and one of four options.

HELMET scores the same questions by its own (`rouge_l`, `mc`), and `@official` of those is HELMET's; these two are what InfiniteBench
itself reports. The rules are facts of its public scorer, written down from memory (docs/reference/metrics.md): the output is read
whole, thoughts included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.metrics import Metric
from scoring.text import bag_f1, best, gold, normalise, whole

LETTERS = "ABCD"

_STANDS_ALONE = re.compile(r"\b[A-D]\b")
_MARKS = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))
_CUES = ("answer is:", "answer:", "answer is", "option is")


def qa_official(output: str, row: Mapping[str, Any]) -> float:
    """Word F1 of all that is said against the nearest accepted answer; yes and no are words as all others."""
    return best(lambda text, answer: bag_f1(normalise(text).split(), normalise(answer).split()), [whole(output)], row["answers"])


def choice_official(output: str, row: Mapping[str, Any]) -> float:
    """1.0 when the first of these that says something says the right letter or text.

    The last capital A to D that stands alone, where it is the right one; a letter that the output begins with, a word's too
    ("Apples" is A); all of it is the text; what follows the first cue and one character begins with letter or text; the first word
    made of letters A to D.
    """
    text, right = whole(output).strip(), _right(row)
    alone = _STANDS_ALONE.findall(text)
    if not text or not right:
        return 0.0
    if alone and alone[-1] in right:
        return 1.0
    if text[0] in LETTERS:
        return float(text[0] in right)
    return float(text in right or _said(text, right))


def _said(text: str, right: Sequence[str]) -> bool:
    """Whether the right option follows the first cue; without a cue, whether it is the first word of letters A to D."""
    bare = re.sub(" +", " ", text.translate(_MARKS))
    for cue in _CUES:
        if cue in bare:
            rest = bare[bare.index(cue) + len(cue) + 1 :]
            return rest.startswith(tuple(right))
    return next((word in right for word in bare.split() if word in LETTERS), False)


def _right(row: Mapping[str, Any]) -> list[str]:
    """Text and letter of the right option; nothing where the row's answer is no letter of its options."""
    letter = gold(row)
    place = LETTERS.find(letter) if letter else -1
    choices = row["choices"] or ()
    return [choices[place], letter] if 0 <= place < len(choices) else []


METRICS = (
    Metric(
        "infbench_qa@official", 1, "Word F1 against the nearest accepted answer, InfiniteBench's rule.", qa_official, ("answers",)
    ),
    Metric(
        "infbench_choice@official", 1, "The option chosen, by InfiniteBench's rule.", choice_official, ("answers", "choices")
    ),
)
