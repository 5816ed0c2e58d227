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


def stored(root: Path, place: str, *rows: dict[str, Any]) -> Path:
    """A release that has these rows in this folder."""
    (root / place).mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), root / place / "test-00000-of-00001.parquet")
    return root


def numbered(root: Path, place: str, name: str, count: int) -> None:
    """The same with ids alone."""
    stored(root, place, *({"id": f"{name}-{n}"} for n in range(count)))


def test_thousands_of_fillers_are_folded_and_what_decides_stays() -> None:
    prompt = "".join(f"{n:06d} " for n in range(5_000))
    for kind in ("shot", "passage", "distractor"):
        text = folded(prompt, [{"kind": kind, "start": n * 7, "end": n * 7 + 6} for n in range(5_000)]).plain
        assert len(text) < 2_000 and "... 33,600 characters ..." in text
    for kind in ("gold", "support", "fact", "needle"):
        text = folded(prompt, [{"kind": kind, "start": 14_000, "end": 14_006}]).plain
        assert "002000" in text and "004000" not in text


def test_a_task_that_two_suites_have_is_named_with_its_suite(tmp_path: Path) -> None:
    for name in ("helmet/narrativeqa", "longbench/narrativeqa", "longbench/qmsum"):
        stored(tmp_path, f"data/{name}/natural", {"suite": name.partition("/")[0], "id": name})
    assert find(tmp_path, "longbench/narrativeqa", None, 0, "test")["id"] == "longbench/narrativeqa"
    assert find(tmp_path, "qmsum", "natural", 0, "test") == find(tmp_path, "longbench/qmsum", None, 0, "test")
    with refused(ReleaseError, tmp_path.name, "narrativeqa", fix=("helmet/narrativeqa", "longbench/narrativeqa")):
        find(tmp_path, "narrativeqa", None, 0, "test")
    with refused(ReleaseError, tmp_path.name, "qasper", fix=("narrativeqa", "qmsum")):
        find(tmp_path, "qasper", None, 0, "test")


def test_a_row_is_found_as_people_type_it(tmp_path: Path) -> None:
    for place in ("babilong/qa1/0k", "babilong/qa1/128k", "babilong/qa1/4k", "other/QA2/4k"):
        numbered(tmp_path, f"data/{place}", place.replace("/", "-"), 3)
    (tmp_path / "data/babilong/qa1/notes").mkdir()
    same = "qa1 QA1 babilong/qa1 BABILong/QA1 babilong_qa1_0k babilong_qa1_sim_0k babilong-qa1-0k-0"
    for name in same.split():
        assert find(tmp_path, name, None, 0, "test") == {"id": "babilong-qa1-0k-0"}, name
    assert find(tmp_path, "babilong_qa1_128k", None, 1, "test") == {"id": "babilong-qa1-128k-1"}
    assert find(tmp_path, "qa1", "4k", 2, "test") == find(tmp_path, "babilong-qa1-4k-2", None, 0, "test")
    assert find(tmp_path, "qa2", None, 0, "test") == {"id": "other-QA2-4k-0"}
    for name, length, value, fix in (
        ("babilong-qa1-4k-9", None, "babilong-qa1-4k-9", "babilong-qa1-4k-"),
        ("qa1", "1M", "1M", "0k, 4k, 128k"),
        ("xyz", None, "xyz", ("2", "qa1", "QA2")),
    ):
        with refused(ReleaseError, tmp_path.name, value, fix=fix):
            find(tmp_path, name, length, 0, "test")


def test_a_config_of_several_tasks_and_the_small_set_are_found(tmp_path: Path) -> None:
    for place in ("data/babilong/qa1/4k", "data/babilong/qa2/4k", "data/babilong/qa2/8k", "mini/babilong/qa2"):
        numbered(tmp_path, place, place, 2)
    configs = {"mini": "mini/*/*/test-*.parquet", "babilong_sim_4k": "data/babilong/*/4k/test-*.parquet"}
    head = [{"config_name": name, "data_files": [{"split": "test", "path": path}]} for name, path in configs.items()]
    (tmp_path / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': head})}\n---\n")
    for name, index, row in (
        ("mini", 0, "mini/babilong/qa2-0"),
        ("Babilong_sim_4k", 3, "data/babilong/qa2/4k-1"),
        ("babilong_qa2_8k", 1, "data/babilong/qa2/8k-1"),
        ("babilong_qa2_sim_8k", 1, "data/babilong/qa2/8k-1"),
    ):
        assert find(tmp_path, name, None, index, "test") == {"id": row}
    for name, index, where, values, fix in (
        ("mini", 2, "--index 2", (2, "test"), ""),
        ("babilong_wrld_4k", 0, tmp_path.name, (), "babilong_sim_4k"),
        ("babilong-qa1", 0, tmp_path.name, ("babilong-qa1",), ""),
    ):
        with refused(ReleaseError, where, name, *values, fix=fix):
            find(tmp_path, name, None, index, "test")


@pytest.mark.parametrize(
    ("colour", "is_refused", "is_marked"), [(None, False, True), ("truecolor", False, False), ("auto", True, True)]
)
def test_pieces_are_named_where_there_are_no_colours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, colour: Any, is_refused: bool, is_marked: bool
) -> None:
    file = io.StringIO()
    if is_refused:
        monkeypatch.setenv("NO_COLOR", "1")
    console = SafeConsole(file=file, color_system=colour, force_terminal=bool(colour), width=200)
    monkeypatch.setattr(shown, "out", console)
    show(stored(tmp_path, "data/babilong/qa1/4k", ROW), "qa1", None, 0, "test")
    said = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    assert ("in [[gold: the [[fact: attic]]]]." in said) is is_marked and ("in the attic." in said) is not is_marked
    assert not is_refused or not re.search(r"\x1b\[[0-9;]*(3[0-7]|4[0-7])[;m]", file.getvalue())
