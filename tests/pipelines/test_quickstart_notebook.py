"""The code of examples/quickstart.ipynb runs on a small release, without Jupyter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines import tiny

NOTEBOOK = tiny.ROOT / "examples/quickstart.ipynb"
DEMO = "../data/releases/haymaker-demo"


def test_every_cell_runs_in_order(built_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell.get("outputs") for cell in cells)
    assert sum(source.count(DEMO) for source in sources) == 1
    names: dict[str, Any] = {}
    for number, source in enumerate(sources, 1):
        text = source.replace(DEMO, str(built_root / "data/releases/tiny"))
        exec(compile(text, f"{NOTEBOOK.name}, code cell {number}", "exec"), names)
    assert "accepted answers:" in capsys.readouterr().out
    assert {figure.length for figure in names["scores"].figures} >= {"0k", "1k", "4k", "16k"}
    assert len(names["outputs"]) == sum(1 for _ in names["release"].rows(["qa1"]))
