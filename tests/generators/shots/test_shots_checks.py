"""The verification sees what it is there for: each injury to a finished row is named, and a good row has none."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from generators.suite import ReleaseSuite
from tests.generators.kit import Injury, Row, assert_named, metadata, note, put, said, spans
from tests.generators.shots import small

TASKS: dict[str, Any] = {
    "icl_nlu": {"classification_set": "small", "lengths": {"4k": 1}, "repeats": False},
    "icl_trec_fine": {"classification_set": "small", "lengths": {"32k": 1}},
    "icl_aggregate": {"classification_set": "small", "lengths": {"4k": 4}},
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("verification")
    small.write(folder)
    return small.suite(folder, TASKS)


def shot(row: Row, number: int) -> Row:
    return spans(row, "shot")[number]


def other_word(row: Row) -> None:
    put(row, shot(row, 7)["start"], "qqq")


def other_label(row: Row) -> None:
    at = shot(row, 7)["end"] - 1
    put(row, at, "8" if row["prompt"][at] != "8" else "9")


def two_labels_one_number(row: Row) -> None:
    labels = metadata(row)["label_map"]
    note(row, label_map=labels | {small.name(0): labels[small.name(1)]})


def wrong_choices(row: Row) -> None:
    row["choices"] = [*row["choices"][1:], row["choices"][0]]
    row["answer_index"] = (row["answer_index"] - 1) % len(row["choices"])


def asked_is_a_shot(row: Row) -> None:
    text = said(row, "shot")[3].rpartition("\nLabel: ")[0]
    row["prompt"] = row["prompt"][: row["context_end"]] + f"\n\nText: {text.upper()}\nLabel:"
    row["question"], row["answer_prefix_start"] = text.upper(), len(row["prompt"]) - len("Label:")


def in_rounds(row: Row) -> None:
    """Labels where rounds would put them, should their texts end early: the last half without the first label."""
    shots, half = spans(row, "shot"), len(spans(row, "shot")) // 2
    own = [span for span in shots[half:] if span["label"] == shots[0]["label"]]
    others = iter([span for span in shots[:half] if span["label"] != shots[0]["label"]])
    for span in own:
        other = next(others)
        span["label"], other["label"] = other["label"], span["label"]


def too_close(row: Row) -> None:
    """As many of the rarest as of the next, as a reader counts them."""
    counts = metadata(row)["counts"]
    rare, next_ = sorted(counts, key=counts.get)[:2]
    note(row, question="least")
    lines = [f"Label: {label}\n" for label in (next_, rare)]
    row["prompt"] = row["prompt"].replace(*lines, (counts[next_] - counts[rare]) // 2)


def rarer_label(row: Row) -> None:
    _, *others = [span for span in spans(row, "shot") if span["label"] == shot(row, 0)["label"]]
    for span in others:
        span["label"] = shot(row, 1)["label"]


def lying_label(row: Row) -> None:
    shot(row, 5)["label"] = small.name(0) if shot(row, 5)["label"] != small.name(0) else small.name(1)


def other_counts(row: Row) -> None:
    counts = metadata(row)["counts"]
    note(row, counts=counts | {min(counts): counts[min(counts)] + 1})


ALL: dict[str, list[tuple[str, Injury, str]]] = {
    "icl_nlu": [
        ("other word", other_word, "differs from the prepared input"),
        ("other label", other_label, "shot 8 has the label"),
        ("broken line", lambda r: put(r, shot(r, 7)["start"] + 2, "\n"), "shot 8 does not have the form of a shot"),
        ("glued", lambda r: put(r, shot(r, 7)["end"], "  "), "the context is not its units"),
        ("lost span", lambda r: r["spans"].pop(5), "the spans of shots do not follow one another"),
        ("other ref", lambda r: shot(r, 5).update(ref=shot(r, 6)["ref"]), "units occur twice"),
        ("lying label", lying_label, "shot 6 has the label"),
        ("wrong number of units", lambda r: r.update(num_unique_segments=r["num_unique_segments"] - 1), "the row has"),
        ("rarer label", rarer_label, "rounds have"),
        ("no rounds", lambda r: note(r, rounds=0, full_rounds=0), "not one whole round"),
        ("in rounds", in_rounds, "shots in a row without label"),
        ("two labels, one number", two_labels_one_number, "the label map is not one to one"),
        ("wrong choices", wrong_choices, "the choices are not the numbers from 0"),
        ("wrong index", lambda r: r.update(answer_index=(r["answer_index"] + 1) % small.LABELS), "the answer is not the choice at answer_index"),
        ("asked is a shot", asked_is_a_shot, "has the text or the question of the row"),
        ("other question", lambda r: r.update(question=r["question"] + "?"), "the shots are followed by"),
    ],
    "icl_trec_fine": [
        ("rarer label", rarer_label, "does not contain each label once"),
        ("no rounds", lambda r: note(r, rounds=0, full_rounds=0), "after 0 whole rounds"),
        ("once", lambda r: r.update(variant="once"), "variant once, the task's rows are plain"),
    ],
    "icl_aggregate": [
        ("too close", too_close, "are too close to tell apart"),
        ("other counts", other_counts, "do not occur as often as in `metadata`"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("task", "injure", "message"),
    [pytest.param(task, *case, id=f"{task}-{what}") for task, cases in ALL.items() for what, *case in cases],
)
def test_injuries_are_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Injury, message: str
) -> None:
    assert_named(suite.task(task), whole[task], injure, message)


def test_without_the_prepared_set(suite: ReleaseSuite, whole: dict[str, Row], tmp_path: Path) -> None:
    """A release can be verified alone: all but the source's own texts is in the rows."""
    alone = small.suite(tmp_path, TASKS)
    for task, row in whole.items():
        assert not list(alone.task(task).problems(row))
    row = deepcopy(whole["icl_nlu"])
    other_word(row)
    assert not list(alone.task("icl_nlu").problems(row)) and list(suite.task("icl_nlu").problems(row))
    other_label(row)
    assert list(alone.task("icl_nlu").problems(row))
