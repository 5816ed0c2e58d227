"""LongBench's trec, triviaqa and samsum as published: what each says of itself, rows of every length, the first ones by heart; real ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rows.source_records import LabelledText
from pipelines.project import Project
from tests.generators.kit import Rows, by_place, refused, sound
from tests.generators.shots import small, worked
from tests.pipelines import tiny

TREC: dict[str, Any] = {
    "classification_set": "small",
    "natural_shots": [40, 200],
    "lengths": {"natural": 8, "0-4k": 5, "4-8k": 5, "8k+": 3, "4k": {"test": 5, "train": 2}, "8k": 5, "16k": 3},
}
SHOT = re.compile(r"Text: (.+)\nLabel: (.+)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("longbench")
    small.write(folder)
    return folder


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return worked.suite(
        folder, {"trec": TREC, "again": TREC | {"base": "trec", "repeats": True, "lengths": {"32k": 1}}}
    )


def read(prompt: str) -> list[tuple[str, str]]:
    """Shots as a reader finds them in the prompt alone."""
    found = [SHOT.fullmatch(block) for block in prompt.split("\n\n")[1:-1]]
    assert all(found)
    return [(match[1], match[2]) for match in found if match]


def test_every_row_asked_for_and_every_check_of_validate(suite: ReleaseSuite, rows: Rows) -> None:
    sound(suite, rows, FILL=16, NESTED=8)


def test_shots_show_every_label_by_its_name_as_often_as_is_drawn(rows: Rows) -> None:
    names = [f"ask {chr(97 + i)} thing" for i in range(small.LABELS)]
    for (task, *_), table in rows.items():
        for row in table:
            assert row["choices"] == names and row["answers"] == [names[row["answer_index"]]]
            assert {label for _, label in read(row["prompt"])} == set(names)
            assert row["prompt"].endswith(f"\n\nText: {row['question']}\nLabel:")
            assert row["variant"] == ("repeats" if task == "again" else None) and row["use_chat_template"] is False
    natural = rows["trec", "natural", "test"]
    assert [len(read(row["prompt"])) for row in natural] == [row["num_segments"] for row in natural] == NUMBERS
    small.check_words(rows, 12_030)


def named(folder: Path, *labels: str) -> ReleaseSuite:
    train = [LabelledText(f"{i}", "train", f"one two {i}", label) for i, label in enumerate(labels * 3)]
    asked = [LabelledText("q", "test", "three four", labels[0])]
    small.write_texts(folder, "named", train, asked)
    return worked.suite(
        folder, {"trec": {"classification_set": "named", "natural_shots": [3, 6], "lengths": {"natural": 1}}}
    )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("card_in", "card in", "x"), "set named: two labels are shown as 'card in'. Next: use labels: numbers"),
        (("Other", "other place"), "set named: label 'Other' is contained in label 'other place'. "
         "Next: give them other names (generators/shots/names.yaml, or in the source)"),
    ],
)  # fmt: skip
def test_names_that_cannot_be_told_apart(tmp_path: Path, labels: tuple[str, ...], message: str) -> None:
    """docs/defects/longbench.md D5: a rule that looks for names finds one."""
    suite = named(tmp_path, *labels)
    assert refused(BuildError, suite.select, suite.tables()[0]) == message
    assert named(tmp_path, "north", "south").select(Table("longbench", "trec", "natural", "test", 1)).candidates


def test_a_wrong_number_of_shots_is_seen(suite: ReleaseSuite, rows: Rows) -> None:
    row = json.loads(json.dumps(rows["trec", "natural", "test"][0]))
    assert not list(suite.task("trec").problems(row))
    row["group_id"] = rows["trec", "natural", "test"][1]["group_id"]
    assert list(suite.task("trec").problems(row)) == [
        f"{NUMBERS[0]} shots instead of the {NUMBERS[1]} drawn for the row"
    ]


def test_the_first_row_as_a_reader_sees_it(rows: Rows) -> None:
    """docs/spec/longbench.md 4: instruction, shots, input, and nothing behind it."""
    assert rows["trec", "natural", "test"][0]["prompt"].startswith(
        "Each text below asks for something. The label after it names the kind of thing that it asks for. The last text has no label "
        "yet: write the label that fits it, in the same words as the labels above it.\n\nText: "
    )


NUMBERS = [163, 192, 63, 87, 48, 173, 129, 118]


def test_a_set_of_another_language_than_the_words_is_refused(tmp_path: Path) -> None:
    said = {"kind": "simulated_utterances", "seed": 3, "sets": {"fine": {"test": 1, "train": 40}}}
    tasks = {"lsht": {"classification_set": "fine", "lengths": {"32k": 1}}}
    project = tiny.make(tmp_path / "p", **{
        "sources.said": said, "classification_sets.fine": {"source": "said", "set": "fine"}, "suites.longbench.tasks": tasks
    })  # fmt: skip
    line = refused(ParamsError, project.suites)
    assert (
        "classification_sets.fine.language: the prompt of task 'lsht' is in language zh, but the set is in en" in line
    )


@pytest.mark.real
def test_real_lsht(tmp_path: Path, mirror: Path) -> None:
    """All stages run: 177 news texts of 24 classes fill 128k; every class is shown, however few shots there are."""
    made = {"source": "given", "set": "lsht", "language": "zh"}
    lengths = {"natural": 36, "32k": 10, "128k": 5}
    project = tiny.make(tmp_path / "p", sources={"given": {"kind": "lsht_mirror"}}, corpora={}, classification_sets={"made": made}, mirror=str(mirror), suites={"longbench": {"tasks": {"lsht": {"classification_set": "made", "lengths": lengths}}}})  # fmt: skip
    tiny.run(project, "download", "prepare")
    suite = next(suite for suite in Project(project.root).suites() if suite.name == "longbench")
    sound(suite, rows := by_place(suite))
    assert 131_000 < (suite.limit("lsht") or 0) < 133_000
    counts = [row["num_segments"] for row in rows["lsht", "natural", "test"]]
    assert min(counts) <= 26 and 37 < max(counts) <= 40
    for row in (row for table in rows.values() for row in table):
        assert {span["label"] for span in row["spans"] if span["kind"] == "shot"} == set(row["choices"])
