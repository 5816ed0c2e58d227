"""Passages of the stage prepare: articles from KILT's own form to a store, the same bytes for any number of workers."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpora.sources.base import Batch, Piece
from corpora.sources.wikipedia import kilt_articles
from corpora.stores.passages.cut import CutParams, cut
from corpora.stores.passages.store import Passages
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.strings import padded
from pipelines import stages
from pipelines.project import Project
from tests.pipelines import tiny, tiny_bare

WORDS = "the old mill stood by a river and nobody there had ever seen its wheel turn since winter".split()
ARTICLES = 900


def article(number: int) -> dict[str, Any]:
    """One line of the knowledge source, about 6 KB; every tenth article repeats the body of the one before it."""
    draw = Stream("article", number - (number % 10 == 9))

    def paragraph() -> str:
        return " ".join(draw.choice(WORDS) for _ in range(150)) + ".\n"

    history = ["Section::::History.\n", paragraph(), "BULLET::::- A list of mills\n"]
    body = [paragraph(), *history, paragraph(), paragraph()]
    return {
        "wikipedia_id": str(number),
        "wikipedia_title": f"Mill {number}",
        "text": [f"Mill {number}\n", *body, *body],
    }


def project(root: Path, lines: int = ARTICLES, **passages: Any) -> Project:
    """A tiny project with one corpus of articles, downloaded."""
    files = root / "files"
    files.mkdir(parents=True)
    raw = "".join(json.dumps(article(i)) + "\n" for i in range(lines))
    (files / "kilt_knowledgesource.json").write_text(raw, encoding="utf-8")
    source = {"kind": "kilt_wikipedia", "url": files.as_uri()}
    prepared = tiny_bare.make(
        root / "project", **{"sources.wiki": source, "passages": {"wiki100": {"source": "wiki", **passages}}}
    )
    stages.run(prepared, "download")
    return prepared


def expected(prepared: Project, rules: CutParams) -> tuple[list[Passage], Counter[str]]:
    """What cutting alone gives."""
    dropped: Counter[str] = Counter()
    whole = Batch(0, (Piece("kilt_knowledgesource.json", 0, -1),))
    found = [p for a in kilt_articles(prepared.inputs.raw("wiki"), whole) for p in cut(a, rules, dropped)]
    return found, dropped


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = project(tmp_path)
    assert len(prepared.inputs.source("wiki").batches(prepared.inputs.raw("wiki"))) >= 3
    found = []
    for workers in ("1", "2"):
        monkeypatch.setenv("HAYMAKER_WORKERS", workers)
        shutil.rmtree(prepared.work / "inputs/passages", ignore_errors=True)
        stages.run(Project(prepared.root), "prepare")
        found.append([tiny.digests(prepared.root, f"data/{below}") for below in ("corpora/wiki100", "counts")])
        assert list((prepared.work / "batches/passages").iterdir()) == [], "finished shards go when the store is there"
    assert found[0] == found[1]
    store = Passages(prepared.data / "corpora/wiki100")
    passages, dropped = expected(prepared, CutParams())
    assert [store.passage(i) for i in range(len(store))] == passages
    assert json.loads((prepared.counts / "prepare/passages/wiki100/counts.json").read_text()) == {
        "articles": ARTICLES,
        "passages": len(passages),
        "tokens": int(store.tokens(range(len(store))).sum()),
        "left_out": {"duplicate": 0, **dropped},
    }


def test_rules_reach_the_cutting(tmp_path: Path) -> None:
    prepared = project(tmp_path, 20, titles=False, cut={"rule": "sentences", "words": 60, "min_words": 20})
    stages.run(prepared, "prepare")
    store = Passages(prepared.data / "corpora/wiki100")
    passages, dropped = expected(prepared, CutParams(rule="sentences", words=60, min_words=20))
    assert {p.title for p in map(store.passage, range(len(store)))} == {""}
    different = {padded(p.text) for p in passages}
    assert len(store) == len(different) < len(passages), "without titles, what an article says twice is one passage"
    assert store.meta["dropped"] == {"duplicate": len(passages) - len(different), **dropped}
