"""One question from its search result to its row: locate (where gold is retrieved), filter, sample, format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from corpora.retrieval.mining.answers import JUDGED, UNANSWERED
from corpora.retrieval.mining.filter import Hits, sift
from corpora.retrieval.mining.format import Ranked, formatted
from corpora.retrieval.mining.locate import Located, with_shown
from corpora.retrieval.mining.params import MiningParams, ScreenParams
from corpora.retrieval.mining.retrieved import locate_retrieved
from corpora.retrieval.mining.sample import draw
from corpora.retrieval.mining.similarity import Sums, measure
from corpora.retrieval.mining.words import PassageWords
from corpora.stores.mined import GoldBy, MinedQuestion
from corpora.stores.passages.store import search_text
from haymaker.core.rng import Key, Stream

if TYPE_CHECKING:
    from corpora.retrieval.mining.sample import Flags
    from corpora.retrieval.search import Floats, Ints
    from corpora.stores.passages.store import Passages

Score = Callable[[str, list[str]], "Floats"]
"""A cross-encoder: question and texts -> one score each."""


@dataclass
class Miner:
    """What all questions of a set share in one process.

    Attributes:
        params: of the set.
        stream_key: of the release.
        name: of the set in the parameters.
        store: the passages.
        cross_encoder: where the parameters ask for one.
        simulated: whether the questions are: what wrote them knows which passage says the answer.
    """

    params: MiningParams
    stream_key: Key
    name: str
    store: Passages
    cross_encoder: Score | None = None
    simulated: bool = False

    def __post_init__(self) -> None:
        self._words = PassageWords(self.store)

    def mine(self, located: Located, row: Mapping[str, Any]) -> tuple[MinedQuestion | None, Located, Sums]:
        """The row of one question, or None when it is dropped (the second value says why), and figures for the plot.

        Args:
            located: the question, with its gold unless that is to be retrieved.
            row: of the search step.
        """
        passages, scores = row["passages"], row["scores"]
        gold_scores: list[float] = row["gold_scores"].tolist()
        if self.params.gold == "retrieved" and not located.gold:
            first = passages[: self.params.gold_depth]
            located = locate_retrieved(located, first, self.store)
            place = {passage: rank for rank, passage in enumerate(passages.tolist())}
            gold_scores = [float(scores[place[gold.passage]]) for gold in located.gold]
        if located.dropped:
            return None, located, {}
        if self.params.shown:
            located = with_shown(located, self.store)
        ranked = Ranked.of(passages, scores, located.shown)
        best_gold = max(gold_scores, default=None)
        hits = Hits(*ranked[:2], located.gold, best_gold, located.aliases, ranked.ranks, ranked.shown)
        left, removed = sift(hits, self.params.filter, self.store, self._words)
        kept, unused = self._draw(located, ranked, left)
        mined = formatted(located, ranked, gold_scores, kept, removed | unused, self.store, self._gold_by(located))
        gold = {gold.passage: score for gold, score in zip(located.gold, gold_scores, strict=True)}
        found = ranked.ranks[kept[kept >= ranked.shown]]
        figures = measure(located.question.text, (passages, scores), gold, found, row, self._words)
        return mined, located, figures

    def _gold_by(self, located: Located) -> GoldBy:
        """Who says that the gold of a question is gold."""
        question = located.question
        if question.kind in UNANSWERED:
            return ""
        if self.simulated:
            return "simulated"
        if question.kind in JUDGED:
            return "judged"
        verified = self.params.gold == "retrieved" or question.relation or question.subject
        return "subject" if verified else "provenance"

    def _draw(self, located: Located, ranked: Ranked, left: Ints) -> tuple[Ints, dict[str, int]]:
        """Those that the publisher shows, then as many others as are still wanted."""
        import numpy as np

        wanted = self.params.wanted(located.question.part)
        shown = left[left < ranked.shown]
        first = shown[:wanted]
        kept, unused = self._drawn(located, ranked.passages, left[len(shown) :], wanted - len(first))
        if len(shown) > len(first):
            unused["surplus"] = unused.get("surplus", 0) + len(shown) - len(first)
        return np.concatenate([first, kept]), unused

    def _drawn(self, located: Located, passages: Ints, left: Ints, wanted: int) -> tuple[Ints, dict[str, int]]:
        question = located.question
        key = (self.stream_key, "mine", self.name, question.question_id, "distractors")
        stream = Stream(*key) if self.params.sample == "keyed" else None
        rules, accepts = self.params.filter.cross_encoder, None
        if rules is not None and self.cross_encoder is not None:
            limit = self._limit(rules, located, self.cross_encoder)
            accepts = partial(self._accepts, question.text, passages, limit, self.cross_encoder)
        return draw(left, wanted, stream=stream, accepts=accepts)

    def _limit(self, rules: ScreenParams, located: Located, score: Score) -> float:
        limit = float("inf") if rules.ceiling is None else rules.ceiling
        if rules.margin is not None and located.gold:
            passage = self.store.passage(located.gold[0].passage)
            gold = score(located.question.text, [search_text(passage.title, passage.text)])
            limit = min(limit, float(gold[0]) - rules.margin)
        return limit

    def _accepts(self, question: str, passages: Ints, limit: float, score: Score, at: Ints) -> Flags:
        table = self.store.take(passages[at])
        titles, texts = table["title"].to_pylist(), table["text"].to_pylist()
        pairs = [search_text(title, text) for title, text in zip(titles, texts, strict=True)]
        accepted: Flags = score(question, pairs) <= limit
        return accepted
