"""The format step: a mined question with the texts of its passages, their tokens, ranks and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.retrieval.mining.locate import Located
from corpora.stores.mined import MinedPassages, MinedQuestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.retrieval.search import Floats, Ints
    from corpora.stores.passages.store import Passages


def formatted(
    located: Located, hits: tuple[Ints, Floats], gold_scores: Sequence[float], kept: Ints, removed: dict[str, int],
    store: Passages,
) -> MinedQuestion:  # fmt: skip
    """One row of the mined file.

    Args:
        located: the question and its gold.
        hits: passages and scores of the search, best first.
        gold_scores: of the gold, in its order.
        kept: positions of the distractors in the search result.
        removed: reason -> how many of the search result were left out.
        store: the texts.
    """
    import numpy as np

    passages, scores = hits
    gold = np.array([each.passage for each in located.gold], np.int64)
    place = {passage: rank for rank, passage in enumerate(passages.tolist())}
    question = located.question
    return MinedQuestion(
        question_id=question.question_id,
        part=question.part,
        question=question.text,
        kind=question.kind,
        answers=list(question.answers),
        answer_groups=[list(group) for group in question.answer_groups],
        readings=list(question.readings),
        references=list(question.references),
        popularity=question.popularity,
        twin_of=question.twin_of,
        gold=_passages(
            store,
            gold,
            rank=[place.get(passage) for passage in gold.tolist()],
            score=list(gold_scores),
            grade=[each.grade for each in located.gold],
            supports=[list(each.supports) for each in located.gold],
        ),
        distractors=_passages(
            store,
            passages[kept],
            rank=kept.tolist(),
            score=scores[kept].tolist(),
            grade=[None] * len(kept),
            supports=[[] for _ in kept],
        ),
        removed=removed,
        searched=len(passages),
    )


def _passages(store: Passages, indices: Ints, **columns: Any) -> MinedPassages:
    table = store.take(indices)
    texts = {name: table[name].to_pylist() for name in ("passage_id", "article_id", "title", "section", "text")}
    return MinedPassages(**texts, tokens=store.tokens(indices).T.tolist(), **columns)
