"""A row on a terminal: the middle is folded, what decides stays."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from haymaker.errors import ReleaseError
from pipelines.release import find
from pipelines.reports.show import folded, show

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
        pq.write_table(pa.table({"suite": [suite]}), folder / "test-00000-of-00001.parquet")
    assert find(tmp_path, "longbench/narrativeqa", None, 0, "test") == {"suite": "longbench"}
    assert find(tmp_path, "qmsum", "natural", 0, "test") == find(tmp_path, "longbench/qmsum", None, 0, "test")
    with pytest.raises(
        ReleaseError, match=r"helmet and longbench have a task 'narrativeqa'\. Next: say helmet/narrativeqa or"
    ):
        find(tmp_path, "narrativeqa", None, 0, "test")
    with pytest.raises(ReleaseError, match="no task 'qasper' in this release"):
        find(tmp_path, "qasper", None, 0, "test")


def test_a_seed_is_shown_as_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "data" / "babilong" / "qa1" / "4k"
    folder.mkdir(parents=True)
    row = {"suite": "babilong", "task": "qa1", "seed": 20261120, "prompt": PROMPT, "answers": ["a"]}
    spans = pa.array([[]], pa.list_(pa.struct([("kind", pa.string()), ("start", pa.int64()), ("end", pa.int64())])))
    table = pa.Table.from_pylist([row]).append_column("spans", spans)
    pq.write_table(table, folder / "test-00000-of-00001.parquet")
    show(tmp_path, "qa1", None, 0, "test")
    assert "20261120" in capsys.readouterr().out
