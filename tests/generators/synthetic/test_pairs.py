"""JSON tasks: exact counts, valid JSON, the asked pair alone moves, longer objects hold shorter ones; each injury is named."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.synthetic.oracles import pairs as oracle
from generators.synthetic.pairs import Pairs
from haymaker.core.errors import BuildError, ParamsError
from tests.errors import refused
from tests.extras import few
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import Row, assert_nested, injured, prove, row, units
from tests.rows import row_digest

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("json_kv", {}),
    ("json_kv", {"absent": True, "distractors": 6}),
    ("json_kv", {"keys": "word", "distractors": 5, "shots": 3, "depths": 3}),
    ("kv_retrieval", {}),
    ("kv_retrieval", {"keys": "word", "absent": True}),
]


def pairs_of(row: Row) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = json.loads(
        row["prompt"][row["context_start"] : row["context_end"]], object_pairs_hook=list
    )
    return found


@pytest.mark.parametrize(("name", "entry"), VARIANTS)
def test_rows_are_full_counted_and_solved(name: str, entry: dict[str, Any]) -> None:
    task = small.task(name, **entry)
    for bucket, groups in (("4k", 2), ("8k", 1), ("16k", 1)):
        for group in range(groups):
            for point in range(task.variants):
                prove(task, row(task, bucket, group, point))


@given(group=st.integers(0, 2**40), bucket=st.sampled_from(["4k", "5k", "6k", "11k"]))
@few
def test_any_group_fills_any_length(group: int, bucket: str) -> None:
    task = small.task("kv_retrieval")
    prove(task, row(task, bucket, group))


@pytest.mark.parametrize(("name", "entry"), VARIANTS)
def test_longer_objects_hold_shorter_ones(name: str, entry: dict[str, Any]) -> None:
    task = small.task(name, **entry)
    for group, point in ((0, 0), (1, task.variants - 1)):
        assert_nested(task, [row(task, bucket, group, point) for bucket in ("4k", "8k", "16k", "32k", "128k")])


def test_the_asked_pair_moves_and_the_rest_stays() -> None:
    """docs/spec/synthetic.md C: six evenly spaced depths."""
    task = small.task("json_kv")
    rows = [row(task, "8k", 4, point) for point in range(6)]
    assert len({tuple(units(task, each)) for each in rows}) == 1
    assert len({(each["question"], each["answers"][0], each["n_units"]) for each in rows}) == 1
    for point, each in enumerate(rows):
        place = [key for key, _ in pairs_of(each)].index(each["question"])
        assert abs(place - point / 5 * (each["n_units"] - 1)) <= 0.5
        assert each["depth_index"] == point
    assert pairs_of(rows[0])[0] == pairs_of(rows[5])[-1] == (rows[0]["question"], rows[0]["answers"][0])


def test_demos_are_other_pairs_of_the_object() -> None:
    """docs/spec/synthetic.md C: the demos must not be the queried pair."""
    task = small.task("json_kv")
    for group in range(12):
        built = row(task, "4k", group, 1)
        demos = [built["prompt"][s["start"] : s["end"]] for s in built["spans"] if s["kind"] == "demo"]
        shown = [tuple(line.split(": ")[1] for line in demo.split("\n")) for demo in demos]
        assert len(set(shown)) == 2
        assert set(shown) <= set(pairs_of(built)) - {(built["question"], built["answers"][0])}


def test_no_group_shares_a_pair_and_parts_differ() -> None:
    task = small.task("kv_retrieval")
    rows = [row(task, "16k", group) for group in range(8)] + [row(task, "16k", 0, part="train")]
    seen = [set(pairs_of(each)) for each in rows]
    assert not any(a & b for a, b in pairwise(seen)) and not seen[0] & seen[-1]
    assert len({each["question"] for each in rows}) == 9


def test_the_absent_twin_has_the_same_pairs_but_one() -> None:
    task = small.task("json_kv", absent=True, distractors=4)
    there, gone = row(task, "8k", 0, 2), row(task, "8k", 0, 6)
    assert gone["variant"] == "absent" and gone["answers"] == ["none"] and gone["depth"] is gone["depth_index"] is None
    assert gone["question"] == there["question"] not in dict(pairs_of(gone))
    assert len(set(pairs_of(there)) - set(pairs_of(gone))) <= 8  # the asked one, and what fills its room
    instruction = "If the object does not have that key, answer with the word none."
    assert instruction in there["prompt"] and instruction in gone["prompt"]
    assert instruction not in row(small.task("json_kv"), "4k", 0)["prompt"]


def test_near_keys_are_near_and_not_the_key() -> None:
    task = small.task("json_kv", distractors=20)
    built = row(task, "8k", 0)
    keys = [built["prompt"][s["start"] : s["end"]][1:37] for s in built["spans"] if s["kind"] == "distractor"]
    assert len(set(keys)) == built["n_distractors"] == 20
    assert {sum(a != b for a, b in zip(key, built["question"], strict=True)) for key in keys} == {2}
    words = row(small.task("json_kv", keys="word", distractors=20), "8k", 0)
    keys = [words["prompt"][s["start"] : s["end"]].split('"')[1] for s in words["spans"] if s["kind"] == "distractor"]
    query = words["question"].split("-")
    assert len(set(keys)) == 20
    assert {tuple(a == b for a, b in zip(key.split("-"), query, strict=True)) for key in keys} == {
        (True, False),
        (False, True),
    }


def test_depths_of_groups_sweep_evenly() -> None:
    """docs/spec/synthetic.md D: an even sweep; docs/defects/synthetic.md A5 #7: depths not stratified."""
    task = small.task("kv_retrieval", bins=5)
    rows = [row(task, "8k", group) for group in range(20)]
    assert [built["depth_index"] for built in rows] == [0, 3, 1, 4, 2, 1, 4, 2, 0, 3, 2, 0, 3, 1, 4, 3, 1, 4, 2, 0]
    for built in rows:
        half = 0.5 / (built["n_units"] - 1)
        assert built["depth_index"] / 5 - half <= built["depth"] <= (built["depth_index"] + 1) / 5 + half
    assert len({built["depth"] for built in rows}) > 15


