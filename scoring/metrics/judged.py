"""Scores that a judge's replies decide: long answers and summaries (docs/spec/helmet.md 11.6).

No judge is called: its replies are data (scoring/judge.py). A row without a reply that can be read has no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scoring.judge import SUMMARY_CALLS, Call, current, fields, key_points
from scoring.metrics import Score, pair
from scoring.text import harmonic, said

BEST = 3  # points of a right and relevant answer

_NO_REPLY = "no reply of a judge"
_UNREADABLE = "a judge's reply that cannot be read"
_NO_POINTS = "no key points"


def qa_strict(output: str, row: Mapping[str, Any]) -> float:
    """Fluency (0, 1) times correctness (0 .. 3) as a share of 3, both clipped; an empty output is 0 whatever the judge says."""
    reply = _reply(row, Call.QA)
    if not said(output) or not reply:
        return 0.0
    return _clip(reply["fluency"]) * _clip(reply["correctness"] / BEST)


def qa_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the same, not clipped."""
    reply = _reply(row, Call.QA)
    return reply["fluency"] * reply["correctness"] / BEST if reply else 0.0


def summary_strict(output: str, row: Mapping[str, Any]) -> float:
    """Fluency times the harmonic mean of recall and precision, each clipped to 0 .. 1 (docs/defects/helmet.md D12);
    an empty output is 0.
    """
    return _summary(row, _clip) if said(output) else 0.0


def summary_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: the same, not clipped: a judge that counts more points than there are gives more than 1
    (docs/defects/helmet.md D12).
    """
    return _summary(row, float)


def _summary(row: Mapping[str, Any], limit: Callable[[float], float]) -> float:
    replies, points = {call: _reply(row, call) for call in SUMMARY_CALLS}, len(key_points(row))
    if not points or not all(replies.values()):
        return 0.0
    values = {name: value for reply in replies.values() for name, value in reply.items()}
    recall = limit(values["recall"] / points)
    precision = limit(values["precision"] / values["sentence_count"]) if values["sentence_count"] else 0.0
    return limit(values["fluency"]) * harmonic(precision, recall)


def _reply(row: Mapping[str, Any], call: Call) -> dict[str, float]:
    return fields(current().get(row["id"], call), call)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _lacks(calls: tuple[Call, ...], row: Mapping[str, Any]) -> str:
    replies = [current().get(row["id"], call) for call in calls]
    if any(reply is None for reply in replies):
        return _NO_REPLY
    return "" if all(fields(reply, call) for reply, call in zip(replies, calls, strict=True)) else _UNREADABLE


def _qa_lacks(row: Mapping[str, Any]) -> str:
    return _lacks((Call.QA,), row)


def _summary_lacks(row: Mapping[str, Any]) -> str:
    return _lacks(SUMMARY_CALLS, row) if key_points(row) else _NO_POINTS


def _judged(
    name: str, doc: str, rules: tuple[Score, Score], columns: tuple[str, ...], lacks: Callable[[Mapping[str, Any]], str]
) -> tuple[Any, ...]:
    return pair(name, doc, *rules, columns, needs_model=True, lacks=lacks, judge=lambda: current().name)


METRICS = (
    *_judged("judge_qa", "A judge's points for a long answer, of 3.", (qa_strict, qa_official), ("id",), _qa_lacks),
    *_judged(
        "judge_summary",
        "Harmonic mean of a summary's recall of key points and its precision, by a judge.",
        (summary_strict, summary_official),
        ("id", "extra"),
        _summary_lacks,
    ),
)
