"""JSON tasks: exact counts, valid JSON, the asked pair alone moves, longer objects hold shorter ones; each injury is named."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from generators.synthetic.base import GeneratedTask
from generators.synthetic.oracles import pairs as oracle
from haymaker.core.errors import BuildError, ParamsError
from tests.generators.kit import context, said
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import Row, assert_nested, digests, finder, injured, prove, row, units

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("json_kv", {}),
    ("json_kv", {"unanswerable": True, "distractors": 6}),
    ("json_kv", {"keys": "word", "distractors": 5, "shots": 3, "depths": 3}),
    ("kv_retrieval", {}),
    ("kv_retrieval", {"keys": "word", "unanswerable": True}),
]


def pairs_of(row: Row) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = json.loads(context(row), object_pairs_hook=list)
    return found


@pytest.mark.parametrize(("name", "entry"), VARIANTS)
def test_rows_are_full_counted_and_solved(name: str, entry: dict[str, Any]) -> None:
    task = small.task(name, **entry)
    for length, group in (("4k", 0), ("4k", 1), ("8k", 0), ("16k", 0)):
        for point in range(task.variants):
            prove(task, row(task, length, group, point))


@pytest.mark.parametrize(("name", "entry"), VARIANTS)
def test_longer_objects_hold_shorter_ones(name: str, entry: dict[str, Any]) -> None:
    task = small.task(name, **entry)
    for group, point in ((0, 0), (1, task.variants - 1)):
        assert_nested(task, [row(task, length, group, point) for length in ("4k", "8k", "16k", "32k", "128k")])


def test_the_asked_pair_moves_and_the_rest_stays() -> None:
    """docs/spec/synthetic.md C: six evenly spaced depths."""
    task = small.task("json_kv")
    rows = [row(task, "8k", 4, point) for point in range(6)]
    assert len({(*units(task, row), row["question"], row["answers"][0], row["num_segments"]) for row in rows}) == 1
    for point, each in enumerate(rows):
        place = [key for key, _ in pairs_of(each)].index(each["question"])
        assert abs(place - point / 5 * (each["num_segments"] - 1)) <= 0.5
        assert each["depth_index"] == point
    assert pairs_of(rows[0])[0] == pairs_of(rows[5])[-1] == (rows[0]["question"], rows[0]["answers"][0])


def test_worked_examples_are_other_pairs_of_the_object() -> None:
    """docs/spec/synthetic.md C: the worked examples must not be the queried pair."""
    task = small.task("json_kv")
    for group in range(12):
        built = row(task, "4k", group, 1)
        shown = [tuple(line.split(": ")[1] for line in demo.split("\n")) for demo in said(built, "fewshot")]
        assert len(set(shown)) == 2
        assert set(shown) <= set(pairs_of(built)) - {(built["question"], built["answers"][0])}


def test_no_group_shares_a_pair_and_splits_differ() -> None:
    task = small.task("kv_retrieval")
    rows = [row(task, "16k", group) for group in range(8)] + [row(task, "16k", 0, split="train")]
    seen = [set(pairs_of(each)) for each in rows]
    assert not any(a & b for a, b in pairwise(seen)) and not seen[0] & seen[-1]
    assert len({each["question"] for each in rows}) == 9


def test_the_unanswerable_row_has_the_same_pairs_but_one() -> None:
    task = small.task("json_kv", unanswerable=True, distractors=4)
    there, gone = row(task, "8k", 0, 2), row(task, "8k", 0, 6)
    assert (
        gone["variant"] == "unanswerable"
        and gone["answers"] == ["none"]
        and gone["depth"] is gone["depth_index"] is None
    )
    assert gone["question"] == there["question"] not in dict(pairs_of(gone))
    assert len(set(pairs_of(there)) - set(pairs_of(gone))) <= 8  # the asked one, and what fills its room
    instruction = "If the object does not have that key, answer with the word none."
    assert instruction in there["prompt"] and instruction in gone["prompt"]
    assert instruction not in row(small.task("json_kv"), "4k", 0)["prompt"]


def test_near_keys_are_near_and_not_the_key() -> None:
    task = small.task("json_kv", distractors=20)
    built = row(task, "8k", 0)
    keys = [text[1:37] for text in said(built, "distractor")]
    assert len(set(keys)) == built["num_distractors"] == 20
    assert {sum(a != b for a, b in zip(key, built["question"], strict=True)) for key in keys} == {2}
    words = row(small.task("json_kv", keys="word", distractors=20), "8k", 0)
    keys, query = [text.split('"')[1] for text in said(words, "distractor")], words["question"].split("-")
    same = {tuple(a == b for a, b in zip(key.split("-"), query, strict=True)) for key in keys}
    assert len(set(keys)) == 20 and same == {(True, False), (False, True)}


def test_depths_of_groups_sweep_evenly() -> None:
    """docs/spec/synthetic.md D: an even sweep; docs/defects/synthetic.md A5 #7: depths not stratified."""
    task = small.task("kv_retrieval", bins=5)
    rows = [row(task, "8k", group) for group in range(20)]
    assert [built["depth_index"] for built in rows] == [0, 3, 1, 4, 2, 1, 4, 2, 0, 3, 2, 0, 3, 1, 4, 3, 1, 4, 2, 0]
    for built in rows:
        half = 0.5 / (built["num_segments"] - 1)
        assert built["depth_index"] / 5 - half <= built["depth"] <= (built["depth_index"] + 1) / 5 + half
    assert len({built["depth"] for built in rows}) > 15


