"""haymaker quality: the same files twice, tables where a page has a place for them, and one line for every mistake."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from haymaker.errors import EnvironmentProblem
from pipelines import quality
from pipelines.project import Project
from pipelines.quality import cheat, stories, texts
from tests.pipelines import tiny
from worlds.babi import TASKS
from worlds.novels import write_novel

_BLANK = "<!-- quality novels -->\nold\n<!-- end -->\n\n<!-- quality classifier -->\n<!-- end -->\nlast\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own texts: four short novels, two by one author."""
    root = tmp_path_factory.mktemp("texts")
    for i in range(4):
        (root / f"{i}.txt").write_text(write_novel(8, i, words=6000).text, encoding="utf-8")
    (root / "metadata.csv").write_text(
        "0,One by Ann Lee,1900,\n1,Two by Ann Lee,1901,\n2,Three,1902,\n", encoding="utf-8"
    )
    return root


def report(tmp_path: Path, topic: str) -> Any:
    return json.loads((tmp_path / f"reports/quality/{topic}.json").read_text())


def test_two_collections_are_measured_and_written(project: Project, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"first\n{_BLANK}", encoding="utf-8")
    quality.run(project, "novels", None, str(folder), tmp_path / "plots", page, 4000)
    files = tiny.digests(tmp_path, "plots")
    assert sorted(files) == ["novels-books.svg", "novels-classifier.svg", "novels-sentences.svg", "novels-types.svg"]
    sides = report(tmp_path, "novels")["sides"]
    assert {name: side["books"] for name, side in sides.items()} == {"books": 4, folder.name: 4}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("first\n") and text.endswith("last\n") and "old" not in text
    assert re.search(r"^\| books \| 4 \| 4 \|$", text, re.MULTILINE)
    assert "| AUC: mean (range) | 20 words | 50 words | 200 words |" in text
    for plot, digest in files.items():
        (tmp_path / "plots" / plot).unlink()
        assert digest
    quality.novels.draw(report(tmp_path, "novels"), tmp_path / "plots")
    assert tiny.digests(tmp_path, "plots") == files, "same report, same bytes"


def test_one_collection_alone(
    project: Project, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quality.run(project, "novels", str(folder), None, tmp_path, None, None)
    found = report(tmp_path, "novels")
    assert found["words"] in (5000, 6000) and found["classifier"] == []
    assert not (tmp_path / "novels-classifier.svg").exists()
    assert "words per sentence, mean" in capsys.readouterr().out


def test_authors_come_from_the_table(built: Project, folder: Path) -> None:
    (own,) = texts.sides(built, str(folder), None)
    assert [book.author for book in own.books] == ["Ann Lee", "Ann Lee", "2", "3"]


def test_a_simulated_corpus_needs_no_run(fresh: Project, built: Project) -> None:
    (unbuilt,), (there,) = texts.sides(fresh, "books", None), texts.sides(built, "books", None)
    assert unbuilt == there and len(there.books) == 4


def test_cheat_builds_rows_of_its_own(
    project: Project, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cheat, "STORIES", {task: TASKS[task] for task in ("qa1", "qa4")})
    monkeypatch.setattr(cheat, "BUCKETS", ("2k",))
    quality.run(project, "cheat", str(folder), None, tmp_path, None, 5000)
    side = report(tmp_path, "cheat")["sides"][folder.name]["2k"]
    assert set(side) == {"all", "qa1", "qa4"}
    assert set(side["all"]) == {"best", "surprise", "smooth", "short", "rare", "twins", "seen"}
    assert side["qa1"]["seen"]["auc"] > 0.9, "facts of other stories give facts away"
    assert side["all"]["surprise"]["auc"] + side["all"]["smooth"]["auc"] == pytest.approx(1, abs=0.01)
    assert (tmp_path / "cheat.svg").is_file()


def test_stories_of_a_simulated_source(project: Project, tmp_path: Path) -> None:
    quality.run(project, "stories", None, None, tmp_path, None, None)
    found = report(tmp_path, "stories")["stories"]
    assert [(each["task"], each["part"], each["questions"]) for each in found] == [
        (task, part, 60) for task in ("qa1", "qa2", "qa3") for part in ("test", "train")
    ]


@pytest.mark.real
def test_stories_beside_the_real_files(built: Project, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYMAKER_MIRROR", str(mirror))
    found = stories.report(built, None, None, None)
    head, *body = stories.tables(found)["stories"]
    assert list(found) == ["stories", "babi_mirror"]
    assert [task for task, _ in body] == ["qa1", "qa2", "qa3"]
    assert len(head[1]) == len(body[0][1]) == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tales"], "unknown topic 'tales'. Next: known: all, cheat, encyclopaedia, novels, stories"),
        (["novels", "--corpus", "bokks"], "bokks: no folder, and no corpus of params.yaml: unknown texts. Next: did you mean 'books'?"),
        (["novels", "--corpus", "empty"], "empty: holds no .txt file. Next: give a folder of UTF-8 text files"),
        (["novels", "--corpus", "little"], "little: 400 words in all. Next: give at least 20,000 words"),
        (["novels", "--corpus", "bad"], "1.txt: not UTF-8 at byte 0"),
        (["novels", "--corpus", "books", "--beside", "books"], "'books' stands beside itself"),
        (["novels", "--words", "60000"], "books: 0 texts of 60,000 words, 2 are needed"),
        (["novels", "--words", "4000", "--page", "page.md"], "page.md: has no place for table 'novels'"),
        (["novels", "--words", "4000", "--page", "none.md"], "none.md"),
        (["stories", "--corpus", "novels"], "no source of questions 'novels'"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(mine: Project, arguments: list[str], says: str) -> None:
    for name in ("empty", "little", "bad"):
        (mine.root / name).mkdir()
    (mine.root / "little/1.txt").write_text("The old dog ran home. " * 80, encoding="utf-8")
    (mine.root / "bad/1.txt").write_bytes(b"\xff\xfe")
    (mine.root / "page.md").write_text("# Nothing\n", encoding="utf-8")
    before = sorted(mine.root.rglob("*"))
    result = tiny.called(mine.root, "quality", *arguments, "--plots", str(mine.root / "out"))
    assert says in tiny.one_line(result)
    assert sorted(mine.root.rglob("*")) == before, "nothing is written"


@pytest.mark.parametrize(
    ("topic", "module", "name"), [("novels", "sklearn", "scikit-learn"), ("cheat", "matplotlib", "matplotlib")]
)
def test_a_missing_extra_is_named(
    built: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topic: str, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what an import of a package that is not there meets
    with pytest.raises(
        EnvironmentProblem, match=rf"^{name} is not installed. Next: pip install -e '.\[quality\]'$"
    ) as caught:
        quality.run(built, topic, None, None, tmp_path, None, None)
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())
