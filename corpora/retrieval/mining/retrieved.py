"""Gold by retrieval: the best results in the article about the subject that contain the answer.

See docs/spec/helmet.md 5.2. Differs from the reference: an alias in any passage is not enough ("Young", "Fame").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from corpora.retrieval.mining.answers import UNANSWERED, aliases_of, askable
from corpora.retrieval.mining.locate import Gold, Located, merged, says, trimmed, with_forms
from corpora.retrieval.mining.relations import names
from haymaker.core.rows.source_records import Evidence, Question
from haymaker.core.text.strings import filter_aliases

if TYPE_CHECKING:
    from corpora.retrieval.search import Ints
    from corpora.stores.passages.store import Passages

NO_SUBJECT = "nothing_names_its_article"
NOT_RETRIEVED = "no_gold_retrieved"


def to_search(question: Question, *, agreed: bool = False) -> Located:
    """Return a question whose gold a search can find, or with the reason why none can."""
    aliases = aliases_of(question)
    question, refused = askable(question, agreed=agreed)
    named = question.kind in UNANSWERED or any(_subject(question, group) for group, _ in _groups(question))
    return Located(question, dropped=refused or ("" if named else NO_SUBJECT), aliases=aliases)


def locate_retrieved(located: Located, passages: Ints, store: Passages) -> Located:
    """Choose the best passages of a search that contain an answer as gold: one per answer group, or one.

    They must belong to the article about the subject and, if the question has a relation, state it.
    """
    question = located.question
    if located.dropped or question.kind in UNANSWERED:
        return located
    groups, gold = _groups(question), list[Gold]()
    for group, forms in groups:
        subject, wanted = _subject(question, group), filter_aliases(forms)
        saying = (i for i in passages.tolist() if _is_of(store, i, subject) and says(question, store, i, wanted))
        gold += [Gold(i, supports=group) for i in islice(saying, 1)]
    if not gold:
        return replace(located, dropped=NOT_RETRIEVED)
    return with_forms(trimmed(question, merged(gold), located.aliases, len(groups) - len(gold)), store)


def _subject(question: Question, group: tuple[int, ...]) -> list[Evidence]:
    """Return the articles about the subject, for one answer group if its evidence names it."""
    if question.subject:
        return [Evidence(title=question.subject)]
    every = (each for each in question.evidence if each.title or each.article_id)
    return [each for each in every if each.group is None or not group or each.group in group]


def _is_of(store: Passages, place: int, articles: Sequence[Evidence]) -> bool:
    passage = store.passage(place)
    return any(
        each.article_id == passage.article_id if each.article_id else names(passage.title, each.title)
        for each in articles
    )


def _groups(question: Question) -> Sequence[tuple[tuple[int, ...], Sequence[str]]]:
    if question.answer_groups:
        return [((number,), group) for number, group in enumerate(question.answer_groups)]
    return [((), question.answers)]
