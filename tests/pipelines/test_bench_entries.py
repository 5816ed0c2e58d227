"""haymaker dev bench <suite>: what is measured and told. No test asserts a time."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from devtools.bench import entries
from devtools.bench.yardsticks import in_new_process
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import read_json
from pipelines.project import Project
from tests.errors import refused
from tests.pipelines import tiny

TABLES = {"qa1": "16k", "qa2": "4k", "qa3": "1k", "qa1_quarter": "4k", "qa1_grid": "4k"}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows, all in this process."""
    monkeypatch.setattr(entries, "in_new_process", lambda work, *given: work(*given))
    monkeypatch.setattr(entries, "copy_rate", lambda: 1e9)
    monkeypatch.setattr(entries, "_FEW", 2)
    monkeypatch.setattr(entries, "_MANY", 7)


@pytest.mark.usefixtures("quick")
def test_every_entry_at_its_longest_length(mine: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = entries.run(mine, "babilong", tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == report == read_json(mine.work / "bench-babilong.json")
    assert {row["task"]: row["length"] for row in report["rows"]} == TABLES
    assert {row["task"]: row["rows"] for row in report["rows"]} == {
        "qa1": 2, "qa2": 5, "qa3": 4, "qa1_quarter": 7, "qa1_grid": 6
    }  # fmt: skip
    for row in report["rows"]:
        assert row["over_parquet"] == row["row_s"] / row["parquet_s"] > 0 and row["split"] == "test"
        assert row["copies_of_text"] == pytest.approx(row["row_s"] / (row["text_bytes"] / 1e9), rel=1e-3)
        assert {"choose_s", "first_s", "grown_mb"} <= row.keys() and row["memory_mb"] > 0
    printed = capsys.readouterr().out
    assert all(task in printed for task in TABLES) and "memory copy 1.0 GB/s" in printed


def test_128k_before_a_longer_one_and_nothing_that_is_not_prepared(fresh: Project, mine: Project) -> None:
    [bare] = fresh.suites()
    assert entries.tables_of(bare) == []
    with refused(ReleaseError, "params.yaml", "babilong", fix="haymaker run"):
        entries.run(fresh, "babilong", None)
    lengths: dict[str, Any] = {"0k": 2, "4k": 1, "128k": 3, "1M": 1}
    tiny.write_params(mine.root, tiny.params(**{"suites.babilong.tasks": {"qa1": {"lengths": lengths}}}))
    [suite] = Project(mine.root).suites()
    assert [(table.length, table.rows) for table in entries.tables_of(suite)] == [("128k", 3)]


def test_an_unknown_name_is_refused(built: Project) -> None:
    for name, fix in (("babylong", "babilong"), ("proof", "validate"), ("xyz", "")):
        with refused(ParamsError, "haymaker dev bench", name, "rows", "retrieval", "synthetic", "babilong", fix=fix):
            entries.run(built, name, None)


def test_a_process_of_its_own() -> None:
    assert in_new_process(os.getpid) != os.getpid()
