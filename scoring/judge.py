"""A judge of answers and summaries, as data: what it is asked, and what it replied (docs/spec/helmet.md 11.6).

`haymaker score --judge-prompts FILE` writes one line {"id", "call", "prompt"} per call wanted; whoever runs a model writes
{"id", "call", "reply"} lines, and `--replies FILE` scores with them. So scores are repeatable and need no network.
The wording is in judge.yaml. Its worked examples hold which points and sentences are supported; counts are made from that, so an
example cannot contradict itself (docs/defects/helmet.md D19).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

from haymaker import exchange
from haymaker.exchange import Replies
from scoring.text import CUE, said, uncued

NOBODY = "no judge"
SUMMARY_CUE = "Summary:"


class Call(StrEnum):
    """What a judge is asked about an output."""

    QA = "qa"
    FLUENCY = "fluency"
    RECALL = "recall"
    PRECISION = "precision"
    STIC = "stic"  # followed by a colon and a place of a long output (scoring/longgen/figures.py)


SUMMARY_CALLS = (Call.FLUENCY, Call.RECALL, Call.PRECISION)
CALLS = {"judge_qa": (Call.QA,), "judge_summary": SUMMARY_CALLS}  # by metric
COLUMNS = ("question", "answers", "references", "extra")  # of the sample that prompts are made of

_FIELDS = {
    Call.QA: ("fluency", "correctness"),
    Call.FLUENCY: ("fluency",),
    Call.RECALL: ("recall",),
    Call.PRECISION: ("precision", "sentence_count"),
    Call.STIC: (),
}
_MOST = {"fluency": 1}
_ANY = 1e9  # what a judge can have counted; more than there is remains what it is for `@official` (docs/defects/helmet.md D12)
_JSON = re.compile(r"\{[^{}]*\}")
_MARK = re.compile(r"<(?=[^\w<]*(?:output|example)s?\b)", re.IGNORECASE)


def read_replies(path: Path) -> Replies:
    """Replies from JSON lines with `id`, `call`, `reply`, and `judge` (its name) where the writer says it.

    Raises:
        ReleaseError: a file that cannot be read; a line without them, or where one is no text; a call twice.
    """
    return exchange.read_replies(path, list(Call))


def fields(reply: str | None, call: Call) -> dict[str, float]:
    """The numbers of a reply, from its last {...}; nothing where that is not what the call asks for: true is no number,
    and neither is one that nobody can have counted.
    """
    found = _JSON.findall(said(reply))
    try:
        values = json.loads(found[-1]) if found else {}
    except (ValueError, RecursionError):
        return {}
    numbers = {name: values.get(name) for name in _FIELDS[call]}
    good = {name: float(v) for name, v in numbers.items() if _is_count(v) and 0 <= v <= _MOST.get(name, _ANY)}
    return good if len(good) == len(numbers) else {}


def _is_count(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def key_points(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The claims that a good summary of a row makes: those that its text tells, where somebody knows (`start` is null of the others)."""
    points = json.loads(row["extra"] or "{}").get("key_points") or []
    return [point for point in points if point.get("start", 0) is not None]


def prompts(row: Mapping[str, Any], output: str) -> Iterator[tuple[Call, str]]:
    """What a judge is asked about an output, by the judged metrics of its row.

    Args:
        row: with `metrics` and COLUMNS.
        output: what the model wrote.
    """
    names = dict.fromkeys(metric.partition("@")[0] for metric in row["metrics"])
    for call in dict.fromkeys(call for name in names for call in CALLS.get(name, ())):
        if call is not Call.RECALL or key_points(row):
            yield call, _PROMPTS[call](row, output)


def worked_examples(call: Call) -> list[str]:
    """The worked examples of a call as the judge reads them."""
    return [_example(call, example) for example in wording()["examples"]]


@cache
def wording() -> dict[str, Any]:
    """judge.yaml."""
    import yaml

    return dict(yaml.safe_load(Path(__file__).with_name("judge.yaml").read_text(encoding="utf-8")))


def _qa(row: Mapping[str, Any], output: str) -> str:
    golds = "\n".join(f"- {answer}" for answer in row["answers"])
    answer = " ".join(_cleaned(output, CUE).split())
    return filled("qa", question=row["question"], answers=golds, output=answer)


def _fluency(row: Mapping[str, Any], output: str) -> str:
    return filled("fluency", output=_cleaned(output, SUMMARY_CUE))


def _recall(row: Mapping[str, Any], output: str) -> str:
    return filled(
        "recall",
        examples=_all(Call.RECALL),
        points=_numbered([point["text"] for point in key_points(row)]),
        output=_cleaned(output, SUMMARY_CUE),
    )


def _precision(row: Mapping[str, Any], output: str) -> str:
    fullest = (row["references"] or row["answers"])[-1]  # of a lawsuit the long summary stands behind the short one
    return filled("precision", examples=_all(Call.PRECISION), reference=fullest, output=_cleaned(output, SUMMARY_CUE))


def _cleaned(output: str, cue: str) -> str:
    """An output without what its model thought, and without its cue."""
    return uncued(said(output), cue)


_PROMPTS = {Call.QA: _qa, Call.FLUENCY: _fluency, Call.RECALL: _recall, Call.PRECISION: _precision}


def filled(name: str, **values: str) -> str:
    """A text of judge.yaml with its [[places]] filled in one pass: what is filled in is never read again.

    No text can open or end a block of ours: a `<` before the name of one, whatever marks stand between, becomes `&lt;`. Nothing is
    taken away, so nothing can close up to a new mark.
    """
    held = {key: value if key == "examples" else _MARK.sub("&lt;", value) for key, value in values.items()}
    return re.sub(r"\[\[(\w+)\]\]", lambda place: held[place[1]], wording()[name]).strip()


def _all(call: Call) -> str:
    return "\n\n".join(f"<example>\n{example}\n</example>" for example in worked_examples(call))


def _example(call: Call, example: Mapping[str, Any]) -> str:
    points, sentences = example["points"], example["sentences"]
    output = " ".join(sentence["text"] for sentence in sentences)
    if call is Call.RECALL:
        head = f"Key points:\n{_numbered([point['text'] for point in points])}"
        checked, noun = points, "Point"
        supported = [number for number, point in enumerate(points, 1) if point["supported"]]
        result: dict[str, Any] = {"supported": supported, "recall": len(supported)}
    else:
        head = f"Reference summary:\n{example['reference']}"
        checked, noun = sentences, "Sentence"
        result = {"precision": sum(s["supported"] for s in sentences), "sentence_count": len(sentences)}
    steps = "\n".join(
        f"{noun} {number}: {'supported' if item['supported'] else 'not supported'}. {item['why']}"
        for number, item in enumerate(checked, 1)
    )
    return f"{head}\n\nSummary:\n{output}\n\nReply:\n{steps}\n{json.dumps(result)}"


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


_current: ContextVar[Replies] = ContextVar("replies")
_NONE = Replies({}, NOBODY)


def current() -> Replies:
    """The replies that judged metrics look up; none unless `replied_by` says otherwise."""
    return _current.get(_NONE)


@contextmanager
def replied_by(replies: Replies) -> Iterator[None]:
    """Let judged metrics use these replies inside the block."""
    token = _current.set(replies)
    try:
        yield
    finally:
        _current.reset(token)
