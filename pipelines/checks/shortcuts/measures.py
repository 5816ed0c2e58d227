"""What the cheats get: figures of one table, each with its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row
from haymaker.core.text.strings import filter_aliases, holds, length, padded
from haymaker.releases.shortcuts import FEWEST, KINDS, OF_SOME
from haymaker.scoring.metrics import Metric
from haymaker.scoring.metrics import get as metric
from pipelines.checks.shortcuts import limits
from pipelines.checks.shortcuts.answer_formats import in_answer_format
from pipelines.checks.shortcuts.baselines import BASELINES
from pipelines.checks.shortcuts.evidence import EVIDENCE
from pipelines.checks.shortcuts.questions import asked
from pipelines.checks.shortcuts.shortcut_answers import CHEATS
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
"""Words of the longest answer that is looked for in what was read."""
_ONCE = frozenset({"majority", "by_opening", "question_alone", *OF_SOME})
"""Those to which neither the depth of the evidence nor the order of the options matters: a row a question, of more questions."""


def primary(rows: Sequence[Row]) -> Metric | None:
    """The first strict metric that all rows have and that needs no model; None if there is none."""
    for name in rows[0]["metrics"] if rows else ():
        if name.endswith("@strict") and all(name in row["metrics"] for row in rows):
            found = metric(name)
            if not found.needs_model and not any(map(found.lacks, rows)):
                return found
    return None


def table_stats(rows: Sequence[Row], tokenizer: Tokenizer, every: Iterable[Row]) -> TableStats:
    """What is known of a table before any of its rows is looked at.

    Args:
        rows: those that are measured.
        tokenizer: of the release.
        every: all rows of the table, with the columns that say question and answer.
    """
    groups = {row["group_id"]: row for row in every}
    answers = {group: parts(row) for group, row in groups.items()}
    questions = {group: asked(row) for group, row in groups.items()}
    differ = len(groups) < 2 or asks(questions.values())
    known, scored = TableStats(tokenizer, answers, questions, differ), primary(rows)
    if scored is None:
        return known
    return replace(known, constant=best_constant(rows, partial(known.score, scored)))


def of_rows(seen: Sequence[RowView], single: Sequence[RowView], known: TableStats) -> dict[str, Any]:
    """Figures of a table: `metric` ("" where there is none), `rows`, `questions`, `baselines` (the score of each), and per measure, in percent and where there is one:
    `score` of its outputs, `found` (rows in which what it read holds a short accepted answer as whole words, of those that have
    one; where most have), `read` of the context, `limit` and `found_limit` of the two, `above` (true) where one is above. Where the
    evidence is, is said as pipelines.checks.shortcuts.evidence has it.

    Args:
        seen: rows, whole groups.
        single: one of each of more groups, for _ONCE, which say how many `questions` they are of.
        known: of the table.
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
    figures |= {name: measure(single) for name, measure in EVIDENCE.items()}
    return told | {
        name: found | _limits(name, found, chance, known.allows.get(name, 0), questions)
        for name, found in figures.items()
    }


def _figures(
    answer: Callable[[RowView, TableStats], BaselineAnswer],
    seen: Sequence[RowView],
    scored: Metric | None,
    known: TableStats,
) -> dict[str, float]:
    """What a way to answer gets of rows."""
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
    most = 2 * len(looked_for) >= len(pairs)  # where most answers are long, the few short ones say nothing of the table
    found = [float(holds(padded(read), aliases)) for read, aliases in looked_for if most]
    shares = [guess.share for _, guess in pairs if guess.share]
    every = {"score": scores, "found": found, "read": shares}
    return {of: round(100 * fmean(values), 2) for of, values in every.items() if values}


def _limits(name: str, found: Mapping[str, float], chance: float, allowed: int, questions: int) -> dict[str, Any]:
    """Limits of the figures that are there, and whether one of these is above its own."""
    read, said = found.get("read", 0.0), dict[str, Any]()
    questions = int(found.get("questions", questions))
    if "score" in found:
        said["limit"] = limits.score(name, chance, read, allowed, questions)
    if "found" in found and (limit := limits.found(name, read, allowed, questions)) is not None:
        said["found_limit"] = limit
    if questions >= FEWEST and any(found[of] > said[limit] for of, limit in KINDS if limit in said):
        said["above"] = True
    return said


"""What is held to a limit, and the limit."""


def short(row: Row) -> list[str]:
    """Accepted answers of a row that can be looked for; none where it is of a closed set, a number of units, or long."""
    if closed(row) or is_about_units(row):
        return []
    return filter_aliases(answer for answer in row["answers"] if length(answer) <= SHORT_WORDS)
