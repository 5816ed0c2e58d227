"""Scores of long answers and summaries from a judge's replies (docs/spec/helmet.md 11.6).

Rows without a readable reply have no score. `@official` is not clipped: a judge that counts more points than exist
gives more than 1 (docs/defects/helmet.md D12).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from haymaker.scoring.judges.judge import SUMMARY_CALLS, Call, active_judge, fields, key_points
from haymaker.scoring.metrics import pair
from haymaker.scoring.reader import harmonic, long_text

BEST = 3  # points of a right and relevant answer

_NO_REPLY = "no reply of a judge"
_UNREADABLE = "a judge's reply that cannot be read"
_NO_POINTS = "no key points"


def qa_strict(output: str, row: Mapping[str, Any]) -> float:
    """Fluency (0, 1) times correctness (0 .. 3) / 3, both clipped; 0 for an empty output."""
    reply = _qa_reply(row)
    return _clip(reply["fluency"]) * _clip(reply["correctness"] / BEST) if long_text(output, row) and reply else 0.0


def qa_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: not clipped."""
    reply = _qa_reply(row)
    return reply["fluency"] * reply["correctness"] / BEST if reply else 0.0


def summary_strict(output: str, row: Mapping[str, Any]) -> float:
    """Fluency times the harmonic mean of recall and precision, each clipped to 0 .. 1; an empty output is 0."""
    return _summary(row, _clip) if long_text(output, row) else 0.0


def summary_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: not clipped."""
    return _summary(row, float)


def _qa_reply(row: Mapping[str, Any]) -> dict[str, float]:
    return fields(active_judge().get(row["id"], Call.QA), Call.QA)


def _summary(row: Mapping[str, Any], limit: Callable[[float], float]) -> float:
    replies, points = (
        [fields(active_judge().get(row["id"], call), call) for call in SUMMARY_CALLS],
        len(key_points(row)),
    )
    if not points or not all(replies):
        return 0.0
    values = {name: value for reply in replies for name, value in reply.items()}
    recall = limit(values["recall"] / points)
    precision = limit(values["precision"] / values["sentence_count"]) if values["sentence_count"] else 0.0
    return limit(values["fluency"]) * harmonic(precision, recall)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _lacks(calls: tuple[Call, ...], row: Mapping[str, Any]) -> str:
    replies = [active_judge().get(row["id"], call) for call in calls]
    if None in replies:
        return _NO_REPLY
    return "" if all(map(fields, replies, calls)) else _UNREADABLE


def _qa_lacks(row: Mapping[str, Any]) -> str:
    return _lacks((Call.QA,), row)


def _summary_lacks(row: Mapping[str, Any]) -> str:
    return _lacks(SUMMARY_CALLS, row) if key_points(row) else _NO_POINTS


_QA = "Points of a judge for a long answer, divided by 3."
_SUMMARY = "Fluency times the harmonic mean of key-point recall and precision, by a judge."
_BY: dict[str, Any] = {"needs_model": True, "judge": lambda: active_judge().name, "strict_version": 3}
METRICS = (
    *pair("judge_qa", _QA, qa_strict, qa_official, ("id",), lacks=_qa_lacks, **_BY),
    *pair("judge_summary", _SUMMARY, summary_strict, summary_official, ("id", "metadata"), lacks=_summary_lacks, **_BY),
)
