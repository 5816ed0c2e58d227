"""haymaker dev quality encyclopaedia: a small world measured twice, alone and beside the real slice; tables, figures, mistakes."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from devtools import quality
from devtools.quality import encyclopaedia, search, sides
from devtools.quality.encyclopaedia import tables
from haymaker.core.rng import Stream
from pipelines.project import Project

_WORLD_SETS = ["single", "longtail", "twohop", "search"]
_TABLES = ("encyclopaedia-gates", "encyclopaedia-passages", "encyclopaedia")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight blocks of articles, ten questions a set, no embedding."""
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    monkeypatch.setattr(sides, "ARTICLES", 1_600)
    monkeypatch.setattr(sides, "QUESTIONS", 10)
    monkeypatch.setattr(encyclopaedia, "WORDS", 20_000)
    monkeypatch.setattr(search, "_ENCODER", ("no_such_module",))


def page(folder: Path, names: tuple[str, ...] = _TABLES) -> Path:
    path = folder / "page.md"
    path.write_text("first\n" + "".join(f"<!-- quality {name} -->\nold\n<!-- end -->\n" for name in names) + "last\n")
    return path


@pytest.mark.usefixtures("small")
def test_likeness_falls_from_gold_to_random(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sides, "ARTICLES", 400)
    monkeypatch.setattr(sides, "QUESTIONS", 4)
    (simulated,) = sides.build(tmp_path)
    asked = simulated.sets["longtail"]
    found = list(search.search(simulated.pools["longtail"], asked))
    assert [row.question for row in found] == [each.question.text for each in asked]
    for row, located in zip(found, asked, strict=True):
        gold = {each.passage for each in located.gold}
        assert set(row.gold_at) == gold and not gold & set(row.mined_at)
        assert len(row.mined_at) == search.DISTRACTORS and set(row.near) > gold
        lexical = simulated.pools["longtail"][1]
        drawn = list(islice(Stream("random", row.question).walk(len(simulated.main)), search.DISTRACTORS))
        of_mined, of_drawn = (lexical.scores(row.question, np.array(each)) for each in (row.mined_at, drawn))
        of_gold = lexical.scores(row.question, np.array(row.gold_at))
        assert of_mined.tolist() == sorted(of_mined, reverse=True) and of_drawn.sum() < of_mined.sum()
        assert row.nearest == pytest.approx(of_mined[0] / of_gold.max())
        if row.rank is not None:
            assert row.rank_apart is not None and row.rank_apart <= row.rank


def side(sets: dict[str, Any]) -> dict[str, Any]:
    spread = dict.fromkeys(("mean", "q05", "q25", "q50", "q75", "q95"), 0.5)
    counts = {"corpus": 1000, "articles": 10, "words": 10, "types": 5}
    return {
        "passages": {**counts, "passage_words": spread, "sentence_words": spread, "repeated_masked": 0.5},
        "sets": sets,
    }


FIGURES = {
    "questions": 3, "question_gold_overlap": None, "nearest": None, "nearest_apart": None, "bm25_apart": {},
    "bm25": dict.fromkeys(("1", "10", "100"), 0.5),
}  # fmt: skip


def test_tables_show_what_fails() -> None:
    gate, other = (encyclopaedia.gates(FIGURES, FIGURES | {"bm25": {"1": share}}) for share in (0.9, 0.6))
    other["question_gold_overlap"] = other["BM25: gold in the first 1"]
    sides_ = {"real slice": side({"nq": FIGURES}), "simulated": side({"single": FIGURES})}
    found = tables({"sides": sides_, "gates": {"nq / single": gate, "popqa / longtail": other}})
    assert found["encyclopaedia-gates"] == [
        ("gate (limit): real / simulated", ["nq / single", "popqa / longtail"]),
        ("BM25: gold in the first 1 (0.15)", ["**0.50 / 0.90** easier by 0.25", "0.50 / 0.60"]),
        ("question_gold_overlap (0.15)", ["-", "0.50 / 0.60"]),
        ("failed: harder, easier", ["0, 1 of 1", "0, 0 of 2"]),
    ]
    assert ("repeated 8-grams, names masked, %", ["50.00", "50.00"]) in found["encyclopaedia-passages"]
    alone = tables({"sides": {"simulated": side({"single": FIGURES})}})
    assert list(alone) == ["encyclopaedia-passages", "encyclopaedia"]
    shown = dict(alone["encyclopaedia"])
    assert (shown["BM25: gold in the first 1"], shown["MiniLM: gold in the first 1"]) == (["0.50"], ["-"])


@pytest.mark.real
@pytest.mark.slow
def test_beside_the_real_slice(
    small: None, project: Project, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYMAKER_MIRROR", str(mirror))
    quality.run(project, "encyclopaedia", page(tmp_path, _TABLES[:2]))
    report = json.loads((tmp_path / "reports/quality/encyclopaedia.json").read_text())
    real, simulated = report["sides"]["real slice"], report["sides"]["simulated"]
    assert set(real["sets"]) == {"nq", "popqa", "hotpotqa", "dl19"} and set(simulated["sets"]) == set(_WORLD_SETS)
    assert real["passages"]["corpus"] == 30_109
    assert {pair: len(gates) for pair, gates in report["gates"].items()} == {
        "nq / single": 17, "popqa / longtail": 17, "hotpotqa / twohop": 15, "dl19 / search": 9,
    }  # fmt: skip
    assert "\nold\n" not in (tmp_path / "page.md").read_text()
