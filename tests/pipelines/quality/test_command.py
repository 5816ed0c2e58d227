"""haymaker dev quality: the same files twice, and tables where a page has a place for them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from devtools import quality
from devtools.quality import cheat, novels, texts
from pipelines.project import Project
from tests.pipelines import tiny
from worlds.babi import TASKS

_BLANK = "<!-- quality novels -->\nold\n<!-- end -->\n\n<!-- quality novels-classifier -->\n<!-- end -->\nlast\n"


def report(tmp_path: Path, topic: str) -> Any:
    return json.loads((tmp_path / f"reports/quality/{topic}.json").read_text())


def test_two_collections_are_measured_and_written(
    project: Project, books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYMAKER_MIRROR", str(books))
    page = tmp_path / "page.md"
    page.write_text(f"first\n{_BLANK}", encoding="utf-8")
    quality.run(project, "novels", page)
    files = tiny.digests(tmp_path, "plots")
    assert sorted(files) == ["novels-classifier.svg", "novels-sentences.svg", "novels-types.svg"]
    sides = report(tmp_path, "novels")["sides"]
    assert {name: side["books"] for name, side in sides.items()} == {"books": 4, "real books": 4}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("first\n") and text.endswith("last\n") and "old" not in text
    assert re.search(r"^\| books \| 4 \| 4 \|$", text, re.MULTILINE) and "| books against real books |" in text
    novels.draw(report(tmp_path, "novels"), tmp_path / "again")
    assert tiny.digests(tmp_path, "again") == files, "same report, same bytes"


def test_authors_come_from_the_table_and_simulated_texts_need_no_run(
    built: Project, fresh: Project, books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYMAKER_MIRROR", str(books))
    own, real = texts.sides(built)
    assert [book.author for book in real.books] == ["Ann Lee", "Ann Lee", "Bo", "Cy"]
    assert [book.author for book in own.books] == [book.name for book in own.books]
    assert texts.sides(fresh)[0] == own


def test_cheat_builds_rows_of_its_own(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cheat, "STORIES", {task: TASKS[task] for task in ("qa1", "qa4")})
    monkeypatch.setattr(cheat, "LENGTHS", ("2k",))
    quality.run(project, "cheat", None)
    found = report(tmp_path, "cheat")["books"]["2k"]
    assert set(found) == {"surprise", "smooth", "short", "rare", "twins", "seen"}
    assert found["seen"]["auc"] > 0.9, "facts of other stories give facts away"
    assert found["surprise"]["auc"] + found["smooth"]["auc"] == pytest.approx(1, abs=0.01)
