"""What keeps a bad wrong option out (docs/spec/marathon.md 6, rows 5 and 6): each reason has a name, and is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.choices.form import STOP_WORDS, content, form_of, order_of
from corpora.choices.options import Asked
from corpora.choices.quantities import dates, quantities
from haymaker.core.text.strings import padded, words

_ARTICLES = frozenset({"a", "an", "the"})
_WORDS = (0.5, 2.0)  # of an option, as a share of the right one's
_ALIKE = 0.8  # share of its words that stand in the right option, from which it says the same
_ANSWERS = 0.5  # share of the question's words in a statement, from which it may answer the question
_LONGER, _BY_CHARACTERS = 1.3, 6  # the right option's length against the longest or shortest wrong one
_REPEATS = 2  # words of the question that the right option has more than any wrong one
_NEGATIONS = frozenset({"not", "no", "never", "without", "nor", "neither", "none"})


def problem(text: str, asked: Asked, kept: Sequence[str] = (), *, designed: bool = False) -> str:
    """Why a candidate cannot be a wrong option; empty when it can.

    Args:
        text: in its normal form.
        asked: the question.
        kept: other wrong options of it.
        designed: it differs from the right option by design: likeness is no fault, nor is a form that needs no check.
    """
    right = asked.right
    if not words(text):
        return "empty"
    if any(key(text) == key(other) or same_values(text, other) for other in (right, *kept)):
        return "equal" if key(text) == key(right) else "true" if same_values(text, right) else "duplicate"
    if designed:
        return ""
    if form_of(text) != form_of(right):
        return "other_form"
    if not _WORDS[0] * len(words(right)) <= len(words(text)) <= _WORDS[1] * len(words(right)):
        return "length"
    return _alike(text, asked, kept)


def _alike(text: str, asked: Asked, kept: Sequence[str]) -> str:
    if form_of(text) in ("number", "date", "order"):
        return ""
    if padded(text) in {padded(member) for member in members(asked.right)}:
        return "list_member"
    if _bare(text) in _bare(asked.right):
        return "contained"
    if _bare(asked.right) in _bare(text):
        return "contains"
    if _near(text, asked.right):
        return "true"
    if any(_near(text, other) or _bare(text) in _bare(other) or _bare(other) in _bare(text) for other in kept):
        return "duplicate"
    return _may_answer(text, asked)


def _may_answer(text: str, asked: Asked) -> str:
    """The stand-in for entailment: it stands where the answer is given, or says much of what the question says."""
    if any(_bare(text) in _bare(sentence) for sentence in asked.evidence_texts):
        return "in_evidence"
    said, wanted = set(content(text)), set(content(asked.question))
    given = {word for sentence in asked.evidence_texts for word in content(sentence)}
    if len(said) > 3 and len(said & given) >= _ALIKE * len(said):
        return "in_evidence"
    return "may_answer" if len(said) > 3 and len(said & wanted) > _ANSWERS * len(wanted) else ""


def key(text: str) -> str:
    """Equal for texts that say the same in the same words: case, accents, articles and punctuation aside; of a list, its order too."""
    order = order_of(text)
    if order:
        return " ".join(order).casefold()
    parts = members(text)
    plain = [" ".join(word for word in words(part) if word not in _ARTICLES) for part in parts or [text]]
    return ", ".join(sorted(plain)) if parts else plain[0]


def members(text: str) -> list[str]:
    """The members of a list ("Paris, Bordeaux and Nantes"); empty for what is no list of short things."""
    parts = [part.strip() for part in re.split(r",(?!\d{3}\b)|;| and | or ", text)]
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 and all(len(words(part)) <= 4 for part in parts) else []


def same_values(text: str, right: str) -> bool:
    """Whether two texts are the same number or the same date, otherwise written ("2" and "two", "3 May" and "May 3")."""
    return (own := _value(text)) is not None and own == _value(right)


def _value(text: str) -> tuple[object, ...] | None:
    days, numbers = dates(text), quantities(text)
    if len(days) == 1 and not numbers and form_of(text) == "date":
        return "date", days[0].value
    if len(numbers) == 1 and not days and form_of(text) in ("number", "date"):
        spoken = numbers[0]
        around = words(f"{text[: spoken.start]} {text[spoken.end :]}")
        scale = next((word for word in around if word in _SCALES), "")
        return "number", spoken.amount * _SCALES.get(scale, 1), spoken.kind in ("share", "time")
    return None


_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def _near(text: str, other: str) -> bool:
    """Whether nearly all words of one stand in the other, numbers and negations too."""
    said, there = (_meaning(each) for each in (text, other))
    same = {word for word in said if word.isdigit() or word in _NEGATIONS} == {
        word for word in there if word.isdigit() or word in _NEGATIONS
    }
    return bool(said) and same and len(said & there) >= _ALIKE * len(said)


def _meaning(text: str) -> set[str]:
    return {word for word in words(text) if word not in STOP_WORDS or word in _NEGATIONS}


def _bare(text: str) -> str:
    """Padded words without articles."""
    return f" {' '.join(word for word in words(text) if word not in _ARTICLES)} "


def stands_out(right: str, wrong: Sequence[str], question: str) -> str:
    """Whether the right option is known without reading: right_longest, right_shortest, right_repeats_question, or empty."""
    asked, texts = set(content(question)), (right, *wrong)
    return of_figures([len(text) for text in texts], [len(asked & set(content(text))) for text in texts])


def of_figures(sizes: Sequence[int], repeats: Sequence[int]) -> str:
    """The same from figures, the right option's first: characters, and words of the question."""
    if repeats[0] >= max(repeats[1:]) + _REPEATS:
        return "right_repeats_question"
    size, longest, shortest = sizes[0], max(sizes[1:]), min(sizes[1:])
    if size > max(_LONGER * longest, longest + _BY_CHARACTERS):
        return "right_longest"
    return "right_shortest" if size < min(shortest / _LONGER, shortest - _BY_CHARACTERS) else ""
