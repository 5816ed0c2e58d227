"""One question from its search result to its row: locate (where gold is retrieved), filter, sample, format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpora.retrieval.mining.answers import JUDGED, UNANSWERED
from corpora.retrieval.mining.filter import Hits, sift
from corpora.retrieval.mining.format import Ranked, formatted
from corpora.retrieval.mining.locate import Located, with_shown
from corpora.retrieval.mining.params import MiningParams
from corpora.retrieval.mining.retrieved import locate_retrieved
from corpora.retrieval.mining.similarity import Sums, measure
from corpora.retrieval.mining.words import PassageWords
from corpora.stores.mined import GoldBy, MinedQuestion
from haymaker.core.rng import Key, Stream, digest
from haymaker.core.rows.interleave import round_robin_relations
from haymaker.core.rows.source_records import Question

if TYPE_CHECKING:
    from corpora.retrieval.search import Ints
    from corpora.stores.passages.store import Passages


@dataclass
class Miner:
    """Shared state of the questions of a set in one process.

    Attributes:
        params: of the set.
        stream_key: of the release.
        name: of the set in the parameters.
        store: the passages.
        simulated: whether the questions are simulated, so that their gold is known exactly.
    """

    params: MiningParams
    stream_key: Key
    name: str
    store: Passages
    simulated: bool = False

    def __post_init__(self) -> None:
        self._words = PassageWords(self.store)

    def mine(self, located: Located, row: Mapping[str, Any]) -> tuple[MinedQuestion | None, Located, Sums]:
        """Return the row of a question (None if dropped), the question with its gold, and figures for the plot.

        Args:
            located: the question, with its gold unless that is to be retrieved.
            row: result of the search step.
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
        if self.params.include_released_passages:
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
        """Choose shown passages, then others up to the wanted number."""
        import numpy as np

        wanted = self.params.wanted(located.question.split)
        shown = left[left < ranked.shown]
        first = shown[:wanted]
        kept, unused = self._drawn(located, left[len(shown) :], wanted - len(first))
        if len(shown) > len(first):
            unused["surplus"] = unused.get("surplus", 0) + len(shown) - len(first)
        return np.concatenate([first, kept]), unused

    def _drawn(self, located: Located, left: Ints, wanted: int) -> tuple[Ints, dict[str, int]]:
        key = (self.stream_key, "mine", self.name, located.question.question_id, "distractors")
        stream = Stream(*key) if self.params.sample == "keyed" else None
        return draw(left, wanted, stream)


def in_keyed_order(questions: Iterable[Question], *key: Key) -> list[Question]:
    """Order questions by key, with relations and their answers interleaved: every prefix is a sample.

    More questions keep the earlier ones; questions added to a set move only questions of the same relation.
    """
    return round_robin_relations(
        sorted(questions, key=lambda each: (digest(*key, each.question_id), each.question_id)),
        lambda each: each.relation,
        lambda each: each.answers,
    )


def draw(left: Ints, wanted: int, stream: Stream | None) -> tuple[Ints, dict[str, int]]:
    """Choose distractors, the first or drawn: positions, best first, and reason -> number of others."""
    import numpy as np

    order = left if stream is None else np.array(stream.shuffled(left.tolist()), np.int64)
    return np.sort(order[:wanted]), {"surplus": len(order) - wanted} if len(order) > wanted else {}
