"""Questions on how often labels occur: answers recounted from the prompt, clear margins at every length, fair draws; no part of a context decides."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.shots import oracle
from generators.shots.counting import FEWEST, QUESTIONS
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from tests.generators.kit import Row, by_table, metadata
from tests.generators.shots import small

LENGTHS = ("2k", "4k", "8k", "10k")
GROUPS = 60


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("counting")
    small.write(folder)
    return small.suite(
        folder, {"icl_aggregate": {"classification_set": "small", "lengths": dict.fromkeys(LENGTHS, GROUPS)}}
    )


@pytest.fixture(scope="module")
def rows(suite: ReleaseSuite) -> dict[str, list[Row]]:
    return {t.length: rows for t, rows in by_table(suite).items()}


def counts(row: Row) -> Counter[str]:
    """Labels as a reader counts them: the lines behind the texts."""
    lines = row["prompt"].partition("\n\n")[2].split("\n")
    return Counter(line.removeprefix("Label: ") for line in lines if line.startswith("Label: "))


def kind(row: Row) -> str:
    return str(json.loads(row["metadata"])["question"])


def test_answers_recounted_and_margins_are_clear_at_every_length(rows: dict[str, list[Row]]) -> None:
    """By code of its own, not the oracle's. A margin of three shots or more; and near: what chance would make of one count."""
    for row in (row for table in rows.values() for row in table):
        found, named = counts(row), re.findall(r"\d+", row["question"])
        assert metadata(row)["counts"] == found
        assert sum(found.values()) == row["num_segments"] == row["num_unique_segments"]
        ranked, asked = found.most_common(), [found[label] for label in named]
        expected, (more, less) = {
            "most": lambda r=ranked: (r[0][0], (r[0][1], r[1][1])),
            "least": lambda r=ranked: (r[-1][0], (r[-2][1], r[-1][1])),
            "count": lambda a=asked: (str(a[0]), (5, 0)),
            "more": lambda a=asked: ("yes" if a[0] > a[1] else "no", (max(a), min(a))),
            "different": lambda r=ranked: (str(len(r)), (5, 0)),
        }[kind(row)]()
        assert 3 <= more - less <= 5 + 1.2 * more**0.5, row["id"]
        assert row["answers"] == [expected] == oracle.solve(row["prompt"])
        if row["choices"]:
            assert row["choices"] == (["yes", "no"] if kind(row) == "more" else sorted(found))
            assert row["choices"][row["answer_index"]] == expected


def test_only_how_many_depends_on_the_length(rows: dict[str, list[Row]]) -> None:
    compared = 0
    for shorter, longer in pairwise(LENGTHS):
        before = {row["group_id"]: row for row in rows[shorter]}
        for row in (row for row in rows[longer] if row["group_id"] in before):
            other, depends = before[row["group_id"]], kind(row) == "count"
            assert row["question"] == other["question"] and metadata(row)["answer_depends_on_length"] == depends
            few, many = other["answers"][0], row["answers"][0]
            assert int(many) > int(few) if depends else many == few
            compared += 1
    assert compared > 150


def told(labels: np.ndarray, kind: str, first: int, second: int) -> object:
    """What a reader of these labels would answer."""
    found = np.bincount(labels, minlength=20)
    if kind == "most":
        return int(found.argmax())
    if kind == "least":
        return int(np.where(found > 0, found, len(labels) + 1).argmin())
    return bool(found[first] > found[second]) if kind == "more" else int((found > 0).sum())


PARTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "first half": lambda labels: labels[: len(labels) // 2], "last half": lambda labels: labels[len(labels) // 2 :],
    "first 60": lambda labels: labels[:60], "last 60": lambda labels: labels[-60:],
    "a tenth": lambda labels: labels[len(labels) // 5 : 3 * len(labels) // 10],
    "every tenth": lambda labels: labels[::10],
}  # fmt: skip


@pytest.mark.parametrize("shots", [200, *(pytest.param(shots, marks=pytest.mark.slow) for shots in (800, 6500))])
def test_no_part_of_a_context_tells_the_answer(shots: int, tmp_path: Path) -> None:
    """About 4k, 16k and 128k: who reads a part alone gets at most 1.5 times what guessing gets, for each kind of question."""
    small.write(tmp_path, "large", {"train": [260 + label for label in range(40)], "test": [1]})
    entry = {"classification_set": "large", "lengths": {"4k": 1}}
    task: Any = small.suite(tmp_path, {"icl_aggregate": entry}).task("icl_aggregate")
    right, chance = Counter[tuple[str, str]](), Counter[str]()
    asked, answers = Counter[str](), Counter[object]()
    for group in (group for group in range(600) if QUESTIONS[group % 5] != "count"):
        drawn = task.query(task.pool("test").candidate(group))
        query, shown, taken = drawn.asked, drawn.pool.shown, drawn.pool.first(shots)
        assert len(taken) == shots and query.is_clear(query.counts(shown[taken.texts]))
        number = {label - 10: i for i, label in enumerate(query.numbers)}
        labels = np.array([number[label] for label in shown[taken.in_place().texts].tolist()])
        truth = told(labels, query.kind, query.first, query.second)
        asked[query.kind] += 1
        chance[query.kind] += {"more": 0.5}.get(query.kind, 1 / len(query.numbers))
        answers[truth] += query.kind == "different"
        for split, of in PARTS.items():
            right[split, query.kind] += told(of(labels), query.kind, query.first, query.second) == truth
    for (split, kind), hits in right.items():  # without reading, the commonest number is the best answer
        most = max(answers.values()) if kind == "different" else chance[kind]
        assert hits <= 1.5 * most + 2 * most**0.5, (split, kind, hits, most, asked[kind])


def test_fair_draws(rows: dict[str, list[Row]], suite: ReleaseSuite) -> None:
    """All kinds of questions, all numbers of labels; yes exactly as often as no; no number gives an answer away."""
    assert Counter(map(kind, rows["10k"])) == dict.fromkeys(QUESTIONS, GROUPS // 5)
    answers = [row["answers"][0] for row in rows["10k"] if kind(row) == "more"]
    assert answers == ["yes", "no"] * (GROUPS // 10)
    task: Any = suite.task("icl_aggregate")
    queries = [task.query(task.pool("test").candidate(group)).asked for group in range(3000)]
    compared = [each for each in queries if each.kind in ("most", "least", "more")]
    shown = Counter(len(each.numbers) for each in compared)
    assert set(shown) == set(range(FEWEST, small.LABELS // 2 + 1)) and min(shown.values()) > 380  # 450 expected
    up = [each.plan.leads[each.first] > each.plan.leads[each.second] for each in queries if each.kind == "more"]
    assert up == [True, False] * 300
    tops = Counter(max(each.numbers) == each.numbers[each.plan.leads.index(1)] for each in compared)
    assert tops[True] < 0.3 * len(compared)  # the commonest label is the largest number by chance alone (about 0.24)
    firsts = Counter(each.plan.leads.index(1) for each in compared if len(each.numbers) == 3)
    assert min(firsts.values()) > 100  # nor is it always made of the same labels of the set
    different = Counter(len(each.numbers) for each in queries if each.kind == "different")
    assert sorted(different) == list(range(4, 10)) and max(different.values()) < 0.3 * 600
    assert len({tuple(each.numbers) for each in queries}) > 2900


def test_few_of_a_label_stand_close_together_and_at_every_length(rows: dict[str, list[Row]]) -> None:
    """Of "how many different": labels that come once to three times; else a look at some of the shots would do."""
    for length in ("4k", "10k"):
        for row in (row for row in rows[length] if kind(row) == "different"):
            labels = re.findall(r"^Label: (\d+)$", row["prompt"], re.MULTILINE)
            rare = [label for label, count in counts(row).items() if count <= 3]
            assert 2 <= len(rare) <= 4
            for label in rare:
                at = [i for i, each in enumerate(labels) if each == label]
                assert at[-1] - at[0] < 0.4 * len(labels)


def test_few_labels(tmp_path: Path) -> None:
    small.write(tmp_path, "two", {"train": [50, 50], "test": [1, 1]})
    suite = small.suite(tmp_path, {"icl_aggregate": {"classification_set": "two", "lengths": {"1k": 1}}})
    with pytest.raises(BuildError, match=r"set two: has only 2 labels. Next: use 3 or more"):
        suite.select(suite.tables()[0])


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
