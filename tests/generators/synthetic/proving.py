"""Helpers of the tests of generated tasks: rows as read from a file, exact counts, answers, nesting, injuries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from corpora.tokenizers import tokenizer
from generators.spec import BackgroundUnits
from generators.synthetic.base import GeneratedTask
from haymaker.scoring.metrics import get
from tests.generators.kit import counted, finished
from tests.generators.synthetic import small

Row = dict[str, Any]


def row(task: GeneratedTask[Any], length: str, group: int, variant: int = 0, split: Any = "test") -> Row:
    """A finished row, as a reader of the file has it."""
    return finished([small.sample(task, length, group, variant, split)])[0]


def exact(row: Row, tokenizers: Sequence[str] = small.TOKENIZERS) -> None:
    """Counts, budget and fill of a row."""
    counted(row, tokenizers)
    reserved = row["reserved_output_tokens"] + row["reserved_template_tokens"]
    assert row["prompt_tokens"] + reserved + row["unused_tokens"] == row["length_tokens"]
    assert 0 <= row["unused_tokens"] <= 0.005 * row["length_tokens"]


def solved(task: GeneratedTask[Any], row: Row) -> None:
    """Oracle, checks and strict metrics of a row."""
    assert task.solve(row["prompt"]) == row["answers"]
    assert list(task.problems(row)) == []
    for name in row["metrics"]:
        if name.endswith("@strict"):
            assert (get(name).function(row["answers"][0], row), get(name).function("", row)) == (1.0, 0.0)


def prove(task: GeneratedTask[Any], row: Row, tokenizers: Sequence[str] = small.TOKENIZERS) -> None:
    """Counts, budget, fill, tokens of spans, cue, oracle and checks of a row."""
    exact(row, tokenizers)
    solved(task, row)
    prompt, first = row["prompt"], tokenizer.load(tokenizers[0])
    for span in row["spans"]:
        if span["token_start"]:
            assert span["token_start"] == first.count(prompt[: span["start"]].removesuffix(" "))
    assert [s["start"] for s in row["spans"]] == sorted(s["start"] for s in row["spans"])
    assert re.fullmatch(r"\n.*[:：].*", prompt[row["answer_prefix_start"] - 1 :]), "the last line is the cue"


def units(task: GeneratedTask[Any], row: Row) -> list[str]:
    """The units of the context, except those placed by depth."""
    return cast("list[str]", task.background(row))


def one_by_one(units: BackgroundUnits) -> list[tuple[str, int]]:
    """Each unit of a background, those of ranges too."""
    ranges = ((each, 0, 1) if isinstance(each, str) else each for each in units)
    return [(name, unit) for name, first, last in ranges for unit in range(first, last)]


def injured(row: Row, old: str, new: str, count: int = 1) -> Row:
    """The row with other words of the same length in its prompt."""
    assert old in row["prompt"] and len(old) == len(new)
    return {**row, "prompt": row["prompt"].replace(old, new, count)}
