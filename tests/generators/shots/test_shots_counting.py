"""Questions on how often labels occur: answers recounted from the prompt, clear margins at every length, fair draws."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from generators.shots import oracle
from generators.shots.counting import FEWEST, MOST, QUESTIONS, weights
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.errors import BuildError
from haymaker.sample import to_table
from tests.generators.shots import small

Row = dict[str, Any]
BUCKETS = ("2k", "4k", "8k", "12k")
GROUPS = 60


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("counting")
    small.write(folder)
    return small.suite(folder, {"icl_aggregate": {"labelled": "small", "buckets": dict.fromkeys(BUCKETS, GROUPS)}})


@pytest.fixture(scope="module")
def rows(suite: ReleaseSuite) -> dict[str, list[Row]]:
    return {t.bucket: to_table(list(suite.build(t, 0, t.rows))).to_pylist() for t in suite.tables()}


def counts(row: Row) -> Counter[str]:
    """Labels as a reader counts them: the lines behind the texts."""
    lines = row["prompt"].partition("\n\n")[2].split("\n")
    return Counter(line.removeprefix("Label: ") for line in lines if line.startswith("Label: "))


def kind(row: Row) -> str:
    return str(json.loads(row["extra"])["question"])


def test_answers_recounted(rows: dict[str, list[Row]]) -> None:
    """By code of its own, not the oracle's."""
    for row in (row for table in rows.values() for row in table):
        found, named = counts(row), re.findall(r"\d+", row["question"])
        assert sum(found.values()) == row["n_units"] == row["n_unique_units"]
        expected = {
            "most": lambda c=found: c.most_common(1)[0][0],
            "least": lambda c=found: c.most_common()[-1][0],
            "count": lambda c=found, n=named: str(c[n[0]]),
            "more": lambda c=found, n=named: "yes" if c[n[0]] > c[n[1]] else "no",
            "different": lambda c=found: str(len(c)),
        }[kind(row)]()
        assert row["answers"] == [expected] == oracle.solve(row["prompt"])
        if row["choices"]:
            assert row["choices"] == (["yes", "no"] if kind(row) == "more" else sorted(found))
            assert row["choices"][row["answer_index"]] == expected


def test_margins_are_clear_at_every_length(rows: dict[str, list[Row]]) -> None:
    for row in (row for table in rows.values() for row in table):
        ranked = [count for _, count in counts(row).most_common()]
        named = [counts(row)[label] for label in re.findall(r"\d+", row["question"])]
        less, more = {
            "most": (ranked[1], ranked[0]), "least": (ranked[-1], ranked[-2]), "more": tuple(sorted(named)),
        }.get(kind(row), (0, 1))  # fmt: skip
        assert less <= 0.85 * more, row["id"]


def test_only_how_many_depends_on_the_length(rows: dict[str, list[Row]]) -> None:
    compared = 0
    for shorter, longer in pairwise(BUCKETS):
        before = {row["group_id"]: row for row in rows[shorter]}
        for row in (row for row in rows[longer] if row["group_id"] in before):
            other = before[row["group_id"]]
            assert row["question"] == other["question"]
            depends = json.loads(row["extra"])["answer_depends_on_length"]
            assert depends == (kind(row) == "count")
            if depends:
                assert int(row["answers"][0]) > int(other["answers"][0])
            else:
                assert row["answers"] == other["answers"]
            compared += 1
    assert compared > 150


def test_every_round_is_uneven_as_declared(rows: dict[str, list[Row]]) -> None:
    for row in rows["12k"]:
        extra = json.loads(row["extra"])
        labels = re.findall(r"^Label: (\d+)$", row["prompt"], re.MULTILINE)
        size = sum(extra["shots_per_round"].values())
        assert sorted(extra["shots_per_round"].values()) == weights(len(extra["shots_per_round"]))
        for number in range(extra["rounds"]):
            assert Counter(labels[number * size : (number + 1) * size]) == extra["shots_per_round"]
    assert [weights(3), weights(5), weights(8)] == [[2, 4, 7], [2, 4, 5, 6, 9], [2, 4, 5, 6, 7, 8, 9, 12]]


