"""bench validation: what it measures, never how long it takes."""

from __future__ import annotations

import json
import math
from dataclasses import astuple
from pathlib import Path

import pytest

from devtools.bench import validation, validation_work
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import write_json
from pipelines.execution.worker_state import payload
from pipelines.project import Project
from tests.errors import refused


def sent(project: Project, lengths: tuple[str, ...]) -> dict[str, object]:
    [suite] = project.built_suites()
    tables = [astuple(t) for t in suite.tables() if t.task == "qa1" and t.split == "test" and t.length in lengths]
    return payload(project, tables=tables, release=str(project.release))


def test_groups_of_lengths() -> None:
    wanted = {"natural": "0k natural 0-4k", "to 64k": "4k 64k", "128k": "128k", "beyond": "1M"}
    for group, lengths in wanted.items():
        assert {validation_work.group_of(length) for length in lengths.split()} == {group}


def test_figures_of_a_task(built: Project) -> None:
    found = validation_work.measure(sent(built, ("0k", "4k")))
    assert [each["group"] for each in found[:2]] == ["natural", "to 64k"]
    for each in found[:2]:
        assert each["task"] == "babilong/qa1" and each["rows"] > 0 and each["tokens"] > 0
        assert each["ratio"] == pytest.approx(each["s_per_M"] / each["pass_s_per_M"])
        assert set(each["share"]) == set(validation_work.STEPS) and math.isclose(sum(each["share"].values()), 1)
    assert [each["group"] for each in found[2:]] == ["shortcuts"] and found[2]["share"] == {}


def test_a_row_that_fails_is_no_figure(mine: Project) -> None:
    from tests.pipelines.test_validate import change, one_token_more, path_of

    change(path_of(mine, "qa1", "4k"), one_token_more)
    with refused(ReleaseError, "", "BUDGET"):
        validation_work.measure(sent(mine, ("4k",)))


def test_the_command_writes_all_figures(mine: Project, tmp_path: Path) -> None:
    report = validation.run(mine, "4k", tmp_path / "figures.json", ["babilong/qa1", "babilong/qa1"])
    assert json.loads((tmp_path / "figures.json").read_text()) == json.loads(json.dumps(report))
    assert {each["group"] for each in report["rows"]} <= {"to 64k", "shortcuts"} and report["tokenizers"]


def test_without_a_release(built: Project) -> None:
    with refused(ReleaseError, "data/releases/tiny", fix="haymaker run"):
        validation.run(built, "2M", None)


def test_an_unknown_task_is_named(built: Project) -> None:
    with refused(ParamsError, "", "'babilong/qa'", fix="babilong/"):
        validation.run(built, None, None, ["babilong/qa1", "babilong/qa"])


def test_a_stopped_run_goes_on_and_another_one_does_not(mine: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured in this process: a dozen of their own say nothing more about what is measured again."""
    monkeypatch.setattr(validation, "in_new_process", lambda measure, sent: measure(sent))
    file = mine.work / "bench-validate.json"
    whole = validation.run(mine, "4k", None)
    names = list(dict.fromkeys(row["task"] for row in whole["rows"]))
    assert len(names) > 1 and whole["finished"]
    kept = [row | {"rows": 7} for row in whole["rows"] if row["task"] == names[0]]

    def rows_of(asked: list[str], *, finished: bool = False, restart: bool = False) -> list[int]:
        write_json(file, whole | {"finished": finished, "rows": kept})
        return [
            row["rows"]
            for row in validation.run(mine, "4k", None, asked, restart=restart)["rows"]
            if row["group"] == "to 64k"
        ]

    assert rows_of([])[0] == 7 and len(json.loads(file.read_text())["rows"]) == len(whole["rows"])
    for others in (rows_of(names[:1]), rows_of([], finished=True), rows_of([], restart=True)):
        assert 7 not in others and others
