"""The pages of defects: every numbered defect has its line, every test that a page names exists."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def page(name: str) -> str:
    return (ROOT / f"docs/defects/{name}.md").read_text(encoding="utf-8")


def test_every_defect_of_helmet_has_one_line() -> None:
    lines = re.findall(r"^\| (D\d+) \|", page("helmet"), re.MULTILINE)
    assert lines == [f"D{number}" for number in range(1, 25)]


def test_every_defect_of_longbench_has_one_line() -> None:
    lines = re.findall(r"^\| (D\d+) \|", page("longbench"), re.MULTILINE)
    assert lines == [f"D{number}" for number in range(1, 21)]


def test_every_weak_point_of_marathon_has_one_line() -> None:
    lines = re.findall(r"^\| (D\d+) \|", page("marathon"), re.MULTILINE)
    assert lines == [f"D{number}" for number in range(1, 12)]


def test_every_defect_of_ruler_has_a_line() -> None:
    lines = re.findall(r"^\| A5 #(\d+)", page("synthetic"), re.MULTILINE)
    assert sorted(set(map(int, lines))) == list(range(1, 17))
    for section in ("B", "C", "D"):
        assert re.search(rf"^\| {section}[ ,|]", page("synthetic"), re.MULTILINE), section


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("babilong", 60),
        ("helmet", 60),
        ("synthetic", 60),
        ("longbench", 30),
        ("frontier", 20),
        ("longgenbench", 12),
        ("marathon", 18),
        ("ours", 30),
    ],
)
def test_every_test_that_a_page_names_exists(name: str, least: int) -> None:
    named = set(re.findall(r"(test_\w+)::(test_\w+)", page(name)))
    texts: dict[str, str] = defaultdict(str)
    for path in (ROOT / "tests").rglob("test_*.py"):
        texts[path.stem] += path.read_text(encoding="utf-8")
    assert len(named) > least
    assert [f"{file}::{test}" for file, test in sorted(named) if f"def {test}(" not in texts[file]] == []