def test_harder_entries_ask_the_same() -> None:
    """A group asks the same of an object with near keys, with demos, at other depths, with a twin: scores can be compared pair by pair."""
    entries: list[dict[str, Any]] = [{}, {"distractors": 9}, {"shots": 2, "bins": 3}, {"depths": 2, "absent": True}]
    rows = [row(small.task("kv_retrieval", **entry), "8k", 5) for entry in entries]
    assert len({(each["group_id"], each["question"], each["answers"][0]) for each in rows}) == 1
    other = row(small.task("kv_retrieval", keys="word"), "8k", 5)
    assert other["group_id"] != rows[0]["group_id"]


def test_any_order_of_work_gives_the_same_rows() -> None:
    one, other = small.task("json_kv"), small.task("json_kv")
    wanted = [("8k", 1, 3), ("4k", 0, 0), ("8k", 1, 0), ("4k", 2, 5)]
    rows = {each: row(one, *each) for each in wanted}
    assert {each: row(other, *each) for each in reversed(wanted)} == rows


# --------------------------------------------------------------------------------------------------------- mistakes


def test_mistakes_are_refused_in_one_line(tmp_path: Path) -> None:
    task = small.task("json_kv")
    with refused(BuildError, "synthetic_json_kv_1k", "99.5"):
        for group in range(20):
            row(task, "1k", group)
    with refused(BuildError, "synthetic_json_kv_8M test", 65, 4):
        small.sample(task, "8M", 0)
    with refused(BuildError, "synthetic_json_kv_4k"):
        row(small.task("json_kv", distractors=80), "4k", 0)
    with refused(ParamsError, "suites.synthetic.tasks.json_kv: keys"):
        small.task("json_kv", keys="numbers")
    with refused(ParamsError, "suites.synthetic.tasks.json_kv.buckets.4k"):
        small.suite(tmp_path, {"json_kv": {"buckets": {"4k": 7}}}).tables()


def test_the_limit_is_honest() -> None:
    task = small.task("kv_retrieval")
    limit = task.limit()
    assert limit is not None and 3_500_000 < limit < 4_700_000
    built = small.sample(task, "4M", 0)
    assert built.slack_tokens is not None and 0 <= built.slack_tokens < 20


