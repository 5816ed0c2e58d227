"""Similarity of passages to the question, by kind and rank, to show that mined distractors are hard.

Two figures per passage: the score of the retriever, and the share of the question's words of more than three letters in
it. Kinds: gold, mined (kept distractors), lexical (first results of plain BM25, unfiltered), random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from corpora.retrieval.mining.search import YARDSTICK_HITS
from corpora.retrieval.mining.words import PassageWords

if TYPE_CHECKING:
    from corpora.retrieval.search import Floats, Ints

HEADER = ("kind", "rank", "passages", "score", "overlap")
YARDSTICKS = ("lexical", "random")
_PER_BIN = 10  # passages looked at per question, kind and bin, evenly spaced
_BINS = (10, 100, 1000, 10_000)
_UNRANKED = "none"

Sums = dict[str, list[float]]
"""kind,rank -> passages, sum of scores, sum of overlaps."""


def rank_bin(rank: int | None) -> str:
    """Name of the bin of a rank."""
    if rank is None:
        return _UNRANKED
    first = max([0, *(edge for edge in _BINS if edge <= rank)])
    last = next((edge - 1 for edge in _BINS if edge > rank), "")
    return f"{first}-{last}"


def measure(
    question: str, hits: tuple[Ints, Floats], gold: Mapping[int, float], kept: Ints, row: Mapping[str, Any],
    words: PassageWords,
) -> Sums:  # fmt: skip
    """Return sums over a few passages of one question.

    Args:
        question: its text.
        hits: passages and scores of the search, best first.
        gold: passage -> score.
        kept: positions of the distractors in the search result.
        row: result of the search step, with its yardsticks.
        words: words of the passages.
    """
    import numpy as np

    passages, scores = hits
    place = {passage: rank for rank, passage in enumerate(passages.tolist())}
    points = [("gold", rank_bin(place.get(passage)), passage, score) for passage, score in gold.items()]
    for ranks in np.split(kept, np.searchsorted(kept, _BINS)):
        points += [
            ("mined", rank_bin(rank), int(passages[rank]), float(scores[rank])) for rank in _spread(ranks.tolist())
        ]
    for kind in YARDSTICKS:
        name = rank_bin(0) if kind == "lexical" else _UNRANKED
        found = zip(row.get(kind, ())[:YARDSTICK_HITS], row.get(f"{kind}_scores", ()), strict=False)
        points += [(kind, name, int(passage), float(score)) for passage, score in found]
    overlaps = words.of(np.array([passage for *_, passage, _ in points], np.int64)).overlap(question)
    sums: Sums = {}
    for (kind, name, _, score), overlap in zip(points, overlaps, strict=True):
        add(sums, {f"{kind},{name}": [1, score, overlap]})
    return sums


def _spread(ranks: list[int]) -> list[int]:
    """Up to _PER_BIN of them, evenly spaced, the first included."""
    step = max(1, -(-len(ranks) // _PER_BIN))
    return ranks[::step]


def add(sums: Sums, more: Sums) -> None:
    """Add further sums."""
    for key, values in more.items():
        sums[key] = [a + b for a, b in zip(sums.get(key, [0, 0.0, 0.0]), values, strict=True)]


def table(parts: Iterable[Sums]) -> str:
    """The means as CSV; the parts in a fixed order, since sums of floats depend on it."""
    sums: Sums = {}
    for part in parts:
        add(sums, part)
    order = ("gold", "mined", *YARDSTICKS)
    lines = [",".join(HEADER)]
    for key in sorted(sums, key=lambda key: (order.index(key.split(",")[0]), _first(key))):
        count, score, overlap = sums[key]
        lines.append(f"{key},{int(count)},{score / count:.4f},{overlap / count:.4f}")
    return "\n".join(lines) + "\n"


def _first(key: str) -> float:
    rank = key.split(",")[1]
    return float("inf") if rank == _UNRANKED else int(rank.split("-")[0])
