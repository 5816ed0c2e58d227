"""code_run: the file is valid Python that returns the stored answer, calls nothing that is not there, grows in order; injuries are named."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from generators.synthetic.code import Code
from generators.synthetic.oracles import code as oracle
from haymaker.core.errors import BuildError, ParamsError
from tests.generators.kit import context
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import Row, assert_nested, digests, finder, injured, prove, row, units

ENTRIES: list[dict[str, Any]] = [{}, {"layers": [3, 1], "bins": 4}]


def executed(row: Row) -> str:
    """The answer by Python itself."""
    names: dict[str, Any] = {}
    exec(context(row), names)
    call = row["question"].removeprefix("What does ").removesuffix(" return?")
    return str(eval(call, names))


@pytest.mark.parametrize("entry", ENTRIES)
def test_files_are_full_counted_and_solved(entry: dict[str, Any]) -> None:
    task = small.task("code_run", **entry)
    for length, group in (*(("4k", group) for group in range(6)), ("8k", 0), ("16k", 0)):
        built = row(task, length, group)
        prove(task, built)
        assert executed(built) == built["answers"][0]


@pytest.mark.parametrize("entry", ENTRIES)
def test_longer_files_hold_shorter_ones_and_answer_the_same(entry: dict[str, Any]) -> None:
    task = small.task("code_run", **entry)
    for group in range(3):
        rows = [row(task, length, group) for length in ("4k", "8k", "16k", "64k")]
        assert_nested(task, rows)
        assert len({each["answers"][0] for each in rows}) == 1
        assert not any(list(task.problems(each)) for each in rows)  # nothing calls what is not there


def test_layers_and_depths_come_in_turn() -> None:
    task = small.task("code_run")
    rows = [row(task, "4k", group) for group in range(50)]
    layers = [json.loads(each["metadata"])["layers"] for each in rows]
    assert layers == [2, 4, 6, 8, 10] * 10
    assert [each["depth_index"] for each in rows[:10]] == [0, 7, 4, 1, 8, 5, 2, 9, 6, 3]  # few rows: all depths
    assert len({(n, each["depth_index"]) for n, each in zip(layers, rows, strict=True)}) == 50
    for each in rows:
        assert abs(each["depth"] - (each["depth_index"] + 0.5) / 10) <= 0.05 + 10 / each["num_segments"]
    others = [span["start"] / len(each["prompt"]) for each in rows for span in each["spans"] if span["ref"] == "call:1"]
    assert min(others) < 0.1 and max(others) > 0.9 and 0.4 < sum(others) / len(others) < 0.6
    assert len({each["answers"][0] for each in rows}) > 20  # guessing does not pay


def test_other_functions_look_like_those_that_are_called() -> None:
    """Every layer is as large, every number is added as often, and no line tells by its form that the answer runs over it."""
    task = small.task("code_run")
    built = row(task, "16k", 2)
    lines = context(built).split("\n")
    ends = sum("return x" in line for line in lines)
    assert abs(ends / len(lines) - 1 / 6) < 0.02
    added = {re.split(r"return x |\(x\) (?=[+-])", line)[1] for line in lines}
    assert added == {f"{'+' if n >= 0 else '-'} {abs(n)}" for n in range(-12, 18)}
    names = [line.split("(")[0].removeprefix("def ") for line in lines]
    assert len(set(names)) == len(names) and all(name.isidentifier() for name in names)


def test_no_choice_at_the_end_of_a_context_can_leave_out_a_callee() -> None:
    """fit_ranked takes or leaves ranks of a window of 64: what a function calls stands before its window."""
    task = small.task("code_run")
    assert isinstance(task, Code)
    for group in range(5):
        built = task.functions(task.pool("test").candidate(group))
        called = built.called(5_000)
        last = np.arange(5_000) % built.layers == built.layers - 1
        assert ((called < 0) == last).all()
        assert (called < np.maximum(built.fixed, np.arange(5_000) - 64)).all()
        assert (called[~last] % built.layers == np.arange(5_000)[~last] % built.layers + 1).all()


def test_mistakes_are_refused_in_one_line() -> None:
    line = r"synthetic_code_run_4M test: 131,\d+ units have 2,\d+,\d+ tokens, but .*drop"
    with pytest.raises(BuildError, match=line):
        row(small.task("code_run"), "4M", 0)
    with pytest.raises(BuildError, match=r"leave no room"):
        row(small.task("code_run", layers=[40]), "1k", 0)
    for wrong in ([], [0], ["two"]):
        with pytest.raises(ParamsError, match="layers"):
            small.task("code_run", layers=wrong)


def test_the_limit_is_honest() -> None:
    task = small.task("code_run")
    limit = task.limit()
    assert limit is not None and 1_900_000 < limit < 2_300_000


def test_injuries_are_named() -> None:
    task = small.task("code_run")
    good = row(task, "4k", 2)
    chain = json.loads(good["metadata"])["calls"]
    names = [line.removeprefix("def ").split("(")[0] for line in units(task, good)]
    found = finder(task)
    assert found(good) == []
    assert found(injured(good, "): return", "): rteurn"))[0] == "a line is not a function like the others"
    assert f"the row has {good['num_segments'] + 1}" in found({**good, "num_segments": good["num_segments"] + 1})[0]
    one, two = next(pair for pair in combinations(names, 2) if len(pair[0]) == len(pair[1]))
    assert found(injured(good, f"def {two}(", f"def {one}("))[0] == "1 units occur twice"
    missing = found(injured(good, f"def {names[0]}(", f"def {names[0][:-1]}Z("))
    assert not missing or "called and not defined" in missing[0]
    assert "called and not defined, e.g. " in found(injured(good, f"def {chain[1]}(", f"def {chain[1][:-1]}Z("))[0]
    [depth] = found({**good, "depth": good["depth"] + 0.1})
    assert f"the row has {good['depth'] + 0.1}" in depth
    assert found({**good, "num_distractors": 3}) == ["num_distractors is not the number of other functions"]
    spans = [{**span, "ref": "call:9"} if span["ref"] == "call:1" else span for span in good["spans"]]
    assert "the functions called are not at their spans" in found({**good, "spans": spans})


def test_the_oracle() -> None:
    def ran(code: str, call: str = "a(-3)") -> list[str]:
        return oracle.run(f"x\n\n<code>\n{code}\n</code>\n\nWhat does {call} return?\nAnswer:")

    assert ran("def b(x): return x - 12\ndef a(x): return b(x) + 17") == ["2"]
    assert ran("def a(x): return x + 0", "a(10)") == ["10"]
    for code, reason in (
        ("def a(x): return b(x) + 1", "b is not defined"),
        ("def a(x): return b(x) + 1\ndef b(x): return a(x) + 1", "never end"),
        ("def a(x): return x + 1\ndef a(x): return x + 2", "defined twice"),
        ("def a(x): return x * 2", "neither addition"),
        ("def a(x): return x + x", "more than add"),
        ("import os", "not a function"),
        ("def a(x): return __import__('os').system(x) + 1", "more than add"),
    ):
        with pytest.raises(ValueError, match=reason):
            ran(code)
    with pytest.raises(ValueError, match="no question"):
        oracle.run("<code>\ndef a(x): return x + 1\n</code>\n\nAnswer:")


def test_first_rows_by_heart() -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    built = row(small.task("code_run"), "4k", 0)
    assert built["prompt"].startswith(
        "Below is a Python file of short functions, some of which call another function in the file. Work out what the call in "
        "the question after the file returns, and reply with that integer only.\n\n<code>\ndef "
    )
    assert built["prompt"].endswith(f"\n</code>\n\n{built['question']}\nAnswer:")
    assert digests(*(("code_run", entry) for entry in ENTRIES)) == ["d98edf2dbe10", "86785376b398"]
