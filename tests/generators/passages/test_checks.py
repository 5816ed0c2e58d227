"""The verification sees what it is there for: each injury to a finished row is named."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.passages.checks import answer_leaks, as_mined, folded, letters, passages
from generators.suite import ReleaseSuite
from haymaker.core.rows.schema import to_table
from tests.generators.kit import Injury, Row, assert_named, metadata, note, spans
from tests.generators.passages import small

TASKS: dict[str, Any] = {
    "kilt_nq": {"retrieval_set": "single", "lengths": {"4k": 6}},
    "msmarco_rerank": {"retrieval_set": "search", "lengths": {"4k": 3}},
    "alce_qampari": {"retrieval_set": "several", "lengths": {"8k": 1}, "shots": 1},
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> ReleaseSuite:
    folder = tmp_path_factory.mktemp("verification")
    train = [small.question("train", i, 8, golds=2) for i in range(3)]
    single = [small.question("test", 0, 60), *(small.question("train", i, 8) for i in range(3))]
    search = [small.search("test", 0, [3, 0, 1], 120), *(small.search("train", i, [3, 0], 10) for i in range(3))]
    for name, questions in (
        ("single", single),
        ("several", [small.question("test", 0, 60, golds=2), *train]),
        ("search", search),
    ):
        small.write(folder, name, questions)
    return small.suite(folder, TASKS)


@pytest.fixture(scope="module")
def whole(suite: ReleaseSuite) -> dict[str, Row]:
    return {t.task: to_table(list(suite.build(t, 0, 3 if t.rows > 1 else 1))).to_pylist()[-1] for t in suite.tables()}


def write_over(row: Row, span: dict[str, Any], text: str) -> None:
    """Other text of the same length in the place of a span."""
    size = span["end"] - span["start"]
    row["prompt"] = row["prompt"][: span["start"]] + text.ljust(size, "x")[:size] + row["prompt"][span["end"] :]


def swap_gold(row: Row) -> None:
    row["spans"][row["spans"].index(spans(row, "gold")[0])]["kind"] = "distractor"
    spans(row, "distractor")[-1]["kind"] = "gold"


def twice(row: Row) -> None:
    one, other = sorted(spans(row, "distractor")[:2], key=lambda s: int(s["end"] - s["start"]))
    write_over(row, other, "x")
    write_over(row, one, "x")
    other["end"] = other["start"] + one["end"] - one["start"]


def shift(row: Row) -> None:
    for span in row["spans"]:
        if span["kind"] != "instruction":
            span["start"] += 1


INJURIES: list[tuple[str, Injury, str]] = [
    ("kilt_nq", lambda row: write_over(row, spans(row, "distractor")[0], "Changed"), "differs from the prepared"),
    ("kilt_nq", lambda row: write_over(row, spans(row, "gold")[0], "No more"), "differs from the prepared"),
    ("kilt_nq", lambda row: row.update(answers=["Never said"]), "does not contain the answer"),
    ("kilt_nq", swap_gold, "is marked"),
    ("kilt_nq", twice, "1 passages appear twice"),
    ("kilt_nq", lambda row: row.update(answer_prefix_start=len(row["prompt"])), "or the cue at answer_prefix_start, is missing"),
    ("kilt_nq", shift, "the context is not its units"),
    ("kilt_nq", lambda row: row.update(depth=0.9), "the row has 0.9"),
    ("kilt_nq", lambda row: row.update(depth_index=5), "not the nearest to point 5"),
    ("kilt_nq", lambda row: row["spans"].remove(spans(row, "distractor")[3]), "the context is not its units"),
    ("kilt_nq", lambda row: row["doc_ids"].reverse(), "doc_ids are not the documents"),
    ("kilt_nq", lambda row: row.update(num_segments=3), "the row has 3 and"),
    ("kilt_nq", lambda row: row.update(num_distractors=3), "distractors, the row has 3"),
    ("kilt_nq", lambda row: row.update(fewshot_ids=["tr0", "tr0"]), "worked examples instead of"),
    ("kilt_nq", lambda row: row.update(fewshot_ids=["te0", "tr0"]), "not another question of split train"),
    ("kilt_nq", lambda row: row.update(unused_tokens=600), "room for a passage"),
    ("kilt_nq", lambda row: row.update(question="Who?"), "the question"),
    ("kilt_nq", lambda row: row.update(group_id="single-test-none"), "no question single-test-none"),
    ("msmarco_rerank", lambda row: note(row, qrels=dict.fromkeys(metadata(row)["qrels"], 0)), "qrels are not the ids"),
    ("msmarco_rerank", lambda row: row.update(answers=["1 > 2"]), "not the best ids by grade"),
    ("alce_qampari", lambda row: row.update(answers=[row["answers"][0].replace("[", "[9")]), "which is not a gold passage"),
    ("alce_qampari", lambda row: row.update(answers=[row["answers"][0].replace(" [", "zu [")]), "which does not support"),
    ("alce_qampari", lambda row: spans(row, "distractor")[0].update(title="Other"), "the context is not its units"),
    ("alce_qampari", lambda row: row.update(answers=[row["answers"][0] + ", and more"]), "which cites nothing"),
]  # fmt: skip


def test_a_passage_that_an_example_shows_is_not_one_passed_over(suite: ReleaseSuite, whole: dict[str, Row]) -> None:
    task, row = suite.task("kilt_nq"), whole["kilt_nq"] | {"unused_tokens": 600}
    question = task.stock.mined.read(task.stock.number_of[row["group_id"]])  # type: ignore[attr-defined]
    for examples, problems in (("", 1), ("\n".join(question.distractors.text), 0)):
        at = len(examples)
        each = row | {"prompt": examples + row["prompt"], "context_start": at + row["context_start"]}
        moved = [span | {"start": at + span["start"], "end": at + span["end"]} for span in passages(row)]
        assert len(list(as_mined(each, moved, question, range(len(question.distractors)), graded=False))) == problems


@pytest.mark.parametrize(("task", "injure", "named"), INJURIES)
def test_each_injury_is_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Injury, named: str
) -> None:
    assert_named(suite.task(task), whole[task], injure, named)


def test_without_the_mined_set_only_the_prompt_is_verified(
    tmp_path: Path, suite: ReleaseSuite, whole: dict[str, Row]
) -> None:
    alone = small.suite(tmp_path, TASKS).task("kilt_nq")
    row = deepcopy(whole["kilt_nq"])
    assert list(alone.problems(row)) == list(alone.answer_leaks(row)) == []
    row["doc_ids"].reverse()
    assert len(list(alone.problems(row))) == 1


@pytest.mark.parametrize(
    ("alias", "text", "found"),
    [
        ("pol", "The police came.", False),  # docs/defects/helmet.md D24
        ("pol", "Ils sont (Pol) là.", True),
        ("U.S.", "in the u.s. army", True),
        ("Béla Bartók", "BELA\nBARTOK wrote", True),
        ("rock 'n' roll", "Rock-n-Roll!", True),
        ("yes", "yes", False),
        ("A", "a", False),
        ("!!", "!!", False),
        ("New York", "New Yorker", False),
        ("7", "7", False),
        ("07", "in 07.", True),
    ],
)
def test_a_matcher_of_its_own(whole: dict[str, Row], alias: str, text: str, found: bool) -> None:
    for where in ("text", "title"):
        row = deepcopy(whole["kilt_nq"]) | {"answers": [alias]}
        span = spans(row, "distractor")[0]
        write_over(row, span, f"{text} " if where == "text" else "x")
        span["title"] = text if where == "title" else "x"
        assert any("distractor" in each for each in answer_leaks(row)) == found


def test_an_answer_in_an_example_is_seen(whole: dict[str, Row]) -> None:
    row = deepcopy(whole["kilt_nq"])
    word = row["prompt"][spans(row, "fewshot")[0]["start"] :].split()[9].strip(".")
    assert any(each.startswith("fewshot") for each in answer_leaks(row | {"answers": [word]}))
    assert list(answer_leaks(row | {"answers": ["Document", "Question", "Answer", "Title"]})) == []


WRITTEN = st.text(st.sampled_from("aEéÉe\u0301KK\u212aİißẞ字あ１ａ,.-_ \n19ñ"), max_size=12)


@given(before=WRITTEN, alias=WRITTEN, behind=WRITTEN)
def test_a_text_that_holds_an_alias_has_its_letters(before: str, alias: str, behind: str) -> None:
    """Where letters differ, folded texts do: what is passed over by letters alone holds nothing."""
    for text in (f"{before} {alias} {behind}", before + alias + behind, before):
        assert folded(alias) not in folded(text) or letters(alias) in letters(text)
        assert folded(alias) != folded(text) or letters(alias) == letters(text)
    assert letters("Gödel, 1931!") == b"godel1931" == letters("go\u0308DEL 19 31")
