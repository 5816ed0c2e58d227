"""Prompts: dates, grid, wording; places of demands, spread over the fifths; phrases that cannot be taken for one another."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.longgenbench.content import KINDS, ONCE, PERIODIC, RANGE, fifth_of, placed, pools
from generators.longgenbench.headings import Headings, squarest
from generators.longgenbench.prompts import Document, rendered
from generators.task import prompt_texts
from haymaker.core.text.strings import padded, words
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


# --------------------------------------------------------------------------------------------------- where demands are

_ROOMY = 26  # entries from which on every range stands in its own fifth


@given(name=st.sampled_from(small.SPECS), group=st.integers(0, 2**40), entries=st.integers(14, 6000))
@few
def test_any_number_of_entries_holds_all_demands(name: str, group: int, entries: int) -> None:
    """docs/defects/longgenbench.md D9, D11, D12: the reference demands two things of one entry in many rows, and entry 1 in some."""
    task, columns = small.plain(name), 0
    if task.scenario == "city":
        rows, columns = squarest(max(15, entries))
        entries = rows * columns
    found = placed(task.content(task.pool("test").candidate(group)).wishes, entries, columns)
    assert found is not None
    *singles, span, periodic = found
    every = [index for each in found for index in each]
    assert len(set(every)) == len(every)
    assert min(every) > 1 and max(every) <= entries
    assert [fifth_of(each[0], entries) for each in singles] == [0, 1, 2, 3, 4]
    assert {fifth_of(index, entries) for index in periodic} == {0, 1, 2, 3, 4}
    assert fifth_of(periodic[0], entries) == 0 and periodic[-1] + periodic.step > entries
    assert 2 <= len(span) <= 7 and span.step == 1
    if columns:
        assert (span[0] - 1) // columns == (span[-1] - 1) // columns


@pytest.mark.parametrize("name", ["diary_week", "city"])
def test_ranges_and_beginnings_are_spread_over_rows(name: str) -> None:
    """docs/defects/longgenbench.md D13: periodic demands of the reference never stand in the first fifth of towers and cities."""
    task = small.plain(name)
    ranges, starts, demands = Counter[int](), Counter[int](), Counter[int]()
    for group in range(100):
        row = small.row(task, "32k", group)
        entries = task.shape(small.table(name, "32k"))[0]
        for check in row["output_constraints"]:
            at = check["indices"]
            if check["kind"] == RANGE:
                assert fifth_of(at[0], entries) == fifth_of(at[-1], entries) == group % 5
                ranges[group % 5] += 1
            if check["kind"] == PERIODIC:
                starts[(at[0] - 1) * 20 // entries] += 1
                demands.update(fifth_of(index, entries) for index in at)
    assert ranges == dict.fromkeys(range(5), 20)
    assert all(20 <= starts[quarter] <= 30 for quarter in range(4)) and sum(starts.values()) == 100
    assert min(demands.values()) > 0.7 * max(demands.values())


@given(group=st.integers(0, 2**40), entries=st.integers(_ROOMY, 3000), more=st.integers(1, 3000))
@few
def test_a_demand_stands_in_the_same_fifth_at_every_length(group: int, entries: int, more: int) -> None:
    task = small.plain("diary_day")
    wishes = task.content(task.pool("test").candidate(group)).wishes
    short, long = placed(wishes, entries), placed(wishes, entries + more)
    assert short and long
    for a, b, wish in zip(short, long, wishes, strict=True):
        assert fifth_of(a[0], entries) == fifth_of(b[0], entries + more) == wish.fifth
    for a, b in zip(short[:5], long[:5], strict=True):  # apart from what makes way for others
        assert abs(a[0] / entries - b[0] / (entries + more)) < 12 / entries


def test_several_ranges_and_periodic_demands_never_meet() -> None:
    task = small.task("skyscraper", singles=12, ranges=4, periodics=3)
    for group in range(10):
        row = small.row(task, "16k", group)
        every = [index for check in row["output_constraints"] for index in check["indices"]]
        assert len(set(every)) == len(every)
        assert Counter(check["kind"] for check in row["output_constraints"]) == {ONCE: 12, RANGE: 4, PERIODIC: 3}
        assert list(task.problems(row)) == []


# ------------------------------------------------------------------------------------------------------------- pools

SCENARIOS = ("diary", "menu", "skyscraper", "city")
EMPTY = frozenset(
    "a an the of to in on at by for from with into onto over under and or as than that this it its is was were are be been has have "
    "our his her their my your may".split()
)
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday "
    "saturday sunday spring summer autumn winter christmas easter ramadan carnival midsummer solstice halloween thanksgiving hanukkah "
    "diwali weekend weekly monthly yearly annual birthday day days week weeks month months year years today yesterday tomorrow".split()
)
HEADINGS = {
    "diary": {"day", "week", "entry"}, "menu": {"day", "week", "menu", "menus"}, "skyscraper": {"floor", "floors"},
    "city": {"block", "blocks", "row", "rows", "column", "columns"},
}  # fmt: skip


def phrases(scenario: str) -> list[str]:
    return [text for kind in KINDS for text in pools()[scenario][kind]]


def telling(text: str) -> frozenset[str]:
    """Folded words that say something, without the s of a plural."""
    return frozenset(word.removesuffix("s") for word in words(text) if word not in EMPTY)


def test_every_kind_of_every_scenario_has_more_than_thirty_phrases() -> None:
    """docs/defects/longgenbench.md D3: the reference says more than 20, and has 5 to 10 of most kinds."""
    assert {len(pools()[scenario][kind]) for scenario in SCENARIOS for kind in KINDS} == {34}
    assert all(
        len(pools()[scenario][name]) >= 30
        for scenario, name in (("menu", "places"), ("city", "places"), ("diary", "names"), ("diary", "people"))
    )
    assert len(set(pools()["skyscraper"]["places"])) == len(set(pools()["city"]["places"])) == 30


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_two_phrases_can_be_taken_for_one_another(scenario: str) -> None:
    """They share one telling word at most, and each has two or more: none is told where another is."""
    every = phrases(scenario)
    assert min(len(telling(text)) for text in every) >= 2
    shared = {(a, b): telling(a) & telling(b) for a, b in combinations(every, 2)}
    assert {pair: both for pair, both in shared.items() if len(both) > 1} == {}
    assert [(a, b) for a, b in combinations(every, 2) if padded(a) in padded(b) or padded(b) in padded(a)] == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_phrases_are_plain_and_clash_with_no_date_or_heading(scenario: str) -> None:
    """docs/defects/longgenbench.md D14."""
    for text in phrases(scenario):
        assert re.fullmatch(r"[a-z][a-zA-Z' -]+", text), text
        assert text.split()[0] in ("a", "an", "the", "jury", "student", "road", "choir")
        assert not set(words(text)) & (CALENDAR | HEADINGS[scenario]), text
        assert not re.match(r"a [aeio]|an (?!hour)[^aeiou]", text), text


def test_names_are_no_dates_and_no_words_of_phrases() -> None:
    """docs/defects/longgenbench.md D15."""
    pool = pools()["diary"]
    every = [*pool["names"], *pool["surnames"]]
    assert len(set(every)) == len(every)
    assert not {name.lower() for name in every} & (
        CALENDAR | {word for text in phrases("diary") for word in words(text)}
    )
    assert not [who for who in pool["people"] if not re.match(r"an? [a-z]", who)]
    assert all(isinstance(name, str) for name in every)  # a bare No is no name in YAML
