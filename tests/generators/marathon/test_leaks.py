"""What options give away by themselves: planted leaks are found and marked, fair options are not (docs/defects/marathon.md D4, D5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generators.marathon import leaks
from generators.task import MEASURED
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import to_table
from pipelines.publishing.card import sections as card
from tests.generators.documents.small import name
from tests.generators.marathon import small

Row = dict[str, Any]


def rows(count: int = 80, orders: int = 4) -> list[Row]:
    """Fair questions: four names each, of which a draw is right; each comes in so many orders."""
    found = []
    for number in range(count):
        stream = Stream("leaks", number)
        names = [name(stream) for _ in range(4)]
        right = number % 4
        for by in range(orders):
            found.append(
                {
                    "group_id": f"g{number}", "question": f"Who hid the {name(stream)}?",
                    "choices": [names[(place - by) % 4] for place in range(4)],
                    "answer_index": (right + by) % 4, "metadata": "{}",
                },
            )  # fmt: skip
    return found


def figures(given: list[Row]) -> dict[str, Any]:
    found: dict[str, Any] = leaks.measures(given)[leaks.MEASURE]
    return found


def changed(row: Row, right: str, wrong: str = "{}") -> Row:
    forms = [right if place == row["answer_index"] else wrong for place in range(4)]
    return row | {"choices": [form.format(choice) for form, choice in zip(forms, row["choices"], strict=True)]}


def test_fair_options_give_nothing_away() -> None:
    found = figures(rows())
    assert (found["questions"], found["chance"], found["letter"]) == (80, 0.25, 0.25)
    assert [leak for leak in leaks.LIMITS if leaks.above(found, leak)] == []
    assert leaks.shown(found)[-1] == "80" and "⚠" not in "".join(leaks.shown(found))


@pytest.mark.parametrize(
    ("leak", "right", "wrong"),
    [
        ("longest", "{} of the hill", "{}"),
        ("shortest", "{}", "{} of the hill"),
        ("unread", "{} the Younger", "{} of Ithaka"),
        ("unread", "{}.", "{}"),
    ],
)
def test_a_leak_is_found_and_marked(leak: str, right: str, wrong: str) -> None:
    found = figures([changed(row, right, wrong) for row in rows()])
    assert found[leak] == 1.0 and leaks.above(found, leak)
    assert leaks.shown(found)[list(leaks.LIMITS).index(leak)] == "100 ⚠"


def test_the_option_that_the_others_were_made_from_is_found() -> None:
    """Wrong options that each change one word of the right one."""
    given = []
    for row in rows():
        base = ["amber", "bridge", "candle", "dagger"]
        choices = []
        for place in range(4):
            shift = (place - row["answer_index"]) % 4
            choices.append(" ".join("x" * (shift + 2) if at == shift else each for at, each in enumerate(base, 1)))
        given.append(row | {"choices": choices})
    found = figures(given)
    assert found["like_others"] == 1.0 and leaks.above(found, "like_others")


def test_the_option_that_says_the_question_again_is_found() -> None:
    given = [changed(row, f"{{}} {row['question'].split()[-1]}", "{} Nobody") for row in rows()]
    assert figures(given)["like_question"] > 0.95


def test_guesses_are_shared_among_equals_and_a_question_counts_once() -> None:
    same = {"question": "Which?", "choices": ["abc", "abd", "ab", "abe"], "metadata": "{}"}
    given = [same | {"group_id": "g1", "answer_index": 0}] * 3 + [same | {"group_id": "g2", "answer_index": 2}]
    found = figures(given)
    assert (found["questions"], found["longest"], found["shortest"], found["letter"]) == (2, 0.1667, 0.5, 0.75)
    assert leaks.measures([]) == {}


def test_few_questions_are_marked_only_far_above_chance() -> None:
    assert not leaks.above({"questions": 9, "chance": 0.25, "longest": 1.0}, "longest")
    assert not leaks.above({"questions": 15, "chance": 0.25, "longest": 0.47}, "longest")  # 25 + 2 x 11 %
    assert leaks.above({"questions": 15, "chance": 0.25, "longest": 0.48}, "longest")
    assert not leaks.above({"questions": 1000, "chance": 0.25, "longest": 0.35}, "longest")
    assert leaks.above({"questions": 1000, "chance": 0.25, "longest": 0.36}, "longest")


def test_a_table_of_rows_is_measured_from_its_published_columns(tmp_path: Path) -> None:
    small.write(tmp_path, *small.collection([3, 4, 5, 6], []))
    entry = {"base": "shortdep_qa", "documents": "books", "sorts": list(small.SORTS), "lengths": {"natural": 80}}
    suite = small.suite(tmp_path, {"every_sort": entry})
    built = to_table(list(suite.build(suite.tables()[0], 0, 80))).select(MEASURED).to_pylist()
    measured = suite.measures(lambda table: built)
    found = measured["option_leaks"]["every_sort"]["natural"]
    assert (found["questions"], found["letter"], found["chance"]) == (20, 0.25, 0.25)
    assert set(found) == {"questions", "chance", *leaks.LIMITS}


def test_the_card_has_a_line_per_table_in_order_of_length() -> None:
    lengths = {"natural": 8, "16k": 8, "4k": 4}
    tasks = ("shortdep_qa", "computation")
    found = figures(rows())
    noted = {name: {length: found | {"longest": 0.6} for length in lengths} for name in sorted(tasks)}
    facts: dict[str, Any] = {"tasks": [{"name": name, "lengths": lengths} for name in tasks]}
    lines = card._leaks(facts | {leaks.MEASURE: noted})
    assert [line[:2] for line in lines] == [[task, length] for task in tasks for length in ("4k", "16k", "natural")]
    assert {(line[2], line[-1]) for line in lines} == {("60 ⚠", "80")}
    assert card._leaks(facts) == []
