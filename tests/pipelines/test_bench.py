"""haymaker dev bench: what is measured. No test asserts a time or a speed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from devtools.bench import entries, validation
from haymaker.core.files.disk import read_json, write_json
from pipelines.project import Project
from tests.pipelines import tiny


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows, all in this process."""
    monkeypatch.setattr(entries, "in_new_process", lambda work, *given: work(*given))
    monkeypatch.setattr(validation, "in_new_process", lambda work, *given: work(*given))
    monkeypatch.setattr(entries, "copy_rate", lambda: 1e9)
    monkeypatch.setattr(entries, "_FEW", 2)
    monkeypatch.setattr(entries, "_MANY", 5)


# --------------------------------------------------------------------------------------------------------- suites


@pytest.mark.usefixtures("quick")
def test_entries_at_their_longest_length(mine: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = {name: tiny.PARAMS["suites"]["babilong"]["tasks"][name] for name in ("qa3", "qa1_grid")}
    tiny.write_params(mine.root, tiny.params(**{"suites.babilong.tasks": tasks}))
    project = Project(mine.root)
    report = entries.run(project, "babilong", tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == report
    assert read_json(project.work / "bench-babilong.json") == report
    assert [(row["task"], row["length"], row["rows"]) for row in report["rows"]] == [
        ("qa3", "1k", 4),
        ("qa1_grid", "4k", 5),
    ]
    for row in report["rows"]:
        assert row["over_parquet"] == row["row_s"] / row["parquet_s"] > 0 and row["split"] == "test"
        assert row["copies_of_text"] == pytest.approx(row["row_s"] / (row["text_bytes"] / 1e9), rel=1e-3)
    printed = capsys.readouterr().out
    assert "qa1_grid" in printed and "memory copy 1.0 GB/s" in printed


# ----------------------------------------------------------------------------------------------------- validation


@pytest.mark.usefixtures("quick")
def test_figures_of_tasks_and_a_stopped_run_that_goes_on(mine: Project, tmp_path: Path) -> None:
    names = ["babilong/qa1", "babilong/qa2"]
    whole = validation.run(mine, "4k", tmp_path / "figures.json", names)
    assert json.loads((tmp_path / "figures.json").read_text()) == json.loads(json.dumps(whole)) and whole["finished"]
    assert {(row["task"], row["group"]) for row in whole["rows"]} >= {(name, "to 64k") for name in names}
    for row in (row for row in whole["rows"] if row["group"] == "to 64k"):
        assert row["rows"] > 0 and row["tokens"] > 0 and math.isclose(sum(row["share"].values()), 1)
        assert row["ratio"] == pytest.approx(row["s_per_M"] / row["pass_s_per_M"])
    kept = [row | {"rows": 7} for row in whole["rows"] if row["task"] == names[0]]

    def rows_of(asked: list[str], *, finished: bool = False, restart: bool = False) -> list[int]:
        write_json(mine.work / "bench-validate.json", whole | {"finished": finished, "rows": kept})
        report = validation.run(mine, "4k", None, asked, restart=restart)
        return [row["rows"] for row in report["rows"] if row["group"] == "to 64k"]

    assert rows_of(names)[0] == 7
    for others in (rows_of(names[:1]), rows_of(names, finished=True), rows_of(names, restart=True)):
        assert 7 not in others and others
