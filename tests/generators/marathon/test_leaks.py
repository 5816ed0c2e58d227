"""What options give away by themselves: planted leaks are found and marked, fair options are not (docs/defects/marathon.md D4, D5)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generators.marathon import leaks
from generators.task import MEASURED
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import to_table
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


def word_changed(row: Row) -> Row:
    """Wrong options that each change one word of the right one."""
    choices = []
    for place in range(4):
        shift = (place - row["answer_index"]) % 4
        words = ["amber", "bridge", "candle", "dagger"]
        choices.append(" ".join("x" * (shift + 2) if at == shift else each for at, each in enumerate(words, 1)))
    return row | {"choices": choices}


@pytest.mark.parametrize(
    ("leak", "damage"),
    [
        ("longest", lambda row: changed(row, "{} of the hill")),
        ("shortest", lambda row: changed(row, "{}", "{} of the hill")),
        ("unread", lambda row: changed(row, "{} the Younger", "{} of Ithaka")),
        ("unread", lambda row: changed(row, "{}.")),
        ("like_others", word_changed),
        ("like_question", lambda row: changed(row, f"{{}} {row['question'].split()[-1]}", "{} Nobody")),
    ],
)
def test_a_leak_is_found_and_marked(leak: str, damage: Callable[[Row], Row]) -> None:
    found = figures([damage(row) for row in rows()])
    assert found[leak] > 0.95 and leaks.above(found, leak)
    assert leaks.shown(found)[list(leaks.LIMITS).index(leak)].endswith(" ⚠")


def test_guesses_are_shared_among_equals_and_a_question_counts_once() -> None:
    same = {"question": "Which?", "choices": ["abc", "abd", "ab", "abe"], "metadata": "{}"}
    given = [same | {"group_id": "g1", "answer_index": 0}] * 3 + [same | {"group_id": "g2", "answer_index": 2}]
    found = figures(given)
    assert (found["questions"], found["longest"], found["shortest"], found["letter"]) == (2, 0.1667, 0.5, 0.75)
    assert leaks.measures([]) == {}


def test_few_questions_are_marked_only_far_above_chance() -> None:
    """At 15 questions the limit is 25 + 2 x 11 %."""
    for questions, share, marked in (
        (9, 1.0, False),
        (15, 0.47, False),
        (15, 0.48, True),
        (1000, 0.35, False),
        (1000, 0.36, True),
    ):
        assert leaks.above({"questions": questions, "chance": 0.25, "longest": share}, "longest") == marked


def test_a_table_of_rows_is_measured_from_its_published_columns(tmp_path: Path) -> None:
    small.write(tmp_path, *small.collection([3, 4, 5, 6], []))
    entry = {"base": "shortdep_qa", "documents": "books", "sorts": list(small.SORTS), "lengths": {"natural": 80}}
    suite = small.suite(tmp_path, {"every_sort": entry})
    built = to_table(list(suite.build(suite.tables()[0], 0, 80))).select(MEASURED).to_pylist()
    measured = suite.measures(lambda table: built)
    found = measured["option_leaks"]["every_sort"]["natural"]
    assert (found["questions"], found["letter"], found["chance"]) == (20, 0.25, 0.25)
    assert set(found) == {"questions", "chance", *leaks.LIMITS}
