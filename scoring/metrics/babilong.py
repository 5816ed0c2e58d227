"""BABILong accuracy: which labels of a closed set the first sentence of an answer names.

`official` is the reference's rule with its quirks (arXiv 2406.10149; docs/spec/babilong.md 7.2); `strict` is ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scoring.metrics import Metric
from scoring.text import said
from scoring.ways import one_spelling
from scoring.yes_no import without_idle_no

_OFFICIAL_CUTS = (".", "<context>", "<example>", "Question")
_SINGLE_ANSWER_MAX_CHARACTERS = 3  # a target with a comma is a list only when longer, so "s,e" is one label

# Strict reading of an answer, in the order of use.
_MARKUP = re.compile(r"[*_`#\"“”«»]+")
_OPENER = re.compile(r"\s*(?:answer\s*:|\(?\d{1,2}[.):](?!\w)|\(?[a-d]\)|[-•>])\s*")
_END = re.compile(r"\.(?!\w)|\n\s*\n|<(?:context|example|text)>|\n\s*question\s*:")
_COMMA = re.compile(r" ?, ?")


def official(output: str, *, answer: str, question: str, choices: Sequence[str]) -> float:
    """The reference's score: labels are substrings of the first sentence, minus the question's.

    Kept on purpose: the cut at the word Question comes after lower-casing and never cuts; "1. garden" is cut after its
    number; in qa7 the label "one" is inside "none", so gold "none" is never right.

    Args:
        output: what the model wrote; anything but a string counts as empty.
        answer: the gold; with a comma and more than 3 characters it is a list, in any order.
        question: its labels are never answers.
        choices: the task's closed label set.

    Returns:
        1.0 when exactly the gold is named, else 0.0.
    """
    prediction = output.lower() if isinstance(output, str) else ""
    for cut in _OFFICIAL_CUTS:
        prediction = prediction.split(cut)[0]
    gold, query = answer.lower(), question.lower()
    labels = {choice.lower() for choice in choices}
    named = {label for label in labels if label in prediction} - {label for label in labels if label in query}
    if "," in gold and len(gold) > _SINGLE_ANSWER_MAX_CHARACTERS:
        parts = gold.split(",")
        return float(all(part in named for part in parts) and len(named) == len(parts))
    return float(named == {gold})


def strict(output: str, *, answer: str, question: str, choices: Sequence[str]) -> float:
    """Our score: the first sentence names, as whole words, exactly the gold.

    Differs from the reference: whole words ("none" is not "one", "not" is not "no"); a leading number, bullet,
    "Answer:", emphasis and quotes are skipped; white space around commas is free; a chain of directions is one answer
    ("s,e,w" is not "s,e"); what was thought is left out, and a heading ("### Response" above an empty line); the first sentence ends at a full stop not followed by a letter, at a blank line, at an
    opening tag, or at a new line that begins with "Question:"; a "no" that answers nothing ("no idea", "there is
    no doubt") is not "no" (scoring/yes_no.py); "grey" is "gray" and "metre" "meter" (scoring/ways.py); a label in the question counts if
    it is the gold.

    Args:
        output: what the model wrote; anything but a string counts as empty.
        answer: the gold; a list joined by commas unless it is itself a label.
        question: its labels, as whole words, are not answers.
        choices: the task's closed label set.

    Returns:
        1.0 when exactly the gold is named, else 0.0.
    """
    prediction = _first_sentence(said(output))
    labels = frozenset(_COMMA.sub(",", one_spelling(choice.lower())) for choice in choices)
    gold = _gold(one_spelling(answer), labels)
    named = _named(prediction, labels) - (_named(one_spelling(question.lower()), labels) - gold)
    return float(named == gold)


def _first_sentence(output: str) -> str:
    prediction = _MARKUP.sub("", one_spelling(output.lower()).replace("’", "'")).strip()
    while opener := _OPENER.match(prediction):
        prediction = prediction[opener.end() :]
    prediction = _END.split(prediction, maxsplit=1)[0]
    return _COMMA.sub(",", without_idle_no(" ".join(prediction.split())))


def _gold(answer: str, labels: frozenset[str]) -> frozenset[str]:
    gold = _COMMA.sub(",", answer.lower().strip())
    return frozenset({gold} if gold in labels else gold.split(","))


def _named(text: str, labels: frozenset[str]) -> set[str]:
    """Labels that stand in the text as whole words; for labels with a comma, every chain of their parts."""
    words, chains = _patterns(labels)
    return set(words.findall(text)) | {chain for chain in chains.findall(text) if "," in chain}


@lru_cache(maxsize=256)
def _patterns(labels: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    parts = {part for label in labels if "," in label for part in label.split(",")}
    part = _any_of(parts)
    return _whole(_any_of({label for label in labels if "," not in label})), _whole(f"{part}(?:,{part})*")


def _any_of(words: set[str]) -> str:
    """An alternation, longest first; of nothing, a pattern that never matches."""
    return "(?:" + ("|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w))) or "(?!)") + ")"


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!\w['-]){pattern}(?!\w|-\w)")


def _on_row(score: Callable[..., float]) -> Callable[[str, Mapping[str, Any]], float]:
    def function(output: str, row: Mapping[str, Any]) -> float:
        return score(output, answer=row["answers"][0], question=row["question"], choices=row["choices"])

    return function


_NAMED = "The first sentence names, as whole words, exactly the gold labels."
_COLUMNS = ("answers", "question", "choices")
METRICS = (
    Metric("babilong@strict", 4, _NAMED, _on_row(strict), _COLUMNS),
    Metric(
        "babilong@official", 1, "The reference's substring rule, its defects included.", _on_row(official), _COLUMNS
    ),
)
