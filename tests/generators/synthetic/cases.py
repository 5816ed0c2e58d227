"""Settings of tasks that differ in kind, in three languages, and their rows, which tests share."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from generators.synthetic.base import GeneratedTask
from generators.synthetic.suite import SUITE
from tests.generators.kit import Row
from tests.generators.synthetic import proving, small, speaking

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
    built = speaking.suite(language, {name: entry}).task(name)
    assert isinstance(built, GeneratedTask)
    return built


@cache
def _row(case: str, length: str, group: int, point: int) -> str:
    return json.dumps(proving.row(task_of(case), length, group, point % task_of(case).variants))


def row(case: str, length: str, group: int = 1, point: int = 0) -> Row:
    """A finished row, as a reader of the file has it; `point` is the number of a depth or variant, -1 the last one."""
    found: Row = json.loads(_row(case, length, group, point))
    return found


def made(name: str, length: str, group: int, point: int = 0, **entry: Any) -> Row:
    """A finished row of a task with other settings."""
    return proving.row(small.task(name, **entry), length, group, point)
