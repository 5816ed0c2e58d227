"""Room for the answer: every kind of task keeps it, fills the rest, asks what it asks without it; what cannot be is one line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generators.inputs import Inputs
from generators.spec import Row
from generators.suite import ReleaseSuite, release_suite
from haymaker.core.params import Params, parse
from haymaker.core.rows.parquet import read_row_groups, write_rows
from pipelines.checks.row_checks import Findings, RowChecks, across
from pipelines.project import Project
from tests.extras import Once, few
from tests.pipelines import tiny, tiny_generated, tiny_passages

GENERATED = "niah_single_2 vt cwe fwe json_kv passkey math_find math_calc code_run".split()
KINDS = {
    "made": [
        *(("synthetic", name) for name in GENERATED),
        *(("helmet", name) for name in ("icl_banking77", "narrativeqa", "infbench_choice_eng")),
    ],
    "passages": [
        *(("helmet", name) for name in ("kilt_nq", "msmarco_rerank", "alce_qampari")),
        ("longbench", "passage_count"),
    ],
    "built": [("babilong", "qa1")],
}
SHORT = {"math_calc", "narrativeqa", "infbench_choice_eng", "msmarco_rerank", "qa1"}
"""Tasks whose material does not reach 16k with little room, or whose answer ends with the length."""


@pytest.fixture(scope="module")
def made(once: Once) -> Project:
    """Made-up tasks, shots and documents; to be read only."""
    return Project(once("made", lambda root: tiny.run_alone(tiny_generated.make(root))))


@pytest.fixture(scope="module")
def passages(once: Once) -> Project:
    """Passages; to be read only."""
    return Project(once("passages", lambda root: tiny.run_alone(tiny_passages.make(root))))


def suite_of(project: Project, name: str, task: str, room: int | None, lengths: tuple[str, ...]) -> ReleaseSuite:
    """A suite with that task alone, on the prepared inputs of a project."""
    values = yaml.safe_load(project.text)
    values["release"]["reserved_output_tokens"] = room
    values["suites"].setdefault(
        name, {"tasks": {"passage_count": {"passages": "encyclopaedia"}} if name == "longbench" else None}
    )
    block = {key: value for key, value in values["suites"][name].items() if key != "lengths"}
    entry = (block["tasks"][task] or {}) | {"lengths": dict.fromkeys(lengths, 12)}
    values["suites"] = {name: {**block, "tasks": {task: entry}}}
    inputs = Inputs(parse(Params, values, where="test"), project.data)
    return release_suite(name, inputs)


def verified(suite: ReleaseSuite, folder: Path, count: int = 2) -> list[Row]:
    """The first questions of each table as a reader has them, after every check that the task declares."""
    findings, checks = Findings(), RowChecks(suite, suite.inputs.tokenizers, lambda row, index: True)
    found = []
    for table in suite.tables():
        rows = count * suite.task(table.task).variants
        write_rows(
            suite.build(replace(table, rows=rows), 0, rows), folder / "rows.parquet", suite.inputs.params.parquet
        )
        for group in read_row_groups(folder / "rows.parquet"):
            for row in group.to_pylist():
                checks.look(row, 0, findings)
                checks.remember(row, findings)
                found.append(row)
    across(findings)
    assert findings.failures == []
    assert len(suite.tables()) < 2 or findings.checked["NESTED"]
    return found


def hold(project: Project, name: str, task: str, room: int, lengths: tuple[str, ...], folder: Path) -> None:
    """Rows keep the room, fill what is left, and ask what they ask without it."""
    suite = suite_of(project, name, task, room, lengths)
    rows = verified(suite, folder)
    assert {row["length"] for row in rows} == set(lengths)
    for row in rows:
        assert row["reserved_output_tokens"] == max(room, row["max_new_tokens"])
        parts = ("prompt_tokens", "reserved_output_tokens", "reserved_template_tokens", "unused_tokens")
        assert sum(row[part] for part in parts) == row["length_tokens"]
        assert row["unused_tokens"] <= 0.005 * row["length_tokens"]
    usual = suite.task(task).spec.max_new_tokens
    assert usual < room and suite.task(task).writer.tokens(suite.tables()[0]) < (suite.tables()[0].tokens or 0)


@pytest.mark.parametrize(("kind", "name", "task"), [(kind, *each) for kind, tasks in KINDS.items() for each in tasks])
def test_half_of_16k_may_be_for_the_answer(
    kind: str, name: str, task: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    hold(request.getfixturevalue(kind), name, task, 8192, ("16k",), tmp_path)


@few
@given(data=st.data())
def test_any_room_is_kept_at_every_length(
    data: st.DataObject, made: Project, passages: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kind, project = data.draw(st.sampled_from([("made", made), ("passages", passages)]))
    name, task = data.draw(st.sampled_from([each for each in KINDS[kind] if each[1] not in SHORT]))
    room = data.draw(st.integers(700, 5000))
    hold(project, name, task, room, ("8k", "16k"), tmp_path_factory.mktemp("rows"))


def test_without_room_nothing_changes_not_even_what_rows_are_known_by(built: Project, tmp_path: Path) -> None:
    """A room that is what the answer takes anyway is none; rows without a length keep their prompt."""
    plain, same, wide = (suite_of(built, "babilong", "qa1", room, ("0k", "4k")) for room in (None, 20, 1000))
    for table in plain.tables():
        known = plain.fingerprint(table)
        assert "room" not in known and "reserved_output_tokens" not in known["settings"]
        assert same.fingerprint(table) == known != wide.fingerprint(table)
    told, rows = (verified(suite_of(built, "babilong", "qa1", n, ("0k",)), tmp_path) for n in (5000, None))
    assert [row["prompt"] for row in told] == [row["prompt"] for row in rows]
    assert {(row["reserved_output_tokens"], row["unused_tokens"]) for row in told} == {(5000, None)}


def test_what_cannot_be_is_one_line_before_anything_is_built(tmp_path: Path) -> None:
    for number, (block, room, values, fix) in enumerate((
        ("release", 10, (10, "babilong qa1", 20), ("20", "suites.babilong.tasks.qa1", "reserved_output_tokens")),
        ("release", 3000, ("3,000", "1k", "babilong qa1"), ("1k", "suites.babilong.tasks.qa1", "4k", "704")),
        ("release", None, (), ""),
    )):  # fmt: skip
        where = f"{block}.reserved_output_tokens"
        root = tiny.make(tmp_path / str(number), **{where: room}).root
        tiny.one_line(tiny.called(root, "plan"), where, *values, fix=fix)
        assert not (root / "data").exists()


def test_a_wrong_room_in_a_finished_row_is_found(built: Project, tmp_path: Path) -> None:
    suite = suite_of(built, "babilong", "qa1", 1000, ("4k",))
    [row, *_] = verified(suite_of(built, "babilong", "qa1", None, ("4k",)), tmp_path)
    findings = Findings()
    RowChecks(suite, suite.inputs.tokenizers, lambda row, index: False).look(row, 0, findings)
    assert any("20 tokens are reserved for the answer, not 1000" in failure for failure in findings.failures)
