"""The filter step: exclude passages that cannot be distractors; each is counted once, by the first rule.

Ten thousand passages take a quarter to half a second (docs/reference/retrieval.md): rules on ranks, scores and articles
compare arrays; aliases and near-duplicates are found in the words of all passages at once (words.py, duplicates.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora.retrieval.mining.duplicates import near_duplicates
from corpora.retrieval.mining.locate import Gold
from corpora.retrieval.mining.params import FilterParams
from corpora.retrieval.mining.stubs import disambiguation
from corpora.retrieval.mining.words import PassageWords

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from corpora.retrieval.search import Floats, Ints
    from corpora.stores.passages.store import Passages

    Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """A search result with facts about the question.

    Attributes:
        passages, scores: of the search, best first.
        gold: gold or judged passages.
        gold_score: score of the best gold; None without gold.
        aliases: padded aliases of answers.
        ranks: in the search, -1 if not found; None if equal to the positions.
        shown: number of first passages that the publisher of the question shows, whatever their ranks and scores.
    """

    passages: Ints
    scores: Floats
    gold: tuple[Gold, ...]
    gold_score: float | None
    aliases: tuple[str, ...]
    ranks: Ints | None = None
    shown: int = 0


class _Left:
    """The rest of a list, and counts per rule."""

    def __init__(self, count: int, shown: int) -> None:
        import numpy as np

        self.at: Ints = np.arange(count, dtype=np.int64)
        self.removed: dict[str, int] = {}
        self._shown = shown

    def take_out(self, reason: str, wrong: Flags) -> None:
        """Remove wrong ones among the rest."""
        if taken := int(wrong.sum()):
            self.removed[reason] = taken
            self.at = self.at[~wrong]

    def take_out_ranked(self, reason: str, wrong: Flags) -> None:
        """Remove wrong ones, except shown passages."""
        self.take_out(reason, wrong & (self.at >= self._shown))


def sift(hits: Hits, rules: FilterParams, store: Passages, words: PassageWords) -> tuple[Ints, dict[str, int]]:
    """Return the positions of possible distractors in the search result, best first, and reason -> number of others."""
    import numpy as np

    left = _Left(len(hits.passages), hits.shown)
    gold = np.array([each.passage for each in hits.gold], np.int64)
    left.take_out("gold", np.isin(hits.passages, gold))
    ranks = left.at if hits.ranks is None else hits.ranks[left.at]
    left.take_out_ranked("rank", (ranks < rules.first_rank) | (ranks >= (rules.last_rank or len(hits.passages))))
    _by_score(left, hits, rules)
    if rules.gold_article and len(gold):
        left.take_out("gold_article", _of_gold_article(hits.passages[left.at], gold, store))
    if rules.aliases and hits.aliases:
        left.take_out("alias", words.of(hits.passages[left.at]).holding(hits.aliases))
    left.take_out_ranked("disambiguation", disambiguation(hits.passages[left.at], store, words))
    left.take_out("duplicate", _repeated(store, gold, hits.passages[left.at]))
    if rules.near_duplicates is not None:
        ranked = words.of(np.concatenate([gold, hits.passages[left.at]]))
        near = near_duplicates(*ranked.text_runs(), len(ranked.ends), rules.near_duplicates, len(gold))
        left.take_out("near_duplicate", near[len(gold) :])
    return left.at, left.removed


def _by_score(left: _Left, hits: Hits, rules: FilterParams) -> None:
    if rules.score_floor is not None:
        left.take_out_ranked("score_floor", hits.scores[left.at] < rules.score_floor)
    if rules.score_ceiling is not None:
        left.take_out_ranked("score_ceiling", hits.scores[left.at] > rules.score_ceiling)
    if hits.gold_score is None:
        return
    if rules.margin is not None:
        left.take_out_ranked("margin", hits.gold_score - hits.scores[left.at] < rules.margin)
    if rules.relative_margin is not None:
        left.take_out_ranked("relative_margin", hits.scores[left.at] > hits.gold_score * (1 - rules.relative_margin))


def _of_gold_article(passages: Ints, gold: Ints, store: Passages) -> Flags:
    """Which passages are of an article of gold; a passage without an article is known by its title."""

    def names(indices: Ints) -> list[tuple[str, str]]:
        table = store.take(indices)
        pairs = zip(table["article_id"].to_pylist(), table["title"].to_pylist(), strict=True)
        return [(article, "" if article else title) for article, title in pairs]

    import numpy as np

    wrong = set(names(gold)) - {("", "")}
    return np.array([name in wrong for name in names(passages)], np.bool_)


def _repeated(store: Passages, gold: Ints, passages: Ints) -> Flags:
    """Which passages have the text of gold or of a better one."""
    import numpy as np

    hashes = store.take(np.concatenate([gold, passages]))["text_hash"].to_numpy()
    repeated = np.ones(len(hashes), np.bool_)
    repeated[np.unique(hashes, return_index=True)[1]] = False
    return repeated[len(gold) :]
