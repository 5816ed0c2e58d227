"""Where demands stand: never two on one entry, never on entry 1, spread over the fifths, the same at every length."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.longgenbench.content import ONCE, PERIODIC, RANGE, fifth_of, placed
from generators.longgenbench.headings import squarest
from tests.generators.longgenbench import small

_ROOMY = 26  # entries from which on every range stands in its own fifth
few = settings(max_examples=30, deadline=None)


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


def test_distances_are_as_people_say_them() -> None:
    task, seen = small.plain("diary_week"), set[int]()
    for group in range(50):
        wishes = task.content(task.pool("test").candidate(group)).wishes
        for entries in (52, 200, 451, 3448):
            found = placed(wishes, entries)
            assert found is not None
            seen.add(found[-1].step)
    assert min(seen) >= 3 and max(seen) > 300
    assert not [step for step in seen if (20 <= step < 100 and step % 5) or (step >= 100 and int(str(step)[2:]))]
