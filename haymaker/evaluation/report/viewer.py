"""Rows shown on a page: folded prompt with marked spans, outputs, scores and error reasons."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.text.strings import visible
from haymaker.evaluation.report.error_reasons import COLUMNS, ErrorReason, error_reason
from haymaker.evaluation.report.model_scores import Model
from haymaker.evaluation.report.span_lookup import GOLD, title
from haymaker.evaluation.score.row_scores import NO_OUTPUT, RowScore
from haymaker.releases.display.fold_prompt import FILLERS, shown_ranges
from haymaker.releases.folder import rows as rows_of
from haymaker.scoring.metrics import with_judge

_MORE = ("depth", "prompt_tokens", "answer_prefix_start")
_SPANS = 40  # maximum number of spans shown with their context
_FEW_FILLERS = 12  # distractors are all shown if there are at most this many
_ANSWERS = 6


class Width(NamedTuple):
    """Number of characters shown: at both ends of a prompt, around a span, of a span, of an output."""

    edge: int
    around: int
    piece: int
    output: int


WIDTHS = (Width(700, 160, 1200, 1200), Width(350, 80, 500, 600), Width(180, 40, 240, 300), Width(80, 20, 100, 120))
"""Largest first: a page uses the first one at which all its rows fit."""


class ViewerRows(NamedTuple):
    """Rows for the page, and counts of error reasons.

    Attributes:
        shown: row id -> row as JSON at each of WIDTHS.
        reasons: (model number, suite, task) -> number of outputs by reason.
    """

    shown: dict[str, tuple[str, ...]]
    reasons: dict[tuple[int, str, str], Counter[str]]


def read_viewer_rows(
    release: Path, models: Sequence[Model], shown: Collection[str], wrong: Collection[str]
) -> ViewerRows:
    """Read the rows to show, and determine error reasons; prompts are read one row group at a time.

    Args:
        release: release folder.
        models: models with their outputs.
        shown: ids of rows to show.
        wrong: ids of rows with an imperfect output.
    """
    scores = [_by_row(model) for model in models]
    found = ViewerRows({}, defaultdict(Counter))
    read_rows = {*shown, *wrong}
    for row in rows_of(release, lambda _: (*COLUMNS, *_MORE), read_rows):
        reasons = [_reason(row, *each) for each in zip(models, scores, strict=True)]
        for number, each in enumerate(reasons):
            found.reasons[number, row["suite"], row["task"]][each.reason] += each.reason != "silent"
        if row["id"] in shown:
            found.shown[row["id"]] = _json(row, models, scores, reasons)
    for number, model in enumerate(models):
        for score in model.first:
            if score.id not in read_rows:
                found.reasons[number, score.suite, score.task][_by_score(score, model) or "wrong"] += 1
    return found


def _by_row(model: Model) -> dict[str, list[RowScore]]:
    found: dict[str, list[RowScore]] = defaultdict(list)
    for row in model.given.rows:
        found[row.id].append(row)
    return found


def _by_score(score: RowScore, model: Model) -> str:
    """Return the reason if the score is enough to determine it, or "" if the output is needed."""
    if score.why == NO_OUTPUT:
        return "silent"
    if score.score is None:
        return "unscored"
    if score.score >= 1:
        return "right"
    return "" if score.id in model.outputs else "wrong"


def _reason(row: Mapping[str, Any], model: Model, scores: Mapping[str, list[RowScore]]) -> ErrorReason:
    first = next((score for score in scores.get(row["id"], ()) if score.primary), None)
    if first is None:
        return ErrorReason("silent")
    if reason := _by_score(first, model):
        return ErrorReason(reason, first.why if reason == "unscored" else "")
    return error_reason(row, model.outputs[row["id"]], first.score or 0.0, model.finish.get(row["id"], ""))


def _json(
    row: Mapping[str, Any],
    models: Sequence[Model],
    scores: Sequence[Mapping[str, list[RowScore]]],
    reasons: Sequence[ErrorReason],
) -> tuple[str, ...]:
    """Return a row as JSON for the script of the page (keys: page.js), at each of WIDTHS."""
    spans = _named_spans(row, reasons)
    first, kinds = _first(spans), Counter(span["kind"] for span in spans)
    scored = [
        [[with_judge(score.metric, score.judge), score.score, score.why] for score in of.get(row["id"], ())]
        for of in scores
    ]
    texts = []
    for width in WIDTHS:
        answers = [_short(answer, width.output) for answer in row["answers"][:_ANSWERS]]
        outputs = [
            {"s": of, "w": [each.reason, visible(each.detail)], **_output(model.outputs.get(row["id"]), width.output)}
            for model, of, each in zip(models, scored, reasons, strict=True)
        ]
        every = {
            "i": row["id"], "s": row["suite"], "t": row["task"], "b": row["length"],
            "d": None if row["depth"] is None else round(row["depth"], 4), "n": row["prompt_tokens"],
            "q": visible(row["question"] or "")[: width.piece], "a": answers, "m": len(row["answers"]) - len(answers),
            "k": kinds, "p": _pieces(row["prompt"], spans, first, width), "o": outputs,
        }  # fmt: skip
        texts.append(json.dumps(every, ensure_ascii=False, separators=(",", ":")))
    return tuple(texts)


def _short(text: str, most: int) -> str:
    return visible(text if len(text) <= most else f"{text[:most]} ... ({len(text):,} characters)")


def _output(output: str | None, most: int) -> dict[str, Any]:
    """Return the output as `x`, or its two ends as `x` and `y` with `c` characters between; {} without an output."""
    if output is None:
        return {}
    if len(output) <= most:
        return {"x": visible(output)}
    half = most // 2
    return {"x": visible(output[:half]), "y": visible(output[-half:]), "c": len(output) - 2 * half}


def _named_spans(row: Mapping[str, Any], reasons: Sequence[ErrorReason]) -> list[dict[str, Any]]:
    """Return the spans of a row, and add to those that an output named the numbers of these models."""
    spans: list[dict[str, Any]] = row["spans"]
    for model, each in enumerate(reasons):
        if each.span is not None:
            span = spans[each.span]
            span["shown"], span["named"] = True, [*span.get("named", ()), model]
    return spans


def _pieces(
    prompt: str, spans: Sequence[Mapping[str, Any]], first: Sequence[Mapping[str, Any]], width: Width
) -> list[Any]:
    """Return the prompt as texts, marked spans ([text, kind, title, models that named it]) and omitted characters."""
    found, at = list[Any](), 0
    for start, end in shown_ranges(len(prompt), first, width.edge, width.around, width.piece):
        if start > at:
            found.append(start - at)
        found += _marked(prompt, spans, start, end)
        at = end
    return found


def _first(spans: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the spans to show with their context: gold, named spans, and the first of the others."""
    required = [span for span in spans if span["kind"] in GOLD or span.get("shown")]
    others = [span for span in spans if span["kind"] not in (*GOLD, *FILLERS) and not span.get("shown")]
    fillers = [span for span in spans if span["kind"] in FILLERS and not span.get("shown")]
    few = [{**span, "shown": True} for span in fillers] if len(fillers) <= _FEW_FILLERS else []
    return [*required[:_SPANS], *others[:_SPANS], *few]


def _marked(prompt: str, spans: Sequence[Mapping[str, Any]], start: int, end: int) -> Iterator[Any]:
    """Yield a range of the prompt, split at span edges; for nested spans the inner one is marked."""
    inside = [span for span in spans if span["start"] < end and span["end"] > start]
    edges = sorted(
        {start, end, *(edge for span in inside for edge in (span["start"], span["end"]) if start < edge < end)}
    )
    for left, right in pairwise(edges):
        text = visible(prompt[left:right])
        over = [span for span in inside if span["start"] <= left and span["end"] >= right]
        if not over:
            yield text
            continue
        span = max(over, key=lambda span: (span["start"], -span["end"]))
        yield [text, span["kind"], visible(title(span)), span.get("named", [])]
