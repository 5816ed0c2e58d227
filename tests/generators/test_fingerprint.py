"""Whatever of a task changes its rows changes the fingerprint of its tables."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from generators.fingerprint import ELSEWHERE, spec_fingerprint
from generators.spec import TaskSpec
from generators.suite import SUITES, suite
from haymaker.core.rows.row_checks import Check
from tests.generators.passages import small

PLAIN = TaskSpec("a", object, "A", "recall", ("em@strict",), 8)
OTHER: dict[str, Any] = {
    "name": "b", "category": "qa", "metrics": ("f1@strict",), "max_new_tokens": 9, "version": 2, "wording": "other",
    "stop": ("\n",), "use_chat_template": False, "variant": "hard", "language": "zh", "skips": {Check.FILL: "short"},
}  # fmt: skip
"""Another value of each field that decides rows. A new field of TaskSpec belongs here or, with a reason, in ELSEWHERE."""


def test_every_field_is_in_the_fingerprint_or_is_left_out_for_a_reason() -> None:
    names = {each.name for each in fields(TaskSpec)}
    assert names == OTHER.keys() | ELSEWHERE.keys()
    assert not OTHER.keys() & ELSEWHERE.keys()
    assert all(ELSEWHERE.values())


@pytest.mark.parametrize("name", OTHER)
def test_a_change_of_any_other_field_changes_it(name: str) -> None:
    assert spec_fingerprint(replace(PLAIN, **{name: OTHER[name]})) != spec_fingerprint(PLAIN)


def test_the_reason_of_a_skipped_check_does_not() -> None:
    one, other = (replace(PLAIN, skips={Check.FILL: why}) for why in ("short", "too short"))
    assert spec_fingerprint(one) == spec_fingerprint(other)


@pytest.mark.parametrize("name", SUITES)
def test_it_is_json_for_every_task(name: str) -> None:
    for spec in suite(name).tasks:
        assert json.loads(json.dumps(spec_fingerprint(spec)))["version"] == spec.version


def test_tables_have_it(tmp_path: Path) -> None:
    small.write(tmp_path, "few", [small.question("test", 0, 8)])
    built = small.suite(tmp_path, {"kilt_nq": {"retrieval_set": "few", "lengths": {"4k": 6}, "shots": 0}})
    table, task = built.tables()[0], built.task("kilt_nq")
    before = built.fingerprint(table)
    task.spec = replace(task.spec, language="zh")
    assert built.fingerprint(table) != before