@pytest.fixture(scope="module")
def task() -> Pairs:
    built = small.task("json_kv")
    assert isinstance(built, Pairs)
    return built


def test_injuries_are_named(task: Pairs) -> None:
    good = row(task, "4k", 0, 2)
    key, answer = good["question"], good["answers"][0]
    other_key, other_value = next(pair for pair in pairs_of(good) if pair[0] != key)
    flipped = answer[:-1] + ("1" if answer[-1] != "1" else "2")

    def found(row: Row) -> list[str]:
        return list(task.problems(row))

    assert found(injured(good, f'"{answer}"', f'"{flipped}"')) == [
        "the asked pair is not at its span, or its value stands elsewhere too"
    ]
    assert "a key or a value comes twice" in found(injured(good, f'"{other_value}"', f'"{answer}"'))[0]
    assert "a key or a value comes twice" in found(injured(good, f'"{other_key}"', f'"{key}"'))[0]
    assert found({**good, "depth": good["depth"] + 0.1}) == ["depth is not where the asked pair stands"]
    demo = good["prompt"][good["prompt"].index("\nKey: ") + 6 :][:36]
    assert found(injured(good, f"Key: {demo}", f"Key: {key}")) == [f"demo {key} is not another pair of the object"]
    assert "not one pair a line" in found(injured(good, '"\n, "', '", \n"'))[0]
    gone = {**good, "variant": "absent"}
    assert found(gone) == ["the key asked for is in the object, or its answer is not none"]


def test_the_oracle_reads_only_the_prompt_and_refuses_what_it_must(task: Pairs) -> None:
    good = row(task, "4k", 0, 2)
    key, answer = good["question"], good["answers"][0]
    other = next(value for query, value in pairs_of(good) if query != key)
    swapped = good["prompt"].replace(f'"{answer}"', '"A"').replace(f'"{other}"', f'"{answer}"')
    assert oracle.solve(swapped) == ["A"]
    for old, new, reason in (
        (f'"{key}":', '"lost":', ("", "does")),
        ("</json>", "</jsn>", ("", "object")),
        (f'"{next(k for k, _ in pairs_of(good) if k != key)}":', f'"{key}":', ("", "twice")),
        ("<json>", "<jsn>", ("", "object")),
    ):
        with refused(ValueError, *reason):
            oracle.solve(good["prompt"].replace(old, new, 1))


# --------------------------------------------------------------------------------------------------------- by heart


def test_first_rows_by_heart(task: Pairs) -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    built = row(task, "4k", 0)
    head, _, rest = built["prompt"].partition("\n\n")
    assert head == (
        "Below is a JSON object. Look up the key that is named at the very end and give its value exactly as it stands in the "
        "object, without quotation marks and with nothing before or after it."
    )
    assert rest.startswith(f'<json>\n{{ "{built["question"]}": "{built["answers"][0]}"\n, "')
    assert rest.endswith(f"\n\nKey: {built['question']}\nValue:") and '"\n}\n</json>\n\nKey: ' in rest
    digests = {
        f"{name} {json.dumps(entry)}": row_digest(row(small.task(name, **entry), "4k", 0)) for name, entry in VARIANTS
    }
    assert digests == GOLDEN


GOLDEN: dict[str, str] = {
    "json_kv {}": "a556170f917c",
    'json_kv {"absent": true, "distractors": 6}': "a07ebe87efe6",
    'json_kv {"keys": "word", "distractors": 5, "shots": 3, "depths": 3}': "54c903300b3b",
    "kv_retrieval {}": "e6353bce44b5",
    'kv_retrieval {"keys": "word", "absent": true}': "23af92349dbe",
}


@pytest.mark.real
def test_counts_under_other_tokenizers(mirror: Path) -> None:
    names = ("o200k", "gpt2", f"file:{mirror}/tokenizers/llama2/tokenizer.model", "tekken")
    task = small.task("json_kv", tokenizers=names, absent=True, distractors=3)
    for point in range(7):
        prove(task, row(task, "16k", 1, point), names)
