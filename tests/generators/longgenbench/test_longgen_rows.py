"""Rows: columns, exact counts, checks, oracle, perfect outputs, pairs, refusals."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.longgenbench import oracle
from generators.longgenbench.task import LongOutput
from generators.select import select
from generators.task import prompt_texts
from haymaker.core.errors import BuildError, ParamsError
from haymaker.scoring.metrics import get
from tests.generators.kit import counted, findings_of, refused
from tests.generators.longgenbench import small
from tests.generators.longgenbench.small import Row
from tests.rows import row_digest

few = settings(max_examples=40, deadline=None)


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


# ------------------------------------------------------------------------------------------------------- all rows


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


# ---------------------------------------------------------------------------------------------------------- pairs


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


def test_splits_seeds_and_groups_ask_for_different_things() -> None:
    plain, other = small.plain("menu_week"), small.task("menu_week", seed=8)
    rows = [small.row(plain, "8k", group, split) for group in range(12) for split in ("test", "train")]
    rows += [small.row(other, "8k", group) for group in range(12)]
    assert len({plain.identity(row) for row in rows}) == 36


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


def test_a_perfect_output_hardly_repeats_itself() -> None:
    row = small.row(small.plain("city_large"), "256k", 2)
    output = small.plain("city_large").spec.right_output(row)
    words = output.split()
    runs = [tuple(words[at : at + 8]) for at in range(len(words) - 7)]
    assert 160_000 < len(words) < 190_000
    assert len(set(runs)) > 0.99 * len(runs)
    assert small.plain("city_large").spec.right_output(row) == output


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


# ------------------------------------------------------------------------------------------------------ injuries


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


# ------------------------------------------------------------------------------------------------------ settings


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


# --------------------------------------------------------------------------------------------------------- by heart


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


@pytest.mark.parametrize(
    ("name", "key", "changes"),
    [
        ("diary_day", "example", True), ("diary_week", "example", False), ("diary_week", "holds", True), ("menu_week", "task", False),
        ("common", "rules", True),
    ],
)  # fmt: skip
def test_a_changed_word_builds_rows_anew(name: str, key: str, changes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a day's wording, of the one it takes the rest from, of what all have; of no other."""
    entry = {"diary_day": {"lengths": {"16k": 1}}}
    before, texts = small.suite(entry), copy.deepcopy(prompt_texts(small.plain("diary_day").spec))
    texts[name][key] = "Another word."
    asked = before.tables()[0]
    known = before.fingerprint(asked)
    monkeypatch.setattr("generators.task._yaml", lambda file: texts)
    assert (small.suite(entry).fingerprint(asked) != known) == changes
