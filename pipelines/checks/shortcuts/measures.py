"""Measure shortcut baselines on one table, and compare each figure with its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.core.text.strings import filter_aliases, holds, length, padded
from haymaker.releases.shortcut_limits import FEWEST, FLOORS, KINDS, OF_SOME
from haymaker.scoring.metrics import Metric
from haymaker.scoring.metrics import get as metric
from pipelines.checks.shortcuts import limits
from pipelines.checks.shortcuts.answer_formats import in_answer_format
from pipelines.checks.shortcuts.baselines import CHEATS
from pipelines.checks.shortcuts.context_reader import bodies
from pipelines.checks.shortcuts.evidence import EVIDENCE
from pipelines.checks.shortcuts.questions import asked
from pipelines.checks.shortcuts.reference_answers import BASELINES
from pipelines.checks.shortcuts.table_stats import (
    BaselineAnswer,
    RowView,
    TableStats,
    asks,
    best_constant,
    closed,
    is_about_units,
    parts,
)

SHORT_WORDS = 10
"""Maximum words of an answer that is searched for in the text read by a baseline."""
_ONCE = frozenset({"majority", "by_opening", "question_alone", *OF_SOME})
"""Baselines independent of evidence depth and option order: measured on more questions, with one row each."""


def primary(rows: Sequence[Row]) -> Metric | None:
    """Return the first strict metric that all rows have and that needs no model, or None."""
    for name in rows[0]["metrics"] if rows else ():
        if name.endswith("@strict") and all(name in row["metrics"] for row in rows):
            found = metric(name)
            if not found.needs_model and not any(map(found.lacks, rows)):
                return found
    return None


def table_stats(rows: Sequence[Row], tokenizer: Tokenizer, every: Iterable[Row]) -> TableStats:
    """Compute the statistics of a table that baselines may use.

    Args:
        rows: rows to measure.
        tokenizer: tokenizer of the release.
        every: all rows of the table, with the columns for question and answer.
    """
    groups = {row["group_id"]: row for row in every}
    answers = {group: parts(row) for group, row in groups.items()}
    questions = {group: asked(row) for group, row in groups.items()}
    differ = len(groups) < 2 or asks(questions.values())
    known, scored = TableStats(tokenizer, answers, questions, differ, texts=[*map(bodies, rows)]), primary(rows)
    if scored is None:
        return known
    return replace(known, constant=best_constant(rows, partial(known.score, scored)))


def of_rows(seen: Sequence[RowView], single: Sequence[RowView], known: TableStats) -> dict[str, Any]:
    """Return the figures of a table: `metric` ("" if none), `rows`, `questions`, `baselines` (name -> score), measures,
    and `floors` (name -> mean percent of the cheap outputs that the task declares), if there are any.

    A measure has, in percent and if available: `score` of its outputs, `found` (rows with an accepted answer in the
    text read, of rows with a short answer, if most have one), `read` (share of the context), `limit` and `found_limit`,
    and `above` (true) if a figure exceeds its limit. The figures of pipelines.checks.shortcuts.evidence are included.

    Args:
        seen: rows of whole groups.
        single: one row each of more groups, for the measures in _ONCE and the evidence measures.
        known: statistics of the table.
    """
    rows = [each.row for each in seen]
    scored = primary(rows)
    questions = len({row["group_id"] for row in rows})
    chance = limits.by_chance(rows, scored.id if scored else "")
    told = {"metric": scored.id if scored else "", "rows": len(rows), "questions": questions}
    figures = {name: _figures(CHEATS[name], single if name in _ONCE else seen, scored, known) for name in CHEATS}
    for name in _ONCE & {name for name, each in figures.items() if each}:
        figures[name]["questions"] = len(single)
    bases = {name: _figures(guess, seen, scored, known) for name, guess in BASELINES.items()}
    told |= {"baselines": {name: each["score"] for name, each in bases.items() if "score" in each}}
    if scored and known.floors:
        every = {name: [*filter(None, map(outputs, rows))] for name, outputs in known.floors.items()}
        told[FLOORS] = {name: _floor(said, rows, partial(known.score, scored)) for name, said in every.items() if said}
    figures |= {name: measure(single) for name, measure in EVIDENCE.items()}
    return told | {
        name: found | _limits(name, found, chance, known.allows.get(name, 0), questions)
        for name, found in figures.items()
    }


def _floor(said: Sequence[Sequence[str]], rows: Sequence[Row], score: Callable[[str, Row], float]) -> float:
    """Return the mean percent of cheap outputs, some for each row; a row with several outputs counts once, with their mean."""
    return round(100 * fmean(fmean(score(each, row) for each in of) for of, row in zip(said, rows, strict=True)), 2)


def _figures(
    answer: Callable[[RowView, TableStats], BaselineAnswer],
    seen: Sequence[RowView],
    scored: Metric | None,
    known: TableStats,
) -> dict[str, float]:
    """Return the score, answer coverage and share of context read of one baseline on some rows."""
    pairs = [(each.row, answer(each, known)) for each in seen]
    scores = [
        fmean(
            known.score(scored, in_answer_format(said, row, known.tokenizer), row)
            for said in (guess.said, *guess.equal)
        )
        for row, guess in pairs
        if scored and guess.said is not None
    ]
    looked_for = [(guess.read, aliases) for row, guess in pairs if guess.read is not None and (aliases := short(row))]
    most = 2 * len(looked_for) >= len(pairs)  # if most answers are long, the few short ones do not represent the table
    found = [float(holds(padded(read), aliases)) for read, aliases in looked_for if most]
    shares = [guess.share for _, guess in pairs if guess.share]
    every = {"score": scores, "found": found, "read": shares}
    return {of: round(100 * fmean(values), 2) for of, values in every.items() if values}


def _limits(name: str, found: Mapping[str, float], chance: float, allowed: int, questions: int) -> dict[str, Any]:
    """Return the limits of the available figures, and `above` if a figure exceeds its limit."""
    read, said = found.get("read", 0.0), dict[str, Any]()
    questions = int(found.get("questions", questions))
    chance = limits.half_more(found["chance"]) if "chance" in found else chance
    if "score" in found:
        said["limit"] = limits.score(name, chance, read, allowed, questions)
    if "found" in found and (limit := limits.found(name, read, allowed, questions)) is not None:
        said["found_limit"] = limit
    if questions >= FEWEST and any(round(found[of], 1) > said[limit] for of, limit in KINDS if limit in said):
        said["above"] = True
    return said


def short(row: Row) -> list[str]:
    """Return the searchable accepted answers of a row; none for closed sets, numbers of units, and long answers."""
    if closed(row) or is_about_units(row):
        return []
    return filter_aliases(answer for answer in row["answers"] if length(answer) <= SHORT_WORDS)
