"""haymaker dev quality encyclopaedia: the search of a small world."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from devtools.quality import encyclopaedia, search, sides
from haymaker.core.rng import Stream


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight blocks of articles, ten questions a set, no embedding."""
    monkeypatch.delenv("HAYMAKER_MIRROR", raising=False)
    monkeypatch.setattr(sides, "ARTICLES", 1_600)
    monkeypatch.setattr(sides, "QUESTIONS", 10)
    monkeypatch.setattr(encyclopaedia, "WORDS", 20_000)
    monkeypatch.setattr(search, "_ENCODER", ("no_such_module",))


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
