"""Prompts: dates, grid, wording; what a reader is told is what the output constraints demand."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.longgenbench.headings import Headings, squarest
from generators.longgenbench.prompts import Document, rendered
from generators.task import prompt_texts
from haymaker.core.text.strings import padded
from tests.generators.longgenbench import small

few = settings(max_examples=30, deadline=None)
MONTHS = "January February March April May June July August September October November December".split()


# ------------------------------------------------------------------------------------------------------ headings


def test_headings_by_heart() -> None:
    """docs/defects/longgenbench.md D6 to D8: no week 53 that starts again, leap days, no return to the beginning of the year."""
    weeks, days = Headings("Week", 2031), Headings("Menu Day", 2032)
    assert [weeks.of(at) for at in (5, 53, 3704)] == [
        "Week 5 (29 January to 4 February 2031)", "Week 53 (31 December 2031 to 6 January 2032)", "Week 3704 (21 to 27 December 2101)",
    ]  # fmt: skip
    assert [days.of(at) for at in (60, 367)] == [
        "Menu Day 60 (Sunday, 29 February 2032)", "Menu Day 367 (Saturday, 1 January 2033)",
    ]  # fmt: skip
    assert (weeks.first_day(), days.first_day()) == ("1 January 2031", "Thursday, 1 January 2032")


@given(year=st.integers(1900, 2999), index=st.integers(1, 50_000))
@few
def test_every_date_is_that_of_the_calendar(year: int, index: int) -> None:
    start = date(year, 1, 1)

    def read(text: str) -> date:
        day, month, year = text.split()
        return date(int(year), MONTHS.index(month) + 1, int(day))

    heading = re.fullmatch(r"Day \d+ \(([A-Z][a-z]+day), (.+)\)", Headings("Day", year).of(index))
    assert heading and read(heading[2]) == start + timedelta(days=index - 1)
    assert heading[1] == read(heading[2]).strftime("%A")
    first, last = re.fullmatch(r"Week \d+ \((.+) to (.+)\)", Headings("Week", year).of(index)).groups()  # type: ignore[union-attr]
    end = read(last)
    begin = read(" ".join([*first.split(), *last.split()[len(first.split()) :]]))
    assert (begin, end) == (start + timedelta(weeks=index - 1), start + timedelta(weeks=index - 1, days=6))


def test_blocks_are_numbered_row_by_row() -> None:
    """docs/defects/longgenbench.md D10: along a row the column changes, and the prompt says so."""
    grid = Headings("Block", 2031, 10)
    assert [grid.of(index) for index in (1, 2, 10, 11)] == [
        "Block 1 (row 1, column 1)", "Block 2 (row 1, column 2)", "Block 10 (row 1, column 10)", "Block 11 (row 2, column 1)",
    ]  # fmt: skip
    assert grid.span(34, 36) == "Block 34 to Block 36 (row 4, columns 4 to 6)"
    assert [squarest(n) for n in (100, 361, 72, 18, 15)] == [(10, 10), (19, 19), (8, 9), (4, 4), (3, 5)]
    tower = Headings("Floor", 2031)
    assert (tower.of(7), tower.placed(7), tower.span(3, 5)) == ("Floor 7", "Floor 7", "Floor 3 to Floor 5")


# ------------------------------------------------------------------------------------------------------- wording


@pytest.mark.parametrize("name", small.SPECS)
def test_parts_stand_in_order(name: str) -> None:
    row = small.row(small.plain(name), "16k", 4)
    prompt, metadata = row["prompt"], json.loads(row["metadata"])
    parts = (
        row["question"], "Some ", "Once each:", "In consecutive ", "At regular intervals:", "In addition, every ", "Begin every ", "<example>",
        f"{metadata['header']}\n", "</example>", f"Write all {metadata['entries']} ", "*** finished ***", "\n\n*** started ***\n",
    )  # fmt: skip
    at = [prompt.index(part) for part in parts]
    assert at == sorted(at) and prompt.startswith(row["question"])
    assert (
        prompt.endswith(f"*** started ***\n{metadata['header']}")
        and prompt[row["answer_prefix_start"] :] == metadata["header"]
    )
    assert f"at least {metadata['min_words']} words" in prompt
    lines = prompt[row["context_start"] : row["context_end"]]
    assert lines.startswith("Once each:\n- ") and lines.endswith('".') and lines.count("\n- ") == 7
    assert not re.search(r"[{}]|  |\n\n\n|\ba [aeio]\w|\.\.", prompt.replace("a one", ""))
    (shown,) = (prompt[span["start"] : span["end"]] for span in row["spans"] if span["kind"] == "fewshot")
    assert shown.startswith("<example>\n#*# ")


@pytest.mark.parametrize("name", small.SPECS)
def test_the_worked_example_is_shorter_and_holds_no_event(name: str) -> None:
    """docs/defects/longgenbench.md D12."""
    task = small.plain(name)
    for group in range(6):
        row = small.row(task, "8k", group)
        shown = re.search(r"<example>\n(.*)\n(.*)\n</example>", row["prompt"])
        assert shown and 40 < len(shown[2].split()) < json.loads(row["metadata"])["min_words"]
        assert not any(padded(check["text"]) in padded(shown[0]) for check in row["output_constraints"])


def test_people_are_one_family_without_contradictions() -> None:
    """docs/defects/longgenbench.md D15: five or so different names, and no word says who is a wife or a husband."""
    task = small.plain("diary_week")
    for group in range(40):
        prompt = small.row(task, "8k", group)["prompt"]
        about = re.search(
            r"of (\w+) (\w+), an? .+? lives with (\w+); (?:their child is|their children are) (.+?)\. (\w+), a friend",
            prompt,
            re.DOTALL,
        )
        assert about
        names = [about[1], about[3], about[5], *re.split(", | and ", about[4])]
        assert len(set(names)) == len(names) in (4, 5, 6)
        assert not re.search(r"\b(he|she|his|her|him|wife|husband|yourself)\b", prompt)


# -------------------------------------------------------------------------------------------------------- exact


@pytest.mark.parametrize(
    ("unit", "entries", "turns"),
    [("Week", 52, False), ("Week", 53, True), ("Menu Day", 365, False), ("Menu Day", 366, True), ("Floor", 6000, False)],
)  # fmt: skip
def test_the_turn_of_a_year_is_spoken_of_where_there_is_one(unit: str, entries: int, turns: bool) -> None:
    assert Headings(unit, 2031).turns(entries) == turns
    name = {"Week": "diary_week", "Menu Day": "menu_day", "Floor": "skyscraper"}[unit]
    fields = dict.fromkeys(("who", "work", "partner", "children", "friend", "place"), "x")
    document = Document(Headings(unit, 2031), entries, 100, 120, [], fields)
    about = rendered(prompt_texts(small.plain(name).spec), name, document).head
    assert (f"continues past the end of the year, up to {unit} {entries}." in about) == turns == ("continues" in about)
