"""What can be said of a finished row of shots, read from the prompt itself and held against the prepared set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpora.examples import ANSWER, OPENER, Examples
from generators.helmet.shots.counting import CLEAR
from generators.helmet.shots.params import TaskPlan

Row = dict[str, Any]
Spans = list[dict[str, Any]]
_TAIL = 96  # shots behind the last whole round, beyond one more round: what filling the end looks at


@dataclass(frozen=True, slots=True)
class Known:
    """The prepared set, by text.

    Attributes:
        shots: text id -> text, label.
        sizes: texts of each label.
    """

    shots: dict[str, tuple[str, str]]
    sizes: Counter[str]

    @staticmethod
    def of(examples: Examples) -> Known:
        """What the shots of a set are."""
        texts, labels = examples.part("train"), examples.labels
        named = [labels[number] for number in texts.label.tolist()]
        pairs = zip(texts.text_id, texts.text, named, strict=True)
        return Known({text_id: (text, label) for text_id, text, label in pairs}, Counter(named))


def problems(row: Row, plan: TaskPlan, known: Known | None) -> Iterator[str]:
    """What is wrong with a row; nothing when all is well.

    Args:
        row: as read from the file.
        plan: its task entry.
        known: the prepared set; None when it is not here.
    """
    spans = [span for span in row["spans"] if span["kind"] == "shot"]
    extra = json.loads(row["extra"])
    yield from _tiles(row, spans, extra["label_map"])
    yield from _numbers(row, plan, spans, extra)
    yield from _asked(row, plan, spans, extra)
    yield from _rounds(plan, spans, extra, known)
    if plan.kind.family == "aggregate":
        yield from _clear(row, extra)
    if known is not None:
        yield from _as_prepared(row, spans, known)


def _tiles(row: Row, spans: Spans, shown: dict[str, str]) -> Iterator[str]:
    """The context is its shots, each a text and its label as shown, and nothing else."""
    prompt, at = row["prompt"], row["context_start"]
    for n, span in enumerate(spans, 1):
        text, _, label = prompt[span["start"] : span["end"]].rpartition(f"\n{ANSWER} ")
        if prompt[at : span["start"]] != f"{OPENER} " or not text or text != " ".join(text.split()):
            yield f"shot {n} is not one line between its opener and its label"
            return
        if label != shown.get(span["label"]):
            yield f"shot {n} has the label {label!r}, {span['label']} is {shown.get(span['label'])!r}"
        at = span["end"]
        if n < len(spans):
            if prompt[at : at + 2] != "\n\n":
                yield f"shot {n} does not end with an empty line"
                return
            at += 2
    if at != row["context_end"] or prompt[at : at + 2] != "\n\n":
        yield "the context does not end with its last shot"


def _numbers(row: Row, plan: TaskPlan, spans: Spans, extra: dict[str, Any]) -> Iterator[str]:
    """Numbers of shots, and none of them twice where none may be."""
    unique = len({span["ref"] for span in spans})
    if (row["n_units"], row["n_unique_units"], extra["k"]) != (len(spans), unique, len(spans)):
        yield f"{len(spans)} shots of {unique} texts, the row says {row['n_units']} of {row['n_unique_units']}"
    if row["variant"] != plan.variant:
        yield f"variant {row['variant']}, the task's rows are {plan.variant or 'plain'}"
    if unique < len(spans) and not plan.repeats:
        yield f"{len(spans) - unique} shots come twice"


def _asked(row: Row, plan: TaskPlan, spans: Spans, extra: dict[str, Any]) -> Iterator[str]:
    """What stands behind the shots; the labels are dealt out one to one, and the text asked for is no shot."""
    tail = row["prompt"][row["context_end"] : row["cue_start"]]
    cue = row["prompt"][row["cue_start"] :]
    counting = plan.kind.family == "aggregate"
    wanted = f"\n\n{'Question:' if counting else OPENER} {row['question']}\n"
    if (tail, cue) != (wanted, "Answer:" if counting else ANSWER):
        yield f"behind the shots stands {tail + cue!r}"
    if row["choices"] and row["answers"] != [row["choices"][row["answer_index"]]]:
        yield "the answer is not the choice at answer_index"
    if counting:
        return
    labels = list(extra["label_map"].values())
    if sorted(labels) != sorted(row["choices"]) or len(set(labels)) != len(labels):
        yield "the label map is not one to one with the choices"
    if plan.labels == "numbers" and row["choices"] != [str(number) for number in range(len(labels))]:
        yield "the choices are not the numbers from 0"
    asked = row["question"].casefold()
    for span in spans:
        text = row["prompt"][span["start"] : span["end"]].rpartition(f"\n{ANSWER} ")[0]
        if text.casefold() == asked:
            yield f"the text asked for is shot {span['ref']}"


def _rounds(plan: TaskPlan, spans: Spans, extra: dict[str, Any], known: Known | None) -> Iterator[str]:
    """Whole rounds are balanced as declared; what is left over is short."""
    shown, labels = extra["label_map"], [span["label"] for span in spans]
    counting = plan.kind.family == "aggregate"
    if counting:
        each, labels = extra["shots_per_round"], [shown[label] for label in labels]
    else:
        each = dict.fromkeys(shown, 1)
    at, full = 0, extra["rounds"] if counting else extra["full_rounds"]
    for number in range(extra["rounds"]):
        if number < full:
            expected = each
        elif known is None:
            return
        else:
            expected = {label: 1 for label in each if known.sizes[label] > number}
        size = sum(expected.values())
        if Counter(labels[at : at + size]) != Counter(expected):
            yield f"round {number} does not hold each label as often as it must"
            return
        at += size
    if len(labels) - at > sum(each.values()) + _TAIL:
        yield f"{len(labels) - at} shots behind {extra['rounds']} whole rounds"
    if not extra["rounds"]:
        yield "not one whole round"


def _clear(row: Row, extra: dict[str, Any]) -> Iterator[str]:
    """Counts that decide an answer differ by enough; read from the prompt."""
    counts = Counter(re.findall(rf"^{ANSWER} (\d+)$", row["prompt"], re.MULTILINE))
    ranked = sorted(counts.values())
    named = [counts[label] for label in re.findall(r"\d+", row["question"])]
    less, more = {"most": ranked[-2:], "least": ranked[:2], "more": sorted(named)}.get(extra["question"], (0, 1))
    if less > CLEAR * more:
        yield f"{less} and {more} shots are too close to tell apart"
    if set(counts) != set(extra["shots_per_round"]):
        yield "the labels shown are not those of its rounds"


def _as_prepared(row: Row, spans: Spans, known: Known) -> Iterator[str]:
    """Every shot has the text and the label that the set has."""
    for span in spans:
        text = row["prompt"][span["start"] : span["end"]].rpartition(f"\n{ANSWER} ")[0]
        if known.shots.get(span["ref"]) != (text, span["label"]):
            yield f"shot {span['ref']} is not as prepared"
