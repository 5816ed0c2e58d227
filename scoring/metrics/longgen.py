"""Long outputs, entry by entry: which entries are there, and whether each tells what it must (docs/spec/longgenbench.md 4, 6, 7).

A row's score is its own share: CR is entries found of all, STIC-2 is places told of all that are demanded, so an entry that is missing tells
nothing. The published figures are of whole files: `haymaker score --aggregate longgenbench`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.judge import NOBODY, current
from scoring.longgen.asking import reply_to, verdict
from scoring.longgen.figures import Output, by_judge, complete, ours, share_told
from scoring.longgen.plan import COLUMNS, Plan
from scoring.longgen.reading import read_officially
from scoring.metrics import Metric, pair

_NO_REPLY = "no reply of a judge"
_NO_EVENTS = "no events demanded"


def cr_strict(output: str, row: Mapping[str, Any]) -> float:
    """Entries found of all that the row wants, by headers at the beginning of their block."""
    plan = Plan.of(row)
    return complete(ours(output, plan).reading, plan).share


def cr_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: by the first number behind the unit, wherever in a block it stands."""
    plan = Plan.of(row)
    return complete(read_officially(output, plan), plan).share


def stic_strict(output: str, row: Mapping[str, Any]) -> float:
    """Places where an event is told, by the rule judge, of all that the row demands.

    Differs from the reference, which asks a model at temperature 0.95 (docs/spec/longgenbench.md 6, row 5).
    """
    plan = Plan.of(row)
    return share_told(ours(output, plan).verdicts, plan)


def stic_official(output: str, row: Mapping[str, Any]) -> float:
    """The same by a judge's replies, with the reference's reading of output and replies."""
    return share_told(judged(output, row).verdicts, Plan.of(row))


def judged(output: str, row: Mapping[str, Any]) -> Output:
    """An output by the current judge's replies (scoring/judge.py)."""
    replies = current()
    return by_judge(output, Plan.of(row), lambda place: verdict(reply_to(replies, row["id"], place)))


def precision_strict(output: str, row: Mapping[str, Any]) -> float:
    """Of the entries in which an event is told, by the rule judge, those that should tell it; 0 where none is told.

    Differs from the reference, which has nothing against an event in every entry (docs/spec/longgenbench.md 6, row 18).
    """
    found = ours(output, Plan.of(row)).told
    return found.right / max(1, found.right + found.wrong)


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """Harmonic mean of stic and precision: an event in every entry is told, and wrongly so nearly everywhere."""
    wanted, right = stic_strict(output, row), precision_strict(output, row)
    return 2 * wanted * right / (wanted + right) if wanted else 0.0


def whole_strict(output: str, row: Mapping[str, Any]) -> float:
    """`f1_strict` times the share of the wanted entries that are there, long enough and mostly new text.

    An entry with less than half of its runs of eight words new (not in it or an earlier entry before) is a copy: one word or one paragraph
    repeated does not count, with other numbers either.

    Differs from the reference, which scores events and completion separately and accepts copies: the entries that must tell an event, a
    line each and none of the others, have an F1 of 1.
    """
    plan = Plan.of(row)
    return f1_strict(output, row) * ours(output, plan).whole / plan.entries


def words_strict(output: str, row: Mapping[str, Any]) -> float:
    """Of the entries found, those with at least the words that the row asks for; 0 where none is found."""
    plan = Plan.of(row)
    found = ours(output, plan)
    return found.long_enough / max(1, complete(found.reading, plan).found)


def order_strict(output: str, row: Mapping[str, Any]) -> float:
    """Of neighbouring entries, those whose number rises; 1 of a single entry, 0 of none."""
    form = ours(output, Plan.of(row)).form
    return form.rising / form.neighbours if form.neighbours else float(form.entries)


def fresh_strict(output: str, row: Mapping[str, Any]) -> float:
    """Of runs of eight words, those that did not stand before; 0 where there is none."""
    form = ours(output, Plan.of(row)).form
    return (form.windows - form.repeated) / max(1, form.windows)


def lacks(row: Mapping[str, Any]) -> str:
    """Why no output of a row can be scored by events."""
    return "" if any(check["indices"] for check in row["checks"] or ()) else _NO_EVENTS


def _unjudged(row: Mapping[str, Any]) -> str:
    return lacks(row) or (_NO_REPLY if current().name == NOBODY else "")


def _unanswered(output: str, row: Mapping[str, Any]) -> str:
    """A judge must have replied about every place whose entry is there: a reply that is not there is no "no"."""
    return _NO_REPLY if None in judged(output, row).verdicts.values() else ""


def _strict(name: str, doc: str, function: Any, version: int = 2, **options: Any) -> Metric:
    return Metric(f"longgen_{name}@strict", version, doc, function, COLUMNS, demands=Plan.missing, **options)


_STIC = "Share of the places where an event must be told that tell it"

METRICS = (
    *pair(
        "longgen_cr",
        "Share of the entries asked for that are there.",
        cr_strict,
        cr_official,
        COLUMNS,
        demands=Plan.missing,
    ),
    _strict("stic", f"{_STIC}.", stic_strict, lacks=lacks),
    Metric(
        "longgen_stic@official",
        2,
        f"{_STIC}, by a judge: the reference's rule, its defects included.",
        stic_official,
        COLUMNS,
        needs_model=True,
        lacks=_unjudged,
        lacks_for=_unanswered,
        demands=Plan.missing,
        judge=lambda: current().name,
    ),
    _strict("precision", "Share of the entries that tell an event that should.", precision_strict, 3, lacks=lacks),
    _strict(
        "f1", "Events told where they must be, against those told elsewhere and those not told.", f1_strict, lacks=lacks
    ),
    _strict(
        "whole",
        "F1 of the events, times the share of the entries asked for that are there, long enough and no copies.",
        whole_strict,
        2,
        lacks=lacks,
    ),
    _strict("words", "Share of the entries found that have the words asked for.", words_strict, 3),
    _strict("order", "Share of neighbouring entries whose number rises.", order_strict),
    _strict("fresh", "Share of runs of eight words that did not stand before.", fresh_strict),
)
