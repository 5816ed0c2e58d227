"""The odd-line-out cheat: finding facts in a finished row without reading them, because they look unlike their background.

A word trigram model learns from other documents of the same corpus and scores each sentence of the row; simpler cheats go
by length, rare words, or likeness. Facts of a BABILong row are odd lines in any book; a simulated background is at fault only
where they are easier to find in it than in real books.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.stores.sentences.split import Splitter

from .trigrams import Trigrams, lowered

TOP = 10
_TEMPLATES = 400


@dataclass(frozen=True)
class Row:
    """The sentences of a finished context, as a reader who sees only the text would cut them.

    Attributes:
        task: of the suite.
        sentences: in order.
        facts: indices of the sentences that hold a fact.
        supports: of which the answer needs.
    """

    task: str
    sentences: tuple[str, ...]
    facts: frozenset[int]
    supports: frozenset[int]


def cut(task: str, prompt: str, context: tuple[int, int], spans: Iterable[Mapping[str, Any]], split: Splitter) -> Row:
    """Cut a row's context into sentences and mark those that overlap a fact.

    Args:
        task: its name.
        prompt: the finished text.
        context: first character of the context, and one past the last.
        spans: with `kind`, `start`, `end` in prompt coordinates.
        split: finds sentences.
    """
    begin, end = context
    text = prompt[begin:end]
    places = list(split(text))
    marked: dict[str, set[int]] = {"fact": set(), "support": set()}
    for span in spans:
        if span["kind"] in marked and begin <= span["start"] < end:
            a, b = span["start"] - begin, span["end"] - begin
            marked[span["kind"]] |= {i for i, (x, y) in enumerate(places) if min(b, y) - max(a, x) > (b - a) // 2}
    facts = frozenset(marked["fact"] | marked["support"])
    return Row(task, tuple(text[a:b] for a, b in places), facts, frozenset(marked["support"]))


def templates(facts: Iterable[str]) -> list[str]:
    """Different facts of other stories, for the cheat that has seen some; a few hundred, evenly spaced."""
    found = list(dict.fromkeys(facts))
    return found[:: max(1, len(found) // _TEMPLATES)]


def scores(row: Row, model: Trigrams, known: Sequence[str]) -> dict[str, list[float]]:
    """Cheat -> one score per sentence; the higher, the more it takes the sentence for a fact.

    surprise: bits per word of the model; smooth: the reverse; short: fewest words; rare: share of rare words; twins: likeness to
    the nearest other sentence of the row (facts resemble each other); seen: likeness to the nearest of `known`, facts of
    other rows.
    """
    words = [lowered(sentence) for sentence in row.sentences]
    bits = [statistics.fmean(each) if each else 0.0 for each in map(model.bits, row.sentences)]
    return {
        "surprise": bits,
        "smooth": [-bit for bit in bits],
        "short": [-float(len(each)) for each in words],
        "rare": [sum(map(model.is_rare, each)) / max(1, len(each)) for each in words],
        "twins": _nearest(words, words, itself=True),
        "seen": _nearest(words, [lowered(sentence) for sentence in known], itself=False),
    }


def _nearest(words: Sequence[Sequence[str]], others: Sequence[Sequence[str]], *, itself: bool) -> list[float]:
    """Greatest share of words in common, in order, with any of `others` (but for the sentence itself); 0 without any."""
    import numpy as np
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    codes: dict[str, str] = {}
    spell = [
        ["".join(codes.setdefault(w, chr(0x10000 + len(codes))) for w in each) for each in side]
        for side in (words, others)
    ]
    if not spell[1]:
        return [0.0] * len(words)
    likeness = cdist(*spell, scorer=Indel.normalized_similarity, dtype=np.float32)
    if itself:
        np.fill_diagonal(likeness, 0.0)
    return [float(value) for value in likeness.max(axis=1)]


@dataclass(frozen=True)
class Success:
    """How a cheat fared on one row.

    Attributes:
        auc: chance that a fact scores above a background sentence (ties count half).
        precision: share of facts among as many top sentences as there are facts.
        supported: every supporting fact is among the ten top sentences.
    """

    auc: float
    precision: float
    supported: bool


def judge(values: Sequence[float], row: Row) -> Success:
    """Rank the sentences; equal scores in the least favourable order for the cheat."""
    order = sorted(range(len(values)), key=lambda i: (-values[i], i in row.facts, i))
    top = order[: len(row.facts)]
    return Success(
        area([values[i] for i in sorted(row.facts)], [v for i, v in enumerate(values) if i not in row.facts]),
        len(row.facts.intersection(top)) / len(row.facts),
        row.supports <= set(order[:TOP]),
    )


def area(above: Sequence[float], below: Sequence[float]) -> float:
    """Area under the ROC curve: share of pairs in the right order, ties half."""
    from bisect import bisect_left, bisect_right

    ranked = sorted(below)
    won = sum(bisect_left(ranked, value) + bisect_right(ranked, value) for value in above)
    return won / (2 * len(above) * len(below))


def judged(row: Row, model: Trigrams, known: Sequence[str]) -> dict[str, Success]:
    """Cheat -> how it fared on a row.

    Args:
        row: with at least one fact and one other sentence.
        model: trained on documents that do not stand in the row.
        known: facts of other stories of the task.
    """
    return {cheat: judge(values, row) for cheat, values in scores(row, model, known).items()}


def summary(rows: Sequence[Mapping[str, Success]]) -> dict[str, dict[str, float]]:
    """Cheat -> means over judged rows of auc, precision and supported."""
    return {
        cheat: {
            "auc": statistics.fmean(row[cheat].auc for row in rows),
            "precision": statistics.fmean(row[cheat].precision for row in rows),
            "supported": statistics.fmean(row[cheat].supported for row in rows),
        }
        for cheat in rows[0]
    }
