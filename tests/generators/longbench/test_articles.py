"""LongBench's questions over several articles: natural rows, LongBench-E's ranges of words, 4k to 64k; the same questions at each."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.mined import MinedQuestion
from generators.longbench.articles import TASKS
from generators.passages.material import chained
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from haymaker.core.lengths import WORD_RANGES
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from tests.extras import few
from tests.generators import kit
from tests.generators.kit import Row, refused, rows_of
from tests.generators.passages import small

HOPS: dict[str, Any] = {"golds": 2, "kind": "bridge", "answers": ["Vuqe Zz"], "answer_groups": []}
LENGTHS = {"natural": 4, "0-4k": 4, "4-8k": 4, "8k+": 4, "4k": 4, "8k": 4, "16k": 4, "64k": 2}


def asked(number: int, depth: int, split: Split = "test", **more: Any) -> MinedQuestion:
    """A question with two golds and distractors of 20 to 110 words."""
    return small.question(split, number, depth, **HOPS | more)


def release(folder: Path, name: str = "hotpotqa", mined: str = "hop", **entry: Any) -> ReleaseSuite:
    return kit.suite(TASKS, folder, {name: {"retrieval_set": mined, **entry}}, small.TOKENIZERS)


def shown(row: Row, *kinds: str) -> list[str]:
    return [span["ref"] for span in row["spans"] if span["kind"] in (kinds or ("gold", "distractor"))]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("articles")
    small.write(folder, "hop", [replace(asked(i, 420), shown=5) for i in range(4)], shown=True)
    return release(folder, lengths=LENGTHS)


@pytest.fixture(scope="module")
def tables(built: kit.Built) -> dict[str, list[Row]]:
    """Rows by length."""
    return {table.length: found for table, found in built.items()}


def test_every_row_passes_every_check_of_validate(suite: ReleaseSuite, tables: dict[str, list[Row]]) -> None:
    assert {length: len(found) for length, found in tables.items()} == LENGTHS
    findings = kit.findings_of(suite, (row for found in tables.values() for row in found))
    assert findings.failures == []
    assert findings.checked["VERBATIM"] == findings.checked["recounted"] == findings.checked["STRICT"] == 30
    assert (findings.checked["FILL"], findings.checked["NESTED"]) == (14, 4 + 4 + 2)


def test_the_same_questions_at_every_length_in_one_order(tables: dict[str, list[Row]]) -> None:
    groups = [row["group_id"] for row in tables["natural"]]
    assert len(set(groups)) == 4
    for found in tables.values():
        assert [row["group_id"] for row in found] == groups[: len(found)]
    for order in (("natural", "4-8k", "8k+", "64k"), ("natural", "4k", "8k", "16k", "64k")):
        for number in range(2):
            for shorter, longer in pairwise(shown(tables[length][number]) for length in order):
                assert shorter == [ref for ref in longer if ref in set(shorter)]
                assert len(shorter) < len(longer)


def test_natural_rows_are_the_golds_and_what_the_publisher_shows(tables: dict[str, list[Row]]) -> None:
    for row in (row for found in tables.values() for row in found):
        name, noted = row["group_id"].rpartition("-")[2], kit.metadata(row)
        distractors = sorted(int(ref.rpartition("d")[2]) for ref in shown(row, "distractor"))
        assert noted["shown"] == 5 and len(shown(row, "gold")) == 2
        assert all(ref.startswith(name) for ref in shown(row))
        if row["length_tokens"] is None:
            assert distractors == list(range(len(distractors)))
            first, last = WORD_RANGES.get(row["length"], (0, None))
            assert first <= noted["length"] < (last or 13_001)


def test_the_instruction_stands_before_and_behind_and_is_the_same_for_the_three(tmp_path: Path) -> None:
    small.write(tmp_path, "hop", [asked(0, 40)])
    lengths = {"natural": 1}
    usual = {spec.name: rows_of(release(tmp_path, spec.name, lengths=lengths))[0]["num_segments"] for spec in TASKS}
    assert usual == {"hotpotqa": 10, "wikimqa2": 10, "musique": 20}
    rows = [rows_of(release(tmp_path, name, lengths=lengths, natural_units=10))[0] for name in usual]
    (prompt,) = {row["prompt"] for row in rows}
    (instruction,) = kit.said(rows[0], "instruction")
    assert prompt.startswith(f"{instruction}\n\nDocument [1] (Title: ") and prompt.count(instruction) == 2
    assert prompt.endswith(f"\n\n{instruction}\n\nQuestion: {rows[0]['question']}\nAnswer:")


def test_depths_of_golds_are_near_uniform(tmp_path: Path) -> None:
    """docs/defects/longbench.md D9. 100 questions, 2 golds among 10 places: 20 each; chi-square of 9 degrees, 0.1 % at 27.9."""
    filler = small.prose(Stream("filler"), 4000).split()
    texts = [(f"Ti{i}", " ".join(filler[i * 37 : i * 37 + 30 + i])) for i in range(40)]
    others = [small.passages(texts, prefix=f"q{i}d") for i in range(100)]
    small.write(tmp_path, "hop", [asked(i, 0, question=f"What is {i}?", distractors=others[i]) for i in range(100)])
    found = kit.by_place(release(tmp_path, lengths={"natural": 100, "4k": 60}))
    for length, points, most in (("natural", 10, 27.9), ("4k", 5, 18.5)):
        table, places = found["hotpotqa", length, "test"], Counter[int]()
        for row in table:
            kinds = [span["kind"] for span in row["spans"] if span["kind"] != "instruction"]
            places.update(at * points // len(kinds) for at, kind in enumerate(kinds) if kind == "gold")
        expected = 2 * len(table) / points
        assert sum((places[i] - expected) ** 2 / expected for i in range(points)) < most, places


def sized(*sizes: int, golds: tuple[int, int] = (10, 10)) -> MinedQuestion:
    """Distractors of so many words each, with titles of two; in a row each costs five more: Document [3] (Title: Ab cd): ..."""

    def texts(name: str, wanted: tuple[int, ...]) -> list[tuple[str, str]]:
        return [(f"{name} T{i}", " ".join(f"{name}{i}x{j}" for j in range(size))) for i, size in enumerate(wanted)]

    first, (title, text) = texts("Gold", golds)
    gold = small.passages([first, (title, text.rsplit(" ", 2)[0] + " Vuqe Zz")], prefix="g", rank=[None, None])
    return asked(0, 0, gold=gold, distractors=small.passages(texts("Other", sizes), prefix="d"), question="Who is it?")


AROUND = 3 + 2 + 2 * (10 + 5)  # question, answer, golds
HAND: list[tuple[str, str, dict[str, Any], tuple[int, ...], int, int]] = [
    # why, length, settings, sizes of distractors; distractors shown, words
    ("units", "natural", {"natural_units": 5}, (20,) * 8, 3, AROUND + 3 * 25),
    ("words, to the last one", "natural", {"natural_words": 110}, (20, 20, 20), 3, AROUND + 3 * 25),
    ("one word less", "natural", {"natural_words": 109}, (20, 20, 20), 2, AROUND + 2 * 25),
    ("nothing is skipped", "natural", {"natural_words": 109}, (20, 60, 20, 20), 1, AROUND + 25),
    ("0-4k, 3,999 words", "0-4k", {"natural_units": 50}, (3_934, 20, 20), 2, 3_999),
    ("0-4k, not 4,000", "0-4k", {"natural_units": 50}, (3_935, 20, 20), 1, 3_975),
    ("4-8k, beyond the units", "4-8k", {"natural_units": 3}, (995,) * 9, 4, AROUND + 4_000),
    ("8k+", "8k+", {"natural_units": 3}, (1_995,) * 9, 4, AROUND + 8_000),
    ("8k+, up to natural_words", "8k+", {"natural_words": 10_034}, (1_995,) * 9, 4, AROUND + 8_000),
]
MISSING = [
    ("golds too long", "natural", {"natural_words": 100}, (20,), (60, 60), "its golds alone have too many words"),
    ("nothing beside", "natural", {}, (13_000,), (10, 10), "no other passage stays within the words"),
    ("over a range", "4-8k", {}, (3_000, 5_500, 20), (10, 10), "no number of its passages has so many words"),
    ("ends too early", "8k+", {}, (20,) * 9, (10, 10), "no number of its passages has so many words"),
]  # fmt: skip


@pytest.mark.parametrize("case", HAND, ids=lambda case: case[0])
def test_natural_rows_hold_what_the_rule_says(tmp_path: Path, case: tuple[Any, ...]) -> None:
    _, length, settings, sizes, distractors, words = case
    small.write(tmp_path, "hop", [sized(*sizes)])
    made = release(tmp_path, lengths={length: 1}, **settings)
    row = rows_of(made)[0]
    assert sorted(shown(row, "distractor")) == [f"d{i}" for i in range(distractors)]
    assert json.loads(row["metadata"])["length"] == words
    assert kit.findings_of(made, [row]).failures == []


@pytest.mark.parametrize(
    ("golds", "sizes", "first"),
    [
        ((30, 30), [40] * 12 + [20, 10], "d12"),  # a shorter one, the best by rank
        ((30, 30), [20] * 12 + [40, 50], "d12"),  # a longer one
        ((30, 30), [40] * 7 + [20] + [40] * 6, ""),  # one of the first eight is shorter
        ((30, 30), [40] * 14, ""),  # no other one is shorter
    ],
)
def test_a_shorter_and_a_longer_passage_than_the_golds_is_among_the_first(
    tmp_path: Path, golds: tuple[int, int], sizes: list[int], first: str
) -> None:
    one = sized(*sizes, golds=golds)
    small.write(tmp_path, "hop", [replace(one, question_id=f"q{i}", question=f"Who, {i}?") for i in range(20)])
    made = release(tmp_path, lengths={"natural": 20})
    rows = rows_of(made)
    assert kit.findings_of(made, rows).failures == []
    usual = {f"d{i}" for i in range(8)}
    moved = [found for row in rows if (found := set(shown(row, "distractor"))) != usual]
    assert all(found == usual - {"d7"} | {first} for found in moved)
    assert 10 <= len(moved) < 20 if first else not moved, "golds are it by chance"


@pytest.mark.parametrize("case", MISSING, ids=lambda case: case[0])
def test_a_question_without_such_a_row_is_missing_with_its_reason(tmp_path: Path, case: tuple[Any, ...]) -> None:
    _, length, settings, sizes, golds, reason = case
    small.write(tmp_path, "hop", [sized(*sizes, golds=golds)])
    made = release(tmp_path, lengths={length: 1}, **settings)
    line = refused(BuildError, made.select, made.tables()[0])
    assert f"1 questions are required, but only 0 reach the length ({reason}: 1). Next: " in line


@few
@given(
    st.lists(st.integers(40, 900), min_size=0, max_size=25), st.sampled_from(["natural", "0-4k", "4-8k", "8k+"]),
    st.integers(2, 30), st.integers(100, 13_000),
)  # fmt: skip
def test_any_sizes_give_a_verified_row_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], length: str, units: int, most: int
) -> None:
    folder = tmp_path_factory.mktemp("any")
    small.write(folder, "hop", [sized(*sizes)])
    made = release(folder, lengths={length: 1}, natural_units=units, natural_words=most)
    task, table = made.task("hotpotqa"), made.tables()[0]
    candidate = task.pool("test").candidate(0)
    sums = [AROUND + sum(size + 5 for size in sizes[:n]) for n in range(len(sizes) + 1)]
    first, last = WORD_RANGES.get(length, (0, None))
    fits = [n for n, words in enumerate(sums) if n and first <= words <= most and (last is None or words < last)]
    if reason := task.rejection_reason_at(table, candidate):
        assert not fits, reason
    else:
        row = kit.finished([task.row(table, candidate, 0)])[0]
        assert kit.findings_of(made, [row]).failures == []
        assert row["num_distractors"] in fits


def test_rows_of_another_rule_are_named(suite: ReleaseSuite, tables: dict[str, list[Row]]) -> None:
    natural, longer = tables["natural"][0], tables["4-8k"][0] | {"length": "8k+"}
    for row, settings, named in (
        (natural, {"natural_units": 9}, "more passages than the words require"),
        (natural, {"natural_units": 11}, "another passage would fit within the words"),
        (natural, {"natural_words": 200}, "words are not within 0 to 200"),
        (longer, {}, "words are not within 8000 to 13000"),
    ):
        found = list(release(suite.inputs.data, lengths=LENGTHS, **settings).task("hotpotqa").problems(row))
        assert any(named in problem for problem in found), found


def test_a_passage_out_of_turn_and_a_gold_left_out_are_named(tmp_path: Path, tables: dict[str, list[Row]]) -> None:
    """The same row beside sets that were mined otherwise."""
    row = tables["natural"][0]
    whole = asked(int(row["group_id"].rpartition("te")[2]), 420)
    others = whole.distractors
    texts = list(zip(others.title, others.text, strict=True))[::-1]
    turned = replace(whole, distractors=small.passages(texts, prefix="x", passage_id=others.passage_id[::-1]))
    more = replace(whole, gold=chained(whole.gold, small.passages([("Third", "It is Vuqe Zz.")], prefix="third")))
    for question, named in ((turned, "not the first in priority"), (more, "a gold passage is missing")):
        small.write(tmp_path, "hop", [question])
        found = list(release(tmp_path, lengths={"natural": 1}).task("hotpotqa").problems(row))
        assert any(named in problem for problem in found), found
