"""A row on a terminal: the middle is folded, what decides stays."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from haymaker.core.errors import ReleaseError
from haymaker.core.progress import SafeConsole
from haymaker.releases.display import show as shown
from haymaker.releases.display.show import folded, show
from haymaker.releases.find_row import find
from tests.errors import refused

ROW = {
    "id": "a", "suite": "s", "task": "t", "prompt": "It is in the attic.", "answers": ["attic"],
    "spans": [{"kind": "gold", "start": 9, "end": 18}, {"kind": "fact", "start": 13, "end": 18}],
}  # fmt: skip


def stored(root: Path, row: dict[str, Any]) -> Path:
    """A release of this row alone."""
    folder = root / "data/babilong/qa1/4k"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([row]), folder / "test-00000-of-00001.parquet")
    return root


PROMPT = "".join(f"{n:06d} " for n in range(5_000))


@pytest.mark.parametrize("kind", ["shot", "passage", "distractor"])
def test_thousands_of_fillers_are_folded(kind: str) -> None:
    spans = [{"kind": kind, "start": n * 7, "end": n * 7 + 6} for n in range(5_000)]
    shown = folded(PROMPT, spans).plain
    assert len(shown) < 2_000 and "... 33,600 characters ..." in shown


@pytest.mark.parametrize("kind", ["gold", "support", "fact", "needle"])
def test_what_decides_stays(kind: str) -> None:
    shown = folded(PROMPT, [{"kind": kind, "start": 14_000, "end": 14_006}]).plain
    assert "002000" in shown and "004000" not in shown


def test_a_task_that_two_suites_have_is_named_with_its_suite(tmp_path: Path) -> None:
    for suite, task in (("helmet", "narrativeqa"), ("longbench", "narrativeqa"), ("longbench", "qmsum")):
        folder = tmp_path / "data" / suite / task / "natural"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"suite": [suite], "id": [f"{suite}-{task}"]}), folder / "test-00000-of-00001.parquet")
    assert find(tmp_path, "longbench/narrativeqa", None, 0, "test") == {
        "suite": "longbench",
        "id": "longbench-narrativeqa",
    }
    assert find(tmp_path, "qmsum", "natural", 0, "test") == find(tmp_path, "longbench/qmsum", None, 0, "test")
    with refused(ReleaseError, tmp_path.name, "narrativeqa", fix=("helmet/narrativeqa", "longbench/narrativeqa")):
        find(tmp_path, "narrativeqa", None, 0, "test")
    with refused(ReleaseError, tmp_path.name, "qasper", fix=("narrativeqa", "qmsum")):
        find(tmp_path, "qasper", None, 0, "test")


def test_a_row_is_found_as_people_type_it(tmp_path: Path) -> None:
    for suite, task, length in (
        ("babilong", "qa1", "0k"),
        ("babilong", "qa1", "128k"),
        ("babilong", "qa1", "4k"),
        ("other", "QA2", "4k"),
    ):
        folder = tmp_path / "data" / suite / task / length
        folder.mkdir(parents=True)
        ids = [f"{suite}-{task}-{length}-{n}" for n in range(3)]
        pq.write_table(pa.table({"id": ids}), folder / "test-00000-of-00001.parquet")
    (tmp_path / "data/babilong/qa1/notes").mkdir()
    for name in (
        "qa1",
        "QA1",
        "babilong/qa1",
        "BABILong/QA1",
        "babilong_qa1_0k",
        "babilong_qa1_sim_0k",
        "babilong-qa1-0k-0",
    ):
        assert find(tmp_path, name, None, 0, "test") == {"id": "babilong-qa1-0k-0"}, name
    assert find(tmp_path, "babilong_qa1_128k", None, 1, "test") == {"id": "babilong-qa1-128k-1"}
    assert find(tmp_path, "qa1", "4k", 2, "test") == find(tmp_path, "babilong-qa1-4k-2", None, 0, "test")
    assert find(tmp_path, "qa2", None, 0, "test") == {"id": "other-QA2-4k-0"}
    with refused(ReleaseError, tmp_path.name, "babilong-qa1-4k-9", fix="babilong-qa1-4k-"):
        find(tmp_path, "babilong-qa1-4k-9", None, 0, "test")
    with refused(ReleaseError, tmp_path.name, "1M", fix="0k, 4k, 128k"):
        find(tmp_path, "qa1", "1M", 0, "test")
    with refused(ReleaseError, tmp_path.name, "xyz", fix=("2", "qa1", "QA2")):
        find(tmp_path, "xyz", None, 0, "test")


def test_a_config_of_several_tasks_and_the_small_set_are_found(tmp_path: Path) -> None:
    for place in ("data/babilong/qa1/4k", "data/babilong/qa2/4k", "data/babilong/qa2/8k", "mini/babilong/qa2"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        ids = [f"{place}-{n}" for n in range(2)]
        pq.write_table(pa.table({"id": ids}), folder / "test-00000-of-00001.parquet")
    configs = {"mini": "mini/*/*/test-*.parquet", "babilong_sim_4k": "data/babilong/*/4k/test-*.parquet"}
    head = [{"config_name": name, "data_files": [{"split": "test", "path": path}]} for name, path in configs.items()]
    (tmp_path / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': head})}\n---\n")
    assert find(tmp_path, "mini", None, 0, "test") == {"id": "mini/babilong/qa2-0"}
    assert find(tmp_path, "Babilong_sim_4k", None, 3, "test") == {"id": "data/babilong/qa2/4k-1"}
    for name in ("babilong_qa2_8k", "babilong_qa2_sim_8k"):
        assert find(tmp_path, name, None, 1, "test") == {"id": "data/babilong/qa2/8k-1"}
    for name, index, where, values, fix in (
        ("mini", 2, "--index 2", (2, "test"), ""),
        ("babilong_wrld_4k", 0, tmp_path.name, (), "babilong_sim_4k"),
        ("babilong-qa1", 0, tmp_path.name, ("babilong-qa1",), ""),
    ):
        with refused(ReleaseError, where, name, *values, fix=fix):
            find(tmp_path, name, None, index, "test")


@pytest.mark.parametrize(("color", "marked"), [(None, True), ("truecolor", False)])
def test_pieces_are_named_where_there_are_no_colours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, color: Any, marked: bool
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(shown, "out", SafeConsole(file=file, color_system=color, force_terminal=bool(color), width=200))
    show(stored(tmp_path, ROW), "qa1", None, 0, "test")
    said = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    assert ("in [[gold: the [[fact: attic]]]]." in said) is marked and ("in the attic." in said) is not marked


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = io.StringIO()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(shown, "out", SafeConsole(file=file, force_terminal=True, width=200))
    show(stored(tmp_path, ROW), "qa1", None, 0, "test")
    assert "[[fact: " in file.getvalue() and not re.search(r"\x1b\[[0-9;]*(3[0-7]|4[0-7])[;m]", file.getvalue())


def test_a_seed_is_shown_as_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show(stored(tmp_path, ROW | {"seed": 20261120}), "qa1", None, 0, "test")
    assert "20261120" in capsys.readouterr().out
