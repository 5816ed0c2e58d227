"""A judge of answers and summaries, as data: its requests and its replies (docs/spec/helmet.md 11.6).

`haymaker score --judge-prompts FILE` writes the requests, `--replies FILE` scores with the replies. The wording is in
judge.yaml; counts in its worked examples are computed, so they are always consistent (docs/defects/helmet.md D19).
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
from typing import Any

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rows import model_requests
from haymaker.core.rows.model_requests import Replies
from haymaker.scoring.official_text import CUE, uncued
from haymaker.scoring.reader import long_text

NOBODY = "no judge"
SUMMARY_CUE = "Summary:"


class Call(StrEnum):
    """Kinds of requests."""

    QA = "qa"
    FLUENCY = "fluency"
    RECALL = "recall"
    PRECISION = "precision"
    STIC = "stic"  # followed by a colon and a place of a long output (haymaker/scoring/longgen/figures.py)


SUMMARY_CALLS = (Call.FLUENCY, Call.RECALL, Call.PRECISION)
CALLS = {"judge_qa": (Call.QA,), "judge_summary": SUMMARY_CALLS}  # by metric
COLUMNS = ("question", "answers", "references", "metadata")  # of a row, for the requests about it
_FIELDS = {
    Call.QA: ("fluency", "correctness"),
    Call.FLUENCY: ("fluency",),
    Call.RECALL: ("recall",),
    Call.PRECISION: ("precision", "sentence_count"),
    Call.STIC: (),
}
_MOST = {"fluency": 1}
_ANY = 1e9  # a count above the number of key points is kept: `@official` uses it as it is (docs/defects/helmet.md D12)
_JSON = re.compile(r"\{[^{}]*\}")
_MARK = re.compile(r"<(?=[^\w<]*(?:output|example)s?\b)", re.IGNORECASE)


def read_replies(path: Path) -> Replies:
    """Read replies from JSON lines with `id`, `call`, `reply`, and optionally `judge` (its name).

    Raises:
        ReleaseError: the file is unreadable, a field is missing or not text, or a call occurs twice.
    """
    return model_requests.read_replies(path, list(Call))


def fields(reply: str | None, call: Call) -> dict[str, float]:
    """Return the numbers of a reply's last {...}; empty if a field is missing, is no number or is out of range."""
    found = _JSON.findall(long_text(reply, {}))
    try:
        values = json.loads(found[-1]) if found else {}
    except (ValueError, RecursionError):
        return {}
    numbers: dict[str, Any] = {name: values.get(name) for name in _FIELDS[call]}
    valid = (type(value) in (int, float) and 0 <= value <= _MOST.get(name, _ANY) for name, value in numbers.items())
    return {name: float(value) for name, value in numbers.items()} if all(valid) else {}


def key_points(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the key points of a row, without those known to be missing from its text (`start` is null)."""
    points = json.loads(row["metadata"] or "{}").get("key_points") or []
    return [point for point in points if point.get("start", 0) is not None]


def prompts(row: Mapping[str, Any], output: str) -> Iterator[tuple[Call, str]]:
    """Yield the requests about an output, by the judged metrics of its row (with `metrics` and COLUMNS)."""
    names = dict.fromkeys(metric.partition("@")[0] for metric in row["metrics"])
    for call in dict.fromkeys(call for name in names for call in CALLS.get(name, ())):
        if call is not Call.RECALL or key_points(row):
            yield call, _prompt(call, row, output)


def _prompt(call: Call, row: Mapping[str, Any], output: str) -> str:
    text = uncued(long_text(output, {}), CUE if call is Call.QA else SUMMARY_CUE)
    examples = "\n\n".join(f"<example>\n{each}\n</example>" for each in worked_examples(call))
    if call is Call.QA:
        golds = "\n".join(f"- {answer}" for answer in row["answers"])
        return fill_prompt(call, question=row["question"], answers=golds, output=" ".join(text.split()))
    if call is Call.RECALL:
        points = _numbered([point["text"] for point in key_points(row)])
        return fill_prompt(call, examples=examples, points=points, output=text)
    if call is Call.PRECISION:
        fullest = (row["references"] or row["answers"])[-1]  # a lawsuit has a short summary and then a long one
        return fill_prompt(call, examples=examples, reference=fullest, output=text)
    return fill_prompt(call, output=text)


def fill_prompt(name: str, **values: str) -> str:
    """Fill the [[places]] of a text of judge.yaml; `<` before block names becomes `&lt;` so that values stay inside."""
    held = {key: value if key == "examples" else _MARK.sub("&lt;", value) for key, value in values.items()}
    return re.sub(r"\[\[(\w+)\]\]", lambda place: held[place[1]], wording()[name]).strip()


@cache
def wording() -> dict[str, Any]:
    """Return the content of judge.yaml."""
    return read_yaml(Path(__file__).with_name("judge.yaml"))


def worked_examples(call: Call) -> list[str]:
    """Return the worked examples in the requests of a call; none for calls that count nothing."""
    counts = call in (Call.RECALL, Call.PRECISION)
    return [_example(call, example) for example in wording()["examples"]] if counts else []


def _example(call: Call, example: Mapping[str, Any]) -> str:
    points, sentences = example["points"], example["sentences"]
    output = " ".join(sentence["text"] for sentence in sentences)
    checked, noun = (points, "Point") if call is Call.RECALL else (sentences, "Sentence")
    supported = [number for number, item in enumerate(checked, 1) if item["supported"]]
    if call is Call.RECALL:
        head = f"Key points:\n{_numbered([point['text'] for point in points])}"
        result: dict[str, Any] = {"supported": supported, "recall": len(supported)}
    else:
        head = f"Reference summary:\n{example['reference']}"
        result = {"precision": len(supported), "sentence_count": len(sentences)}
    steps = "\n".join(
        f"{noun} {number}: {'supported' if item['supported'] else 'not supported'}. {item['why']}"
        for number, item in enumerate(checked, 1)
    )
    return f"{head}\n\nSummary:\n{output}\n\nReply:\n{steps}\n{json.dumps(result)}"


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


_current: ContextVar[Replies] = ContextVar("replies", default=Replies({}, NOBODY))  # noqa: B039 - never changed


def active_judge() -> Replies:
    """Return the replies for judged metrics: none by default, or the replies of `use_replies`."""
    return _current.get()


@contextmanager
def use_replies(replies: Replies) -> Iterator[None]:
    """Use these replies for judged metrics inside the block."""
    token = _current.set(replies)
    try:
        yield
    finally:
        _current.reset(token)
