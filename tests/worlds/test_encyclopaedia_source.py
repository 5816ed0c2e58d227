"""The encyclopaedia as a source: KILT's layout, read back the same, written in any order, refused when damaged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpora import sources
from corpora.sources.base import FetchContext
from corpora.sources.simulated_encyclopaedia import SimulatedEncyclopaedia
from haymaker.core.errors import SourceError
from tests.errors import refused
from worlds.encyclopaedia.model import BLOCK
from worlds.encyclopaedia.page import write_page
from worlds.encyclopaedia.questions.sets import SETS, write_questions

SEED = 5
ARTICLES = 4 * BLOCK


def source(**options: Any) -> SimulatedEncyclopaedia:
    given = {"seed": SEED, "articles": ARTICLES, "questions": {"single": {"test": 5, "train": 2}, "list": {"test": 3}}}
    made = sources.create("enc", "simulated_encyclopaedia", given | options, where="params.yaml")
    assert isinstance(made, SimulatedEncyclopaedia)
    return made


def context(folder: Path) -> FetchContext:
    return FetchContext(mirror=None, cache=folder / "cache", lock_file=folder / "lock.json")


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encyclopaedia")
    source().fetch(folder / "enc", context(folder))
    return folder / "enc"


def test_articles_and_questions_of_every_set_come_back_as_they_were_made(tmp_path: Path) -> None:
    asked = source(questions={name: {"test": 2, "train": 1} for name in SETS})
    asked.fetch(tmp_path / "enc", context(tmp_path))
    found = [
        article for batch in asked.batches(tmp_path / "enc") for article in asked.articles(tmp_path / "enc", batch)
    ]
    assert found == [write_page(SEED, index).article for index in range(ARTICLES)]
    made = write_questions(SEED, ARTICLES, {name: {"test": 2, "train": 1} for name in SETS})
    assert asked.question_sets() == tuple(made)
    for name, questions in made.items():
        assert asked.questions(tmp_path / "enc", name, "test") == questions[:2]
        assert asked.questions(tmp_path / "enc", name, "train") == questions[2:]
        assert asked.questions(tmp_path / "enc", name, "dev") == []


def test_the_same_again_gives_the_same_bytes(raw: Path, tmp_path: Path) -> None:
    source().fetch(tmp_path / "enc", context(tmp_path))
    files = {path.name: path.read_bytes() for path in raw.iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "enc").iterdir()} == files
    assert source().verify(raw, context(tmp_path)) == []
    path = tmp_path / "enc" / "questions-single.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    (problem,) = source().verify(tmp_path / "enc", context(tmp_path))
    assert "questions-single.jsonl" in problem


def test_parts_may_be_written_in_any_order(raw: Path, tmp_path: Path) -> None:
    """By whom they were written does not matter either; `fetch` writes those that it is not given."""
    asked, parts = source(), {}
    for part in sorted(asked.parts(), reverse=True)[1:]:
        parts[part] = tmp_path / part
        parts[part].mkdir()
        asked.write_part(part, parts[part])
    asked.fetch(tmp_path / "enc", replace(context(tmp_path), parts=parts))
    assert {path.name: path.read_bytes() for path in (tmp_path / "enc").iterdir()} == {
        path.name: path.read_bytes() for path in raw.iterdir()
    }


def test_damaged_questions_are_named(raw: Path, tmp_path: Path) -> None:
    lines = (raw / "questions-single.jsonl").read_text(encoding="utf-8").splitlines()
    for bad in ("{", '{"unknown": 1}', "[]", '{"question_id": "x"}'):
        (tmp_path / "questions-single.jsonl").write_text("\n".join([lines[0], bad]), encoding="utf-8")
        with refused(SourceError, "questions-single.jsonl:2"):
            source().questions(tmp_path, "single", "test")
    with refused(SourceError, "questions-list.jsonl"):
        source().questions(tmp_path, "list", "test")
    with refused(SourceError, "source enc", "'trivia'"):
        source().questions(raw, "trivia", "test")
