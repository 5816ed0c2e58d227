"""Usable answers of a question, and answers that a passage contains (docs/reference/retrieval.md, Gold).

Left out are answers of three letters or fewer (they occur by chance), answers inside the question, lists of two (a
question with two answers), and questions without a usable answer or that refer to a text. For "A or B?" the form in the
question is accepted too.
"""

from __future__ import annotations

import re
from dataclasses import replace

from corpora.retrieval.mining.variants import with_variants
from haymaker.core.rows.question_checks import as_offered, offers, points_at_text
from haymaker.core.rows.source_records import Question
from haymaker.core.text.equivalents import with_equivalents
from haymaker.core.text.strings import filter_aliases, padded, words

JUDGED = frozenset({"search"})  # passages are graded; there is no answer to look for
ON_ONE = "single"  # written by who had one passage before them
UNANSWERED = frozenset({"absent"})  # no gold, and no alias that a distractor could hold
LINKED = frozenset({"bridge", "comparison"})  # every piece of evidence is needed, and not each holds the answer
COMPARED = "comparison"  # its question names what may be the answer, and yes and no are answers

LEAST_ITEMS = 3  # of a list
NOTHING_TO_FIND = "answer_too_short"
TOLD = "answer_in_question"
TOO_FEW = "list_too_short"
DISAGREED = "answers_disagree"
POINTS = "points_at_a_text"
_SHORT = re.compile("[a-z]{1,3}")
_NUMBER_WORDS = frozenset({"one", "two", "six", "ten"})
_FUNCTION_WORDS = frozenset("a an and at by for in of on or the to".split())


def aliases_of(question: Question) -> tuple[str, ...]:
    """Return padded aliases of all answers and groups, which no distractor may contain."""
    if question.kind in JUDGED | UNANSWERED:
        return ()
    question = _with_offered(question)
    every = [*question.answers, *(alias for group in question.answer_groups for alias in group)]
    return tuple(filter_aliases(with_equivalents(with_variants(every))))


def askable(question: Question, *, agreed: bool = False) -> tuple[Question, str]:
    """Return a question with its usable answers and their variants, and why it is unusable, if so.

    Answer groups keep their numbers and may become empty. `agreed`: each answer must share a word with the first.
    """
    if question.kind in JUDGED | UNANSWERED:
        return question, ""
    if agreed and not all(_content(question.answers[0]) & _content(other) for other in question.answers[1:]):
        return question, DISAGREED
    if question.kind == ON_ONE and points_at_text(question.text):
        return question, POINTS
    text = padded(question.text)
    offered, question = _offers(question), _with_offered(question)

    def left(aliases: tuple[str, ...]) -> tuple[str, ...]:
        if question.kind == COMPARED:
            return with_variants(aliases, question.text)
        kept = (a for a in aliases if not _is_short(a) and (offered or padded(a) not in text))
        return with_variants(kept, question.text)

    answers, groups = left(question.answers), tuple(map(left, question.answer_groups))
    if question.kind != COMPARED and not filter_aliases([*answers, *(alias for group in groups for alias in group)]):
        told = any(alias in text for alias in aliases_of(question))
        return question, TOLD if told else NOTHING_TO_FIND
    return replace(question, answers=answers, answer_groups=groups), ""


def _offers(question: Question) -> bool:
    return question.kind in LINKED and offers(question.text)  # whatever its source calls it


def _with_offered(question: Question) -> Question:
    """The question, with the form in which it offers its answer among the accepted ones."""
    known = with_variants(question.answers)
    added = as_offered(question.text, known) if _offers(question) else ()
    return replace(question, answers=(*question.answers, *added))


def _content(answer: str) -> set[str]:
    return set(words(answer)) - _FUNCTION_WORDS


def _is_short(alias: str) -> bool:
    letters = "".join(words(alias))
    return _SHORT.fullmatch(letters) is not None and letters not in _NUMBER_WORDS
