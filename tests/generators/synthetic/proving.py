"""Helpers of the tests of generated tasks: rows as read from a file, exact counts, answers, nesting, injuries."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from corpora.tokenizers import tokenizer
from generators.generated.base import GeneratedTask
from generators.spec import BackgroundUnits
from generators.synthetic.suite import SUITE
from haymaker.scoring.metrics import get
from tests.generators.kit import Row, counted, finished
from tests.generators.synthetic import small


def row_of(task: GeneratedTask[Any], length: str, group: int, variant: int = 0, split: Any = "test") -> Row:
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


# ------------------------------------------------------------------------------------------- settings that differ in kind

Case = tuple[str, str, dict[str, Any]]
ENGLISH: dict[str, Case] = {
    **{spec.name: ("en", spec.name, {}) for spec in SUITE.tasks if "qa" not in spec.name},
    "absent": ("en", "niah_multikey_1", {"unanswerable": True}),
    "absent_each": ("en", "niah_multiquery", {"unanswerable": True, "distractors": 3, "distractor_similarity": "high"}),
    "absent_several": ("en", "niah_multivalue", {"unanswerable": True, "distractors": 2, "depths": 3}),
    "absent_matrix": ("en", "niah_multiquery", {"unanswerable": True, "distractors": 2, "values": 2, "queries": 2}),
    "absent_key": ("en", "passkey", {"unanswerable": True, "depths": 3}),
    "shuffled": ("en", "niah", {"order": "shuffled", "distractors": 2}),
    "other": ("en", "niah_multivalue", {"paraphrase": True}),
    "lines_other": ("en", "niah_multikey_2", {"paraphrase": True, "value": "digits", "depths": 5}),
    "near": ("en", "niah_multikey_2", {"distractors": 8, "distractor_similarity": "high", "unanswerable": True}),
    "near_uuids": ("en", "niah_multikey_1", {"key": "uuid", "value": "uuid", "distractor_similarity": "high"}),
    "matrix": ("en", "niah_single_1", {"queries": 2, "values": 3, "distractors": 1}),
    "long_answers": ("en", "niah_multivalue", {"values": 8, "value": "uuid"}),
    "many_keys": ("en", "niah_multiquery", {"queries": 16}),
    "vt_chains": ("en", "vt", {"chains": 3, "distractor_similarity": "high"}),
    "vt_ruler": ("en", "vt", {"ruler_prompt": True}),
    "cwe_few": ("en", "cwe", {"asked": 5, "common": 6, "uncommon": 1}),
    "fwe_flat": ("en", "fwe", {"alpha": 1.5}),
    "json_absent": ("en", "json_kv", {"unanswerable": True, "distractors": 6}),
    "json_words": ("en", "json_kv", {"keys": "word", "distractors": 5, "shots": 3, "depths": 3}),
    "kv_absent": ("en", "kv_retrieval", {"keys": "word", "unanswerable": True}),
    "find_negative": ("en", "math_find", {"negative": True, "bins": 4}),
    "calc_negative": ("en", "math_calc", {"low": -99}),
    "calc_narrow": ("en", "math_calc", {"low": -7, "high": -5}),
    "code_layers": ("en", "code_run", {"layers": [3, 1], "bins": 4}),
}
SPOKEN = (
    "niah_single_1", "niah_single_3", "niah_multikey_2", "niah_multi", "passkey", "number_string", "vt_ruler", "vt_chains",
    "absent_each", "absent_several", "absent_matrix", "absent_key", "other", "lines_other", "shuffled",
)  # fmt: skip
CASES = ENGLISH | {f"{code}_{name}": (code, *ENGLISH[name][1:]) for code in ("de", "zh") for name in SPOKEN}


@cache
def task_of(case: str) -> GeneratedTask[Any]:
    """The task of a case."""
    language, name, entry = CASES[case]
    if language == "en":
        return small.task(name, **entry)
    entry = {"lengths": {"4k": 4620}, "phrases": language, **entry}
    built = small.spoken(language, {name: entry}).task(name)
    assert isinstance(built, GeneratedTask)
    return built


@cache
def _row(case: str, length: str, group: int, point: int) -> str:
    return json.dumps(row_of(task_of(case), length, group, point % task_of(case).variants))


def row(case: str, length: str, group: int = 1, point: int = 0) -> Row:
    """A finished row, as a reader of the file has it; `point` is the number of a depth or variant, -1 the last one."""
    found: Row = json.loads(_row(case, length, group, point))
    return found


def made(name: str, length: str, group: int, point: int = 0, **entry: Any) -> Row:
    """A finished row of a task with other settings."""
    return row_of(small.task(name, **entry), length, group, point)
