"""haymaker dev quality: the same files twice, tables where a page has a place for them, and one line for every mistake."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from devtools import quality
from devtools.quality import cheat, novels, texts
from haymaker.core.errors import EnvironmentProblem, SourceError
from haymaker.core.files.disk import remove
from pipelines.project import Project
from tests.errors import refused
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


def test_stories_of_a_simulated_source(project: Project, tmp_path: Path) -> None:
    quality.run(project, "stories", None)
    found = report(tmp_path, "stories")["stories"]
    assert [(each["task"], each["split"], each["questions"]) for each in found] == [
        (task, split, 60) for task in ("qa1", "qa2", "qa3") for split in ("test", "train")
    ]


def test_mistakes_are_one_line(mine: Project) -> None:
    (mine.root / "page.md").write_text("# Nothing\n", encoding="utf-8")
    before = sorted(mine.root.rglob("*"))
    for arguments, where, value, fix in (
        (["tales"], "haymaker dev quality", "choose novels, stories, cheat, encyclopaedia or all", ""),
        (["novels", "--page", "page.md"], "page.md", "novels", ("<!-- quality novels -->", "<!-- end -->")),
        (["novels", "--page", "none.md"], "none.md", "", ""),
    ):
        tiny.one_line(tiny.called(mine.root, "dev", "quality", *arguments), where, value, fix=fix)
    assert sorted(mine.root.rglob("*")) == before, "nothing is written"


def test_real_texts_are_fetched_by_their_stage_alone(mine: Project, books: Path) -> None:
    sources = tiny.PARAMS["sources"] | {"novels": {"kind": "pg19_folder", "path": str(books / "pg19")}}
    tiny.write_params(mine.root, tiny.PARAMS | {"sources": sources})
    remove(mine.data / "raw/novels")
    with refused(SourceError, "sources.novels", fix="haymaker dev stage download novels"):
        texts.sides(Project(mine.root))


def test_a_missing_extra_is_named(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)  # what an import of a package that is not there meets
    with refused(EnvironmentProblem, "", "scikit-learn", fix='pip install -c constraints.txt --editable ".[quality]"'):
        quality.run(project, "novels", None)
    assert not list(tmp_path.iterdir())
