"""The format step: a mined question with the texts of its passages, their tokens, ranks and scores."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.retrieval.mining.locate import Located
from corpora.stores.mined import GoldBy, MinedPassages, MinedQuestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.retrieval.search import Floats, Ints
    from corpora.stores.passages.store import Passages


class Ranked(NamedTuple):
    """A search result, best first, after the passages that the publisher of the question shows.

    Attributes:
        passages: each once.
        scores: of the search; NaN if not found.
        ranks: in the search; -1 if not found.
        shown: number of passages of the publisher.
    """

    passages: Ints
    scores: Floats
    ranks: Ints
    shown: int

    @staticmethod
    def of(passages: Ints, scores: Floats, shown: Sequence[int]) -> Ranked:
        """The result of a search with some passages put in front."""
        import numpy as np

        first = np.array(shown, np.int64)
        place = {passage: rank for rank, passage in enumerate(passages.tolist())}
        ranks = np.array([place.get(passage, -1) for passage in shown], np.int64)
        front = np.array([np.nan if rank < 0 else scores[rank] for rank in ranks], scores.dtype)
        rest = np.flatnonzero(~np.isin(passages, first))
        return Ranked(
            np.concatenate([first, passages[rest]]),
            np.concatenate([front, scores[rest]]),
            np.concatenate([ranks, rest]),
            len(shown),
        )


def formatted(
    located: Located,
    hits: Ranked,
    gold_scores: Sequence[float],
    kept: Ints,
    removed: dict[str, int],
    store: Passages,
    gold_source: GoldBy,
) -> MinedQuestion:
    """Return one row of the mined file.

    Args:
        located: the question and its gold.
        hits: candidates for distractors.
        gold_scores: of the gold, in its order.
        kept: positions of the distractors in `hits`.
        removed: reason -> number of excluded hits.
        store: the passages.
        gold_source: source of the gold label.
    """
    import numpy as np

    gold = np.array([each.passage for each in located.gold], np.int64)
    place = {
        passage: rank for passage, rank in zip(hits.passages.tolist(), hits.ranks.tolist(), strict=True) if rank >= 0
    }
    question = located.question
    return MinedQuestion(
        question_id=question.question_id,
        split=question.split,
        question=question.text,
        kind=question.kind,
        answers=list(question.answers),
        answer_groups=[list(group) for group in question.answer_groups],
        readings=list(question.readings),
        references=list(question.references),
        popularity=question.popularity,
        twin_of=question.twin_of,
        relation=question.relation,
        gold_source=gold_source,
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
            hits.passages[kept],
            rank=[None if rank < 0 else rank for rank in hits.ranks[kept].tolist()],
            score=[None if isnan(score) else score for score in hits.scores[kept].tolist()],
            grade=[None] * len(kept),
            supports=[[] for _ in kept],
        ),
        removed=removed,
        searched=len(hits.passages),
        shown=int((kept < hits.shown).sum()),
    )


def _passages(store: Passages, indices: Ints, **columns: Any) -> MinedPassages:
    table = store.take(indices)
    texts = {name: table[name].to_pylist() for name in ("passage_id", "article_id", "title", "section", "text")}
    return MinedPassages(**texts, tokens=store.tokens(indices).T.tolist(), **columns)
