"""Filters for wrong options. Each reason has a name and is counted (docs/reference/choices.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.choices.form import bare, content, form_of, order_of, same
from corpora.choices.options import Asked
from haymaker.core.text.strings import words

_LENGTHS = (0.5, 2.0)  # words of an option, relative to the right option
_ALIKE = 0.8  # share of the words of a text that occur in another text with the same meaning
_ANSWERS = 0.5  # share of the words of the question in a statement that may answer it
_STATEMENT = 4  # least number of words of a statement
_LONGER, _BY_CHARACTERS = 1.3, 6  # limits for the length of the right option, relative to the wrong ones
_REPEATS = 2  # words of the question that the right option has more than any wrong one
_NO_ANSWER = re.compile(
    r"(?:none|all|both|any|neither|either)(?: of)?(?: the| these)? (?:above|options|choices|answers)|unknown|n a|no answer"
    r"|(?:it is |is )?not (?:mentioned|stated|given|specified|known|available|applicable|provided)(?: (?:in|by) the \w+)?"
    r"|(?:it )?cannot be (?:determined|known|answered)(?: from the \w+)?"
)
_NEGATIONS = frozenset("not no never without nor neither none".split())


def problem(text: str, asked: Asked, kept: Sequence[str] = ()) -> str:
    """Return why a text in the normal form cannot be a wrong option, or an empty string. `kept`: other wrong options."""
    right, form = asked.right, form_of(asked.right)
    if not words(text) or _NO_ANSWER.fullmatch(" ".join(words(text))):
        return "empty"
    if same(text, right):
        return "equal"
    if form_of(text) != form or sorted(order_of(text)) != sorted(order_of(right)):
        return "other_form"
    if form == "order":
        return "duplicate" if any(same(text, other) for other in kept) else ""
    if any(same(text, other) or _alike(text, other) for other in kept):
        return "duplicate"
    if not _LENGTHS[0] * len(words(right)) <= len(words(text)) <= _LENGTHS[1] * len(words(right)):
        return "length"
    return _alike(text, right) or ("" if form == "value" else _in_context(text, asked))


def _alike(text: str, other: str) -> str:
    """Return how a text repeats another one: a part of it, the whole and more, or nearly all of its words."""
    one, two = _padded(text), _padded(other)
    if one in two:
        return "contained"
    if two in one:
        return "contains"
    own, others = _meaning(text), _meaning(other)
    is_same = _decisive(own) == _decisive(others) and len(own & others) >= _ALIKE * len(own)
    return "alike" if own and is_same else ""


def _padded(text: str) -> str:
    return f" {' '.join(bare(text))} "


def _meaning(text: str) -> set[str]:
    return content(" ".join(bare(text))) | _NEGATIONS.intersection(words(text))


def _decisive(found: set[str]) -> set[str]:
    return {word for word in found if word[:1].isdigit() or word in _NEGATIONS}


def _in_context(text: str, asked: Asked) -> str:
    """Return whether an option occurs in the evidence, or repeats so much of the question that it may answer it."""
    own, wanted = content(text), content(asked.question)
    given = {word for sentence in asked.evidence for word in content(sentence)}
    is_statement = len(own) >= _STATEMENT
    is_quoted = any(_padded(text) in _padded(sentence) for sentence in asked.evidence)
    if is_quoted or (is_statement and len(own & given) >= _ALIKE * len(own)):
        return "in_evidence"
    return "may_answer" if is_statement and len(own & wanted) > _ANSWERS * len(wanted) else ""


def stands_out(right: str, wrong: Sequence[str], question: str) -> str:
    """Return how the right option is recognizable from the question and the options only, or an empty string."""
    wanted, size = content(question), len(right)
    repeats = [len(wanted & content(text)) for text in (right, *wrong)]
    longest, shortest = max(map(len, wrong)), min(map(len, wrong))
    if repeats[0] >= max(repeats[1:]) + _REPEATS:
        return "right_repeats_question"
    if size > max(_LONGER * longest, longest + _BY_CHARACTERS):
        return "right_longest"
    return "right_shortest" if size < min(shortest / _LONGER, shortest - _BY_CHARACTERS) else ""
