"""Long outputs: columns, counts, checks, oracle, perfect outputs, refusals; dates and wording of prompts, places of demands, phrases."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.longgenbench import oracle
from generators.longgenbench.content import KINDS, ONCE, PERIODIC, RANGE, fifth_of, placed, pools
from generators.longgenbench.headings import Headings, squarest
from generators.longgenbench.prompts import Document, rendered
from generators.longgenbench.task import LongOutput
from generators.select import select
from generators.task import prompt_texts
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.text.strings import padded, words
from haymaker.scoring.metrics import get
from tests.generators.kit import counted, findings_of, refused
from tests.generators.longgenbench import small
from tests.generators.longgenbench.small import Row
from tests.rows import row_digest

few = settings(max_examples=30, deadline=None)


def prove(task: LongOutput, row: Row, tokenizers: tuple[str, ...] = small.TOKENIZERS) -> None:
    """Columns, counts and checks of one row."""
    prompt, metadata = row["prompt"], json.loads(row["metadata"])
    counted(row, tokenizers)
    assert row["length_of"] == "output" and row["unused_tokens"] is None
    assert row["max_new_tokens"] == row["reserved_output_tokens"] == row["length_tokens"]
    words = metadata["min_words"], metadata["max_words"]
    assert "at least {} words and at most {}, because".format(*words) in prompt and 1.05 < words[1] / words[0] <= 2
    assert metadata["entries"] * metadata["max_words"] * 1.35 <= row["length_tokens"]
    assert row["stop"] == ["*** finished"] and row["use_chat_template"]
    assert task.solve(prompt) == row["answers"]
    assert list(task.problems(row)) == []


@given(
    name=st.sampled_from(small.SPECS),
    group=st.integers(0, 2**40),
    thousand=st.integers(4, 60),
    year=st.integers(1900, 2999),
)
@few
def test_any_row_of_any_length_is_verified(name: str, group: int, thousand: int, year: int) -> None:
    task = small.task(name, year=year)
    row = small.row(task, f"{thousand + small.WEEKLY.count(name)}k", group)
    prove(task, row)
    assert not name.startswith(("diary", "menu")) or f"1 January {year}" in row["prompt"]


@pytest.mark.parametrize("name", small.SPECS)
def test_rows_of_every_usual_length_are_verified_and_ask_for_the_same(name: str) -> None:
    task, lengths = small.plain(name), (*small.shortest(name), "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1M")
    rows = [small.row(task, length, 7) for length in lengths]
    for row in rows:
        prove(task, row)
        kinds = Counter(check["kind"] for check in row["output_constraints"])
        assert kinds == {"once": 5, "range": 1, "periodic": 1}
    demands = [[(check["kind"], check["text"]) for check in row["output_constraints"]] for row in rows]
    assert all(each == demands[0] for each in demands)
    assert len({(row["group_id"], re.sub(r"\d+", "N", row["question"]), task.identity(row)) for row in rows}) == 1
    entries = [json.loads(row["metadata"])["entries"] for row in rows]
    assert entries == sorted(set(entries))


@pytest.mark.real
def test_counts_under_other_tokenizers(mirror: Any) -> None:
    names = ("o200k", "gpt2", f"file:{mirror}/tokenizers/llama2/tokenizer.model", "tekken")
    for name in ("diary_week", "city"):
        prove(small.plain(name), small.row(small.task(name, tokenizers=names), "16k", 1), names)


@pytest.mark.parametrize(
    ("one", "other"),
    [("diary_week", "diary_day"), ("menu_week", "menu_day"), ("skyscraper", "skyscraper_large"), ("city", "city_large")],
)  # fmt: skip
def test_both_forms_of_a_scenario_share_what_they_ask(one: str, other: str) -> None:
    for group in range(4):
        rows = [small.row(small.plain(name), "16k", group) for name in (one, other)]
        a, b = ([(check["kind"], check["text"]) for check in row["output_constraints"]] for row in rows)
        assert a == b
        assert json.loads(rows[0]["metadata"])["pair"] == json.loads(rows[1]["metadata"])["pair"]
        assert rows[0]["group_id"] != rows[1]["group_id"]
        assert re.search(r"of (.+?,)|", rows[0]["question"])[0] == re.search(r"of (.+?,)|", rows[1]["question"])[0]  # type: ignore[index]


def test_no_two_scenarios_share_their_draws() -> None:
    """docs/defects/longgenbench.md D16: the reference seeds every scenario alike, so the same dates recur in all of them."""

    def places(name: str) -> list[float]:
        task = small.plain(name)
        return [wish.offset for group in range(10) for wish in task.content(task.pool("test").candidate(group)).wishes]

    offsets = [places(name) for name in ("diary_week", "menu_week", "skyscraper", "city")]
    assert len({each for many in offsets for each in many}) == sum(map(len, offsets))
    assert places("diary_week") == places("diary_day")


# ------------------------------------------------------------------------------------------------ perfect outputs


def blocks(output: str, unit: str) -> dict[int, str]:
    """Entries by number, read by nothing of ours."""
    found = [re.match(rf" {unit} (\d+)\b.*\n((?:.|\n)*)", block) for block in output.split("#*#")[1:]]
    assert all(found)
    return {int(match[1]): match[2] for match in found if match}


@pytest.mark.parametrize("name", small.SPECS)
def test_a_perfect_output_holds_all_that_is_demanded_and_nothing_else(name: str) -> None:
    for length, group in (("8k", 0), ("16k", 1)):
        row = small.row(small.plain(name), length, group)
        metadata, output = json.loads(row["metadata"]), small.plain(name).spec.right_output(row)
        assert output.startswith(f"{metadata['header']}\n") and output.endswith("\n\n*** finished ***\n")
        entries = blocks(output.removesuffix("*** finished ***\n"), metadata["unit"])
        assert list(entries) == list(range(1, metadata["entries"] + 1))
        assert min(len(text.split()) for text in entries.values()) >= metadata["min_words"]
        for check in row["output_constraints"]:
            assert [index for index, text in entries.items() if check["text"] in text] == check["indices"]
        assert tokenizer.load("tekken").count(output) <= row["max_new_tokens"]


def test_the_proofs_of_the_pipeline_hold_and_tell_of_none_twice() -> None:
    """All rules of `haymaker validate`: the perfect output has 100 under both strict metrics, the empty one 0."""
    built = small.suite({name: {"lengths": {"8k": 3}} for name in small.SPECS})
    findings = findings_of(
        built, [small.row(small.plain(name), "8k", group) for name in small.SPECS for group in range(2)]
    )
    assert findings.failures == []
    looked = dict.fromkeys(("BUDGET", "recounted", "VERBATIM", "ORACLE", "STRICT", "UNIQUE", "APART"), 16)
    assert dict(findings.checked) == looked


@pytest.mark.parametrize("name", ("diary_week", "menu_day", "skyscraper", "city_large"))
def test_a_line_for_each_demanded_entry_is_no_long_output(name: str) -> None:
    """Nor is one word, or one paragraph, in every entry: all of them had 1.0 by the first metric."""
    row = small.row(small.plain(name), "16k", 0)
    right, metadata = small.plain(name).spec.right_output(row), json.loads(row["metadata"])
    headers = {int(n): line for line, n in re.findall(r"^(#\*# \D*(\d+).*)$", right, re.M)}
    events = {i: f"Here stands {check['text']}." for check in row["output_constraints"] for i in check["indices"]}
    terse = "".join(f"{headers[i]}\n{events[i]}\n\n" for i in sorted(events))
    stones, paragraph = (
        "".join(f"{headers[i]}\n{text} {events.get(i, '')}\n\n" for i in headers)
        for text in ("stone " * metadata["min_words"] + ".", right.splitlines()[1])
    )
    whole = {right: 1.0, terse: 0.0, stones: 0.0, paragraph: 1 / metadata["entries"]}
    assert row["metrics"][0] == "longgen_whole@strict"
    for output, expected in whole.items():
        assert get("longgen_f1@strict").function(output, row) == 1.0
        assert get("longgen_whole@strict").function(output, row) == pytest.approx(expected)


def changed(row: Row, demands: list[dict[str, Any]]) -> Row:
    """The row with other checks, and the answers that follow from them."""
    unit = json.loads(row["metadata"])["unit"]
    answers = [f"{unit} {i}: {each['text']}" for each in demands for i in each["indices"]]
    return {**row, "output_constraints": demands, "answers": answers}


def test_injuries_of_a_row_are_named() -> None:
    task = small.task("city", entries=72)
    good = small.row(task, "16k", 3)
    *singles, span, periodic = good["output_constraints"]

    def found(row: Row) -> list[str]:
        return list(task.problems(row))

    def moved(at: int, indices: list[int]) -> list[str]:
        demands = [dict(check) for check in good["output_constraints"]]
        demands[at]["indices"] = indices
        return found(changed(good, demands))

    assert found(good) == []
    assert moved(1, singles[0]["indices"])[0] == f"entry {singles[0]['indices'][0]} has two required phrases"
    assert moved(0, [1]) == ["entry 1, which the prompt shows, has a required phrase"]
    assert moved(4, [73]) == ["entry 73 is not one of 72"]
    assert moved(4, [50]) == ["singles are in the fifths of the document [1, 1, 1, 2, 0]"]
    assert "not neighbours" in moved(5, [55, 57])[0]
    assert "not in one row" in moved(5, [54, 55])[0]
    assert "equal distances up to the end" in moved(6, periodic["indices"][:-1])[0]
    assert "every fifth" in moved(6, periodic["indices"][3:])[-1]
    assert "number of demands of a kind" in found(changed(good, good["output_constraints"][1:]))[0]
    assert "is not once" in moved(0, [6, 7])[0]
    assert found({**good, "answers": good["answers"][1:]}) == ["the answers do not match the output constraints"]
    assert "take more than" in found({**good, "max_new_tokens": 14_000})[0]
    assert "does not end with" in found({**good, "answer_prefix_start": good["answer_prefix_start"] + 1})[0]
    assert "does not end with" in found({**good, "prompt": f"{good['prompt']}\n"})[0]
    told = {**good, "prompt": good["prompt"].replace("Low houses of yellow clay", f"Here is {span['text']}")}
    assert any("exactly once" in what for what in found(told))
    spans = [{**each, "start": each["start"] + 1} if each["kind"] == "fact" else each for each in good["spans"]]
    assert "the spans are not the phrases" in found({**good, "spans": spans})[0]


def test_the_oracle_reads_what_is_told_and_refuses_contradictions() -> None:
    row = small.row(small.task("city", entries=72), "16k", 2)
    prompt = row["prompt"]

    def other(old: str, new: str) -> str:
        assert prompt.count(old) >= 1
        return prompt.replace(old, new, 1)

    moved = oracle.solve(other("Block 4 (row 1, column 4)", "Block 5 (row 1, column 5)"))
    assert moved[0] == row["answers"][0].replace("Block 4", "Block 5")
    for wrong, said in (
        (other("Block 4 (row 1, column 4)", "Block 4 (row 1, column 5)"), "a cell that does not match"),
        (other("8 rows and 9 columns", "9 rows and 9 columns"), "do not match"),
        (other("Each of the 4 blocks", "Each of the 3 blocks"), "wrong count"),
        (other("Every 10 blocks, starting", "Every 11 blocks, starting"), "lists entries that do not match"),
        (other("Block 4 (row 1, column 4)", "Block 4"), "no cell in a grid"),
        (other("Block 4 (row 1, column 4)", "Block 96 (row 11, column 6)"), "does not exist"),
        (f"{prompt}\n", "no first header"),
        (other('- Block 4 (row 1, column 4) contains "', '- Somewhere there is "'), "cannot be read"),
    ):
        with pytest.raises(ValueError, match=said):
            oracle.solve(wrong)


def test_entries_may_be_given() -> None:
    row = small.row(small.task("diary_week", entries=52), "32k", 0)
    assert "for 52 weeks" in row["prompt"] and json.loads(row["metadata"])["entries"] == 52
    assert row["group_id"] == small.row(small.plain("diary_week"), "32k", 0)["group_id"]
    assert "52 entries" not in small.row(small.task("diary_week", min_words=60), "32k", 0)["prompt"]


def test_other_demands_are_another_question() -> None:
    names = {
        small.row(small.task("diary_week", **entry), "32k", 0)["group_id"]
        for entry in ({}, {"singles": 6}, {"year": 2040}, {"ranges": 2})
    }
    assert len(names) == 4
    task = small.task("city", singles=0, ranges=0, periodics=2)
    row = small.row(task, "8k", 1)
    assert {check["kind"] for check in row["output_constraints"]} == {"periodic"}
    assert list(task.problems(row)) == [] and task.solve(row["prompt"]) == row["answers"]


def refusal(name: str, length: str, **entry: Any) -> str:
    task = small.task(name, **entry)
    return refused(BuildError, select, task, small.table(name, length))


def test_what_cannot_be_is_refused_in_one_line() -> None:
    """docs/defects/longgenbench.md D19: the reference asks for more words than it gives tokens."""
    asked = "{} entries of {} words are requested, but the length has room for {}".format
    assert asked(100, 150, 73) in refusal("skyscraper", "16k", entries=100)
    assert asked(365, 100, 211) in refusal("diary_day", "32k", entries=365)
    assert "97 blocks do not make a nearly square grid" in refusal("city", "32k", entries=97)
    assert "12 entries cannot hold all demands" in refusal("diary_week", "4k")
    assert "25 entries" not in refusal("skyscraper", "4k", singles=25)
    nothing = {"singles": 0, "ranges": 0, "periodics": 0}
    for entry in (nothing, {"year": 1800}, {"min_words": 5}, {"entries": 3}, {"singles": 26}):
        with pytest.raises(ParamsError):
            small.task("city", **entry)
    for length in ("0k", "natural"):
        with pytest.raises(ParamsError):
            small.suite({"city": {"lengths": {length: 1}}})


def test_first_and_last_rows_by_heart() -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    found = {}
    for name in small.SPECS:
        rows = [small.row(small.plain(name), "16k", group) for group in (0, 99)]
        found[name] = tuple(map(row_digest, rows))
    assert found == GOLDEN


GOLDEN: dict[str, tuple[str, ...]] = {
    "diary_week": ("aa7446e2a1e1", "97e1648cc9d3"), "diary_day": ("df8a19495c93", "71838341b2b9"),
    "menu_week": ("4f11ff5faae7", "569e6d4d33cc"), "menu_day": ("4152c5fb87e2", "84951677c396"),
    "skyscraper": ("519a9a6ee664", "4f6129beff4e"), "skyscraper_large": ("84bb0fe798a5", "ab96ab29e0f0"),
    "city": ("cbed1076add7", "4787f9f8e320"), "city_large": ("39eede798727", "8354e8486f90"),
}  # fmt: skip


def test_a_changed_word_builds_rows_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a day's wording, of the one it takes the rest from, of what all have; of no other."""
    entry = {"diary_day": {"lengths": {"16k": 1}}}
    before, plain = small.suite(entry), prompt_texts(small.plain("diary_day").spec)
    asked = before.tables()[0]
    known = before.fingerprint(asked)
    changes = {
        ("diary_day", "example"): True,
        ("diary_week", "holds"): True,
        ("common", "rules"): True,
        ("diary_week", "example"): False,
    }
    for (name, key), changed in changes.items():
        texts = {**plain, name: {**plain[name], key: "Another word."}}
        monkeypatch.setattr("generators.task._yaml", lambda file, texts=texts: texts)
        assert (small.suite(entry).fingerprint(asked) != known) == changed


MONTHS = "January February March April May June July August September October November December".split()


# ------------------------------------------------------------------------------------------------------ headings


def test_headings_by_heart() -> None:
    """docs/defects/longgenbench.md: no week 53 that starts again, leap days, no return to the beginning of the year."""
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
