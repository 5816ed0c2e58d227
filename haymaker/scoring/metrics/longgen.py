"""Scores of long outputs: entries and the events that they contain (docs/spec/longgenbench.md 4, 6, 7).

Scores are per row: CR is entries found / entries requested, STIC-2 is places with their event / places required.
Published figures are over whole files: `haymaker score --aggregate longgenbench`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.scoring.judges.judge import NOBODY, active_judge
from haymaker.scoring.longgen.entries import COLUMNS, Plan, read_officially
from haymaker.scoring.longgen.figures import judged, own_figures, share_told
from haymaker.scoring.metrics import Metric, pair
from haymaker.scoring.reader import harmonic

_NO_REPLY = "no reply of a judge"
_NO_EVENTS = "no events demanded"


def cr_strict(output: str, row: Mapping[str, Any]) -> float:
    """Entries found / entries requested, by headers at the beginning of a block."""
    plan = Plan.of(row)
    return len(own_figures(output, plan).found) / plan.entries


def cr_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: by the first number after the unit, anywhere in a block."""
    plan = Plan.of(row)
    return len(read_officially(output, plan).found(plan)) / plan.entries


def stic_strict(output: str, row: Mapping[str, Any]) -> float:
    """Places with their event, by the rule / places that the row requires.

    Differs from the reference, which uses a model at temperature 0.95 (docs/spec/longgenbench.md 6, row 5).
    """
    plan = Plan.of(row)
    return share_told(own_figures(output, plan).verdicts, plan)


def stic_official(output: str, row: Mapping[str, Any]) -> float:
    """Places with their event by a judge's replies / required places, read by the reference's rules."""
    return share_told(judged(output, row).verdicts, Plan.of(row))


def precision_strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of the entries with an event, by the rule, that require it; 0 if there are none.

    Differs from the reference, which accepts an event in every entry (docs/spec/longgenbench.md 6, row 18).
    """
    right, wrong = own_figures(output, Plan.of(row)).told
    return right / max(1, right + wrong)


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Harmonic mean of STIC-2 and precision; an event repeated in every entry is wrong in most of them."""
    return harmonic(stic_strict(output, row), precision_strict(output, row))


def whole_strict(output: str, row: Mapping[str, Any]) -> float:
    """`f1_strict` times the share of requested entries that exist, are long enough and mostly new (`Texts.mostly_new`).

    Differs from the reference, which scores events and completion separately and accepts copies.
    """
    plan = Plan.of(row)
    return f1_strict(output, row) * own_figures(output, plan).whole / plan.entries


def words_strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of the entries found that have at least the requested words; 0 if none is found."""
    reading = own_figures(output, Plan.of(row))
    return len(reading.long_enough) / max(1, len(reading.found))


def order_strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of consecutive entries whose number rises; 1 for a single entry, 0 without entries."""
    reading = own_figures(output, Plan.of(row))
    rising, neighbours = reading.form["rising"], reading.form["neighbours"]
    return rising / neighbours if neighbours else float(len(reading.reading.entries))


def fresh_strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of runs of eight words that did not occur before; 0 without runs."""
    form = own_figures(output, Plan.of(row)).form
    return (form["windows"] - form["repeated"]) / max(1, form["windows"])


def missing_requirements(row: Mapping[str, Any]) -> str:
    """Return why no output of a row can be scored by events, or an empty string."""
    return "" if any(check["indices"] for check in row["output_constraints"] or ()) else _NO_EVENTS


def _unjudged(row: Mapping[str, Any]) -> str:
    return missing_requirements(row) or (_NO_REPLY if active_judge().name == NOBODY else "")


def _unanswered(output: str, row: Mapping[str, Any]) -> str:
    """Return why an output is not scored: places with an entry need a reply (a missing reply is not a "no")."""
    return _NO_REPLY if None in judged(output, row).verdicts.values() else ""


def _strict(name: str, doc: str, function: Any, version: int = 3, **options: Any) -> Metric:
    return Metric(f"longgen_{name}@strict", version, doc, function, COLUMNS, demands=Plan.missing, **options)


_STIC = "Share of the places of required events whose entry contains the event"
_WHOLE = "`longgen_f1` times the share of requested entries that are present, long enough and mostly new."
_F1 = "Harmonic mean of `longgen_stic` and `longgen_precision`."

METRICS = (
    *pair("longgen_cr", "Share of the requested entries that are present.", cr_strict, cr_official, COLUMNS, strict_version=3, demands=Plan.missing),
    _strict("stic", f"{_STIC}.", stic_strict, lacks=missing_requirements),
    Metric(
        "longgen_stic@official", 2, f"{_STIC}, by a judge. By the reference's rule, including its defects.", stic_official, COLUMNS,
        needs_model=True, lacks=_unjudged, lacks_for=_unanswered, demands=Plan.missing, judge=lambda: active_judge().name,
    ),
    _strict("precision", "Share of the entries with an event that require this event.", precision_strict, 4, lacks=missing_requirements),
    _strict("f1", _F1, f1_strict, lacks=missing_requirements),
    _strict("whole", _WHOLE, whole_strict, lacks=missing_requirements),
    _strict("words", "Share of the entries found that have the requested number of words.", words_strict, 4),
    _strict("order", "Share of neighbouring entries whose number rises.", order_strict),
    _strict("fresh", "Share of runs of eight words that did not occur before.", fresh_strict),
)  # fmt: skip
