"""The proof sees what it is there for: each injury to a finished row is named, and a good row has none."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from generators.suite import ReleaseSuite
from haymaker.core.rows.schema import to_table
from tests.generators.shots import small

Row = dict[str, Any]
TASKS: dict[str, Any] = {
    "icl_nlu": {"labelled": "small", "buckets": {"4k": 1}, "repeats": False},
    "icl_trec_fine": {"labelled": "small", "buckets": {"32k": 1}},
    "icl_aggregate": {"labelled": "small", "buckets": {"4k": 4}},
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("proof")
    small.write(folder)
    return small.suite(folder, TASKS)


@pytest.fixture(scope="module")
def whole(suite: ReleaseSuite) -> dict[str, Row]:
    return {t.task: to_table(list(suite.build(t, 0, t.rows))).to_pylist()[-1] for t in suite.tables()}


def shots(row: Row) -> list[dict[str, Any]]:
    return [span for span in row["spans"] if span["kind"] == "shot"]


def put(row: Row, start: int, end: int, text: str) -> None:
    """Other text of the same length."""
    assert len(text) == end - start
    row["prompt"] = row["prompt"][:start] + text + row["prompt"][end:]


def mended(row: Row, **extra: Any) -> None:
    row["extra"] = json.dumps(json.loads(row["extra"]) | extra)


def other_word(row: Row) -> None:
    span = shots(row)[7]
    put(row, span["start"], span["start"] + 3, "qqq")


def other_label(row: Row) -> None:
    span = shots(row)[7]
    at = span["end"] - 1
    put(row, at, at + 1, "8" if row["prompt"][at] != "8" else "9")


def broken_line(row: Row) -> None:
    span = shots(row)[7]
    put(row, span["start"] + 2, span["start"] + 3, "\n")


def glued(row: Row) -> None:
    put(row, shots(row)[7]["end"], shots(row)[7]["end"] + 2, "  ")


def swapped_spans(row: Row) -> None:
    row["spans"][5], row["spans"][6] = row["spans"][6], row["spans"][5]


def lost_span(row: Row) -> None:
    del row["spans"][5]


def other_ref(row: Row) -> None:
    shots(row)[5]["ref"] = shots(row)[6]["ref"]


def lying_label(row: Row) -> None:
    span = shots(row)[5]
    span["label"] = small.name(0) if span["label"] != small.name(0) else small.name(1)


def wrong_number_of_units(row: Row) -> None:
    row["n_unique_units"] -= 1


def longer_rounds(row: Row) -> None:
    mended(row, rounds=json.loads(row["extra"])["rounds"] + 1, full_rounds=99)


def no_rounds(row: Row) -> None:
    mended(row, rounds=0, full_rounds=0)


def two_labels_one_number(row: Row) -> None:
    labels = json.loads(row["extra"])["label_map"]
    mended(row, label_map=labels | {small.name(0): labels[small.name(1)]})


def wrong_choices(row: Row) -> None:
    row["choices"] = [*row["choices"][1:], row["choices"][0]]
    row["answer_index"] = (row["answer_index"] - 1) % len(row["choices"])


def wrong_index(row: Row) -> None:
    row["answer_index"] = (row["answer_index"] + 1) % len(row["choices"])


def asked_is_a_shot(row: Row) -> None:
    span = shots(row)[3]
    text = row["prompt"][span["start"] : span["end"]].rpartition("\nLabel: ")[0]
    row["prompt"] = row["prompt"][: row["context_end"]] + f"\n\nText: {text.upper()}\nLabel:"
    row["question"], row["cue_start"] = text.upper(), len(row["prompt"]) - len("Label:")


def other_question(row: Row) -> None:
    row["question"] += "?"


def once(row: Row) -> None:
    row["variant"] = "once"


def in_rounds(row: Row) -> None:
    """Labels where rounds would put them, should their texts end early: the last half without the first label."""
    spans, half = shots(row), len(shots(row)) // 2
    own = [span for span in spans[half:] if span["label"] == spans[0]["label"]]
    others = iter([span for span in spans[:half] if span["label"] != spans[0]["label"]])
    for span in own:
        other = next(others)
        span["label"], other["label"] = other["label"], span["label"]


def too_close(row: Row) -> None:
    """As many of the rarest as of the next, as a reader counts them."""
    counts = json.loads(row["extra"])["counts"]
    rare, next_ = sorted(counts, key=counts.get)[:2]
    mended(row, question="least")
    lines = [f"Label: {label}\n" for label in (next_, rare)]
    row["prompt"] = row["prompt"].replace(*lines, (counts[next_] - counts[rare]) // 2)


def other_counts(row: Row) -> None:
    counts = json.loads(row["extra"])["counts"]
    mended(row, counts=counts | {min(counts): counts[min(counts)] + 1})


ALL = {
    "icl_nlu": [
        (other_word, "is not as prepared"),
        (other_label, "shot 8 has the label"),
        (broken_line, "shot 8 is not one line between its opener and its label"),
        (glued, "shot 8 does not end with an empty line"),
        (swapped_spans, "shot 5 is not one line"),
        (lost_span, "shot 5 is not one line"),
        (other_ref, "shots come twice"),
        (lying_label, "shot 6 has the label"),
        (wrong_number_of_units, "the row says"),
        (longer_rounds, "rounds have"),
        (no_rounds, "not one whole round"),
        (in_rounds, "shots in a row without label"),
        (two_labels_one_number, "the label map is not one to one"),
        (wrong_choices, "the choices are not the numbers from 0"),
        (wrong_index, "the answer is not the choice at answer_index"),
        (asked_is_a_shot, "the text asked for is shot"),
        (other_question, "behind the shots stands"),
    ],
    "icl_trec_fine": [
        (other_word, "is not as prepared"),
        (longer_rounds, "does not hold each label once"),
        (no_rounds, "behind 0 whole rounds"),
        (once, "variant once, the task's rows are plain"),
    ],
    "icl_aggregate": [
        (other_word, "is not as prepared"),
        (other_label, "shot 8 has the label"),
        (too_close, "are too close to tell apart"),
        (other_counts, "do not occur as often as the row says"),
        (other_question, "behind the shots stands"),
    ],
}


@pytest.mark.parametrize(
    ("task", "injure", "message"),
    [pytest.param(task, *pair, id=f"{task}-{pair[0].__name__}") for task, pairs in ALL.items() for pair in pairs],
)
def test_injuries_are_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Callable[[Row], None], message: str
) -> None:
    row = deepcopy(whole[task])
    assert not list(suite.task(task).problems(row))
    injure(row)
    assert any(message in problem for problem in suite.task(task).problems(row)), list(suite.task(task).problems(row))


def test_without_the_prepared_set(suite: ReleaseSuite, whole: dict[str, Row], tmp_path: Path) -> None:
    """A release can be proved alone: all but the source's own texts is in the rows."""
    alone = small.suite(tmp_path, TASKS)
    assert not small.file(tmp_path, "small").exists()
    for task, row in whole.items():
        assert not list(alone.task(task).problems(row))
    row = deepcopy(whole["icl_nlu"])
    other_word(row)
    assert not list(alone.task("icl_nlu").problems(row)) and list(suite.task("icl_nlu").problems(row))
    other_label(row)
    assert list(alone.task("icl_nlu").problems(row))
