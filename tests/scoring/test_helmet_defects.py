"""The page of HELMET's defects (docs/defects/helmet.md): every defect has its line, every test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/defects/helmet.md").read_text(encoding="utf-8")


def test_every_defect_has_one_line() -> None:
    lines = re.findall(r"^\| (D\d+) \|", PAGE, re.MULTILINE)
    assert lines == [f"D{number}" for number in range(1, 25)]


def test_every_test_that_the_page_names_exists() -> None:
    named = set(re.findall(r"(test_\w+)::(test_\w+)", PAGE))
    paths = sorted((ROOT / "tests").rglob("test_*.py"), key=lambda path: (path.parent.name == "helmet", path))
    tests = {path.stem: path.read_text(encoding="utf-8") for path in paths}  # of two with one name, the suite's own
    assert len(named) > 35
    assert [f"{file}::{test}" for file, test in sorted(named) if f"def {test}(" not in tests.get(file, "")] == []