def test_harder_entries_ask_the_same() -> None:
    """A group asks the same of an object with similar keys, with worked examples, at other depths, with a twin: scores can be compared pair by pair."""
    entries: list[dict[str, Any]] = [
        {},
        {"distractors": 9},
        {"shots": 2, "bins": 3},
        {"depths": 2, "unanswerable": True},
    ]
    rows = [row(small.task("kv_retrieval", **entry), "8k", 5) for entry in entries]
    assert len({(each["group_id"], each["question"], each["answers"][0]) for each in rows}) == 1
    other = row(small.task("kv_retrieval", keys="word"), "8k", 5)
    assert other["group_id"] != rows[0]["group_id"]


# --------------------------------------------------------------------------------------------------------- mistakes


def test_mistakes_are_refused_in_one_line() -> None:
    task = small.task("json_kv")
    with pytest.raises(BuildError, match=r"synthetic_json_kv_1k: no choice of units fills 99.5 % .*longer length"):
        for group in range(20):
            row(task, "1k", group)
    with pytest.raises(BuildError, match=r"synthetic_json_kv_8M test: 65,\d+ units have 4,\d+,\d+ tokens, but .*drop"):
        small.sample(task, "8M", 0)
    with pytest.raises(BuildError, match="leave no room"):
        row(small.task("json_kv", distractors=80), "4k", 0)
    with pytest.raises(ParamsError, match="keys"):
        small.task("json_kv", keys="numbers")


def test_rows_are_rounded_up_to_whole_groups(tmp_path: Path) -> None:
    made = small.suite(tmp_path, {"json_kv": {"lengths": {"4k": 7, "8k": 12}}})
    assert [table.rows for table in made.tables()] == [12, 12]
    assert made.entries["json_kv"].rounded == {7: 12}


def test_the_limit_is_honest() -> None:
    task = small.task("kv_retrieval")
    limit = task.limit()
    assert limit is not None and 3_500_000 < limit < 4_700_000
    built = small.sample(task, "4M", 0)
    assert built.unused_tokens is not None and 0 <= built.unused_tokens < 20


@pytest.fixture(scope="module")
def task() -> GeneratedTask[Any]:
    return small.task("json_kv")


def test_injuries_are_named(task: GeneratedTask[Any]) -> None:
    good = row(task, "4k", 0, 2)
    key, answer = good["question"], good["answers"][0]
    other_key, other_value = next(pair for pair in pairs_of(good) if pair[0] != key)
    flipped = answer[:-1] + ("1" if answer[-1] != "1" else "2")
    found = finder(task)
    elsewhere = "the requested pair is not at its span, or its value also appears elsewhere"
    assert found(injured(good, f'"{answer}"', f'"{flipped}"')) == [elsewhere]
    assert found(injured(good, f'"{other_value}"', f'"{answer}"'))[0] == "a value appears twice"
    assert found(injured(good, f'"{other_key}"', f'"{key}"'))[0] == "1 units occur twice"
    assert "the row has 7" in found({**good, "num_segments": 7})[0]
    [depth] = found({**good, "depth": good["depth"] + 0.1})
    assert f"the row has {good['depth'] + 0.1}" in depth
    demo = good["prompt"][good["prompt"].index("\nKey: ") + 6 :][:36]
    assert found(injured(good, f"Key: {demo}", f"Key: {key}")) == [
        f"worked example {key} is not another pair of the object"
    ]
    assert "not its units in order" in found(injured(good, '"\n, "', '", \n"'))[0]
    there = "the requested key is in the object, or its answer is not none"
    assert found({**good, "variant": "unanswerable"}) == [there]


def test_the_oracle_reads_only_the_prompt_and_refuses_what_it_must(task: GeneratedTask[Any]) -> None:
    good = row(task, "4k", 0, 2)
    key, answer = good["question"], good["answers"][0]
    other = next(value for query, value in pairs_of(good) if query != key)
    swapped = good["prompt"].replace(f'"{answer}"', '"A"').replace(f'"{other}"', f'"{answer}"')
    assert oracle.solve(swapped) == ["A"]
    for old, new, reason in (
        (f'"{key}":', '"lost":', "does not have the key"),
        ("</json>", "</jsn>", "no object"),
        (f'"{next(k for k, _ in pairs_of(good) if k != key)}":', f'"{key}":', "twice"),
        ("<json>", "<jsn>", "no object"),
    ):
        with pytest.raises(ValueError, match=reason):
            oracle.solve(good["prompt"].replace(old, new, 1))


# --------------------------------------------------------------------------------------------------------- by heart


def test_first_rows_by_heart() -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    known = ["0710b8b1e57a", "81ff11fe66cf", "a54823dd6c31", "99d0f18f08d9", "5de1ee92ea6f"]
    assert digests(*VARIANTS) == known
