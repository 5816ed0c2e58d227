"""Whatever of a task changes its rows changes the fingerprint of its tables."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

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


def test_a_change_of_any_field_changes_it_unless_the_field_is_left_out_for_a_reason() -> None:
    names = {each.name for each in fields(TaskSpec)}
    assert names == OTHER.keys() | ELSEWHERE.keys() and not OTHER.keys() & ELSEWHERE.keys()
    assert all(ELSEWHERE.values())
    changed = [spec_fingerprint(replace(PLAIN, **{name: value})) for name, value in OTHER.items()]
    assert spec_fingerprint(PLAIN) not in changed
    one, other = (replace(PLAIN, skips={Check.FILL: why}) for why in ("short", "too short"))
    assert spec_fingerprint(one) == spec_fingerprint(other)
    for spec in (spec for name in SUITES for spec in suite(name).tasks):
        assert json.loads(json.dumps(spec_fingerprint(spec)))["version"] == spec.version


def test_tables_have_it(tmp_path: Path) -> None:
    small.write(tmp_path, "few", [small.question("test", 0, 8)])
    built = small.suite(tmp_path, {"kilt_nq": {"retrieval_set": "few", "lengths": {"4k": 6}, "shots": 0}})
    table, task = built.tables()[0], built.task("kilt_nq")
    before = built.fingerprint(table)
    task.spec = replace(task.spec, language="zh")
    assert built.fingerprint(table) != before
