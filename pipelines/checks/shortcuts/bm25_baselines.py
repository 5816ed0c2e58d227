"""Search baselines: the unit nearest to the question, a ranking of all units, the option nearest to the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log

from haymaker.core.rng import Stream
from haymaker.core.text.strings import words
from pipelines.checks.shortcuts.answer_formats import (
    named,
    named_choice,
    nearest_choice,
    numbered,
    numbers_of,
    of_piece,
    shown,
)
from pipelines.checks.shortcuts.context_reader import Unit
from pipelines.checks.shortcuts.lengths import first_words
from pipelines.checks.shortcuts.sentences import ENDS
from pipelines.checks.shortcuts.table_stats import (
    COUNTED,
    NUMBERED,
    RANKED,
    BaselineAnswer,
    RowView,
    TableStats,
    by_letter,
    has_options,
    names,
)

FIRST = 10
"""Number of units listed in a ranking; the metric ignores later ones."""
SHUFFLES = 8
"""Number of random orders per row; their mean is the score."""
_ID = re.compile(r" \[ID: (\d+)\]:")
_DECIMALS = 9


def bm25_top1(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer from the unit nearest to the question, else from the context start; no output for counts, rankings."""
    row = seen.row
    if (COUNTED | RANKED) & set(names(row)):
        return BaselineAnswer(None)
    if not (known.asks and row["question"]):
        lead = first_words(seen.text, known.tokenizer, row["max_new_tokens"])
        return BaselineAnswer(nearest_choice(row, lead) if by_letter(row) else lead, lead, seen.share(len(lead)))
    unit = seen.nearest
    return (
        BaselineAnswer(None)
        if unit is None
        else BaselineAnswer(_nearest(seen, unit), unit.text, seen.share(unit.end - unit.start))
    )


def _nearest(seen: RowView, unit: Unit) -> str | None:
    row = seen.row
    if NUMBERED & set(names(row)):
        return numbered(row, seen.units, unit)
    if by_letter(row):
        return named_choice(row, seen.units, seen.units) or nearest_choice(row, unit.text)
    return shown(row, unit) if unit.kind == "shot" else of_piece(seen, unit.text)


def bm25_order(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer ranking tasks with the BM25 order for the question."""
    return _ordered(seen, [seen.ranked]) if RANKED & set(names(seen.row)) else BaselineAnswer(None)


def random_order(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Answer ranking tasks with the mean of several random orders."""
    if not RANKED & set(names(seen.row)):
        return BaselineAnswer(None)
    stream = Stream("shortcuts", "random_order", seen.row["group_id"])
    return _ordered(seen, [stream.shuffled(seen.marked) for _ in range(SHUFFLES)])


def _ordered(seen: RowView, orders: Sequence[Sequence[Unit]]) -> BaselineAnswer:
    ids = _ids(seen)
    said = [" > ".join(ids[unit.start] for unit in order[:FIRST] if unit.start in ids) for order in orders]
    return BaselineAnswer(said[0], equal=tuple(said[1:]))


def _ids(seen: RowView) -> dict[int, str]:
    """Return start of a unit in the prompt -> id printed before it."""
    ends = [seen.row["context_start"], *(unit.end for unit in seen.marked)]
    leads = zip(ends, seen.marked, strict=False)
    found = {unit.start: _ID.search(seen.row["prompt"], end, unit.start) for end, unit in leads}
    return {start: match[1] for start, match in found.items() if match}


def option_overlap(seen: RowView, known: TableStats) -> BaselineAnswer:
    """Choose the option nearest to the question: score of the best sentence, its share of option words times its
    question words weighted by rarity. Tied options share the score. Options that name units are left to bm25_top1.
    """
    row = seen.row
    if not has_options(row) or numbers_of(row):
        return BaselineAnswer(None)
    sentences, weights = _sentences(seen.text)
    asked = set(words(row["question"])) & weights.keys()
    gains = [(each, sum(weights[word] for word in sorted(each & asked))) for each in sentences if each & asked]
    scores = [round(_near(set(words(choice)), gains), _DECIMALS) for choice in row["choices"]]
    return named(row, [choice for choice, score in zip(row["choices"], scores, strict=True) if score == max(scores)])


def _near(option: set[str], gains: Sequence[tuple[frozenset[str], float]]) -> float:
    """Return the best sentence score: share of the option words in the sentence, times its gain for the question."""
    return max((len(option & sentence) * gain for sentence, gain in gains), default=0.0) / max(1, len(option))


@lru_cache(maxsize=1)
def _sentences(text: str) -> tuple[list[frozenset[str]], dict[str, float]]:
    """Return the words of each sentence or line, and the log inverse sentence frequency of each word. Cached, since
    consecutive rows often differ only in the order of options.
    """
    found = [frozenset(words(sentence)) for sentence in ENDS.split(text)]
    counts = Counter(word for sentence in found for word in sentence)
    return found, {word: log(1 + len(found) / count) for word, count in counts.items()}