def test_fair_draws(rows: dict[str, list[Row]], suite: ReleaseSuite) -> None:
    """All kinds of questions, all numbers of labels; yes exactly as often as no; no number gives an answer away."""
    assert Counter(map(kind, rows["12k"])) == dict.fromkeys(QUESTIONS, GROUPS // 5)
    answers = [row["answers"][0] for row in rows["12k"] if kind(row) == "more"]
    assert answers == ["yes", "no"] * (GROUPS // 10)
    task: Any = suite.task("icl_aggregate")
    queries = [task.query(task.candidate("test", group)) for group in range(3000)]
    shown = Counter(len(each.numbers) for each in queries)
    assert set(shown) == set(range(FEWEST, MOST + 1)) and min(shown.values()) > 400  # 500 expected
    up = [each.first > each.second for each in queries if each.kind == "more"]
    assert up == [True, False] * 300
    tops = Counter(max(each.numbers) == each.numbers[-1] for each in queries)
    assert tops[True] < 0.3 * 3000  # the commonest label is the largest number by chance alone (about 0.2)
    assert len({tuple(each.numbers) for each in queries}) > 2900


def test_labels_are_joined_not_torn(rows: dict[str, list[Row]]) -> None:
    """All texts of a label of the source are shown with one number."""
    for row in rows["12k"]:
        shown = {span["label"]: set() for span in row["spans"] if span["kind"] == "shot"}  # type: ignore[var-annotated]
        for span in row["spans"][1:]:
            shown[span["label"]].add(row["prompt"][span["start"] : span["end"]].rpartition("Label: ")[2])
        assert all(len(numbers) == 1 for numbers in shown.values())
        extra = json.loads(row["extra"])
        assert {label: numbers.pop() for label, numbers in shown.items()}.items() <= extra["label_map"].items()


def test_few_labels(tmp_path: Path) -> None:
    small.write(tmp_path, "two", {"train": [50, 50], "test": [1, 1]})
    suite = small.suite(tmp_path, {"icl_aggregate": {"labelled": "two", "buckets": {"1k": 1}}})
    with pytest.raises(BuildError, match=r"set two: has only 2 labels. Next: use 3 or more"):
        suite.select(suite.tables()[0])
    small.write(tmp_path, "three", {"train": [80, 90, 100], "test": [1, 1, 1]})
    suite = small.suite(tmp_path, {"icl_aggregate": {"labelled": "three", "buckets": {"1k": 10}}})
    rows = list(suite.build(suite.tables()[0], 0, 10))
    assert {row.answers[0] for row in rows if json.loads(row.extra or "")["question"] == "different"} == {"3"}


def test_the_oracle_refuses_what_it_cannot_tell() -> None:
    shots = "Text: a b\nLabel: 11\n\nText: c\nLabel: 12"
    question = "\n\nQuestion: {}\nAnswer:".format
    assert oracle.solve(f"x\n\n{shots}{question('How many texts have the label 12?')}") == ["1"]
    assert oracle.solve(f"x\n\n{shots}{question('How many different labels occur?')}") == ["2"]
    for prompt, message in (
        (f"x\n\n{shots}{question('Which label occurs most often?')}", "labels 11, 12 occur equally often"),
        (f"x\n\n{shots}{question('Does the label 11 occur more often than the label 12?')}", "occur equally often"),
        (f"x\n\n{shots}{question('Why?')}", "unknown question"),
        (f"x{question('How many different labels occur?')}", "no question, or no labels"),
        (f"x\n\n{shots}", "no question, or no labels"),
    ):
        with pytest.raises(ValueError, match=message):
            oracle.solve(prompt)


def test_parts_and_seeds_draw_their_own(suite: ReleaseSuite) -> None:
    task: Any = suite.task("icl_aggregate")
    tables = [Table("helmet", "icl_aggregate", "4k", part, 1) for part in ("test", "train")]  # type: ignore[arg-type]
    test, train = (task.row(table, task.candidate(table.part, 3), 0) for table in tables)
    assert test.group_id == "small-counting-test-00003" and train.group_id == "small-counting-train-00003"
    assert test.prompt != train.prompt
