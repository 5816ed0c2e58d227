"""What the cheats get: figures of one table, and the limits above which the card marks them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.text import filter_aliases, holds, padded
from pipelines.shortcuts.cheats import CHEATS, Guess, Known, asks, best_constant, closed, is_about_units, spoken
from scoring.metrics import Metric
from scoring.metrics import get as metric

SHORT_WORDS = 10
"""Words of the longest answer that is looked for in what was read."""
ENOUGH_ROWS = 10
"""Rows below which no figure is marked: chance alone would do it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Percent that a cheat should not be above.

    Attributes:
        score: of its outputs, by the metric.
        found: of rows in which what it read holds an answer, beyond the percent of the context that it read; None: it reads
            nothing.
    """

    score: int
    found: int | None = None


LIMITS: Mapping[str, Limit] = {
    "closed_book": Limit(score=25, found=20),
    "majority": Limit(score=25),
    "last_1k": Limit(score=30, found=25),
    "bm25_top1": Limit(score=40, found=60),
}


def primary(rows: Sequence[Row]) -> Metric | None:
    """The first strict metric that all rows have and that needs no model; None where there is none."""
    for name in rows[0]["metrics"] if rows else ():
        if name.endswith("@strict") and all(name in row["metrics"] for row in rows):
            found = metric(name)
            if not found.needs_model and not any(map(found.lacks, rows)):
                return found
    return None


def known_of(rows: Sequence[Row], tokenizer: Tokenizer, answers: Mapping[str, str], questions: Iterable[str]) -> Known:
    """What is known of a table before any of its rows is looked at.

    Args:
        rows: those that are measured.
        tokenizer: of the release.
        answers: group -> its first answer, of all rows of the table.
        questions: of all of them.
    """
    known, scored = Known(tokenizer, answers, len(answers) < 2 or asks(questions)), primary(rows)
    if scored is None:
        return known
    return replace(known, constant=best_constant(rows, scored.function))


def of_rows(rows: Sequence[Row], known: Known) -> dict[str, Any]:
    """Figures of a table: `metric` ("" where there is none), `rows`, and per cheat, in percent and where there is one: `score` of
    its outputs, `found` (rows in which what it read holds a short accepted answer as whole words, of those that have one; where
    most have), `read` of the context.
    """
    scored = primary(rows)
    guesses = {name: [cheat(row, known) for row in rows] for name, cheat in CHEATS.items()}
    figures = {name: _figures(rows, found, scored, known.tokenizer) for name, found in guesses.items()}
    return {"metric": scored.id if scored else "", "rows": len(rows), **figures}


def _figures(
    rows: Sequence[Row], guesses: Sequence[Guess], scored: Metric | None, tokenizer: Tokenizer
) -> dict[str, float]:
    pairs = list(zip(rows, guesses, strict=True))
    scores = [
        float(scored.function(spoken(guess.said, row, tokenizer), row))
        for row, guess in pairs
        if scored and guess.said is not None
    ]
    looked_for = [(guess.read, aliases) for row, guess in pairs if guess.read is not None and (aliases := short(row))]
    most = 2 * len(looked_for) >= len(rows)  # where most answers are long, the few short ones say nothing of the table
    found = [float(holds(padded(read), aliases)) for read, aliases in looked_for if most]
    shares = [guess.share for guess in guesses if guess.share]
    every = {"score": scores, "found": found, "read": shares}
    return {name: round(100 * fmean(values), 2) for name, values in every.items() if values}


def short(row: Row) -> list[str]:
    """Accepted answers of a row that can be looked for; none where it is of a closed set, a number of units, or long."""
    if closed(row) or is_about_units(row):
        return []
    return filter_aliases(answer for answer in row["answers"] if len(answer.split()) <= SHORT_WORDS)


def above(figures: Mapping[str, Any], name: str) -> bool:
    """Whether a cheat gets more than its limit, in a table with rows enough to say so."""
    found, limit = figures[name], LIMITS[name]
    if figures["rows"] < ENOUGH_ROWS:
        return False
    too_often = limit.found is not None and found.get("found", 0) > limit.found + found.get("read", 0)
    return bool(too_often or found.get("score", 0) > limit.score)
