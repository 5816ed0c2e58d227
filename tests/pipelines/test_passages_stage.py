"""Passages of the stage prepare: articles from KILT's own form to a store, the same bytes for any number of workers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from corpora.sources.base import Batch, Piece
from corpora.sources.wikipedia import kilt_articles
from corpora.stores.passages.cut import CutParams, cut
from corpora.stores.passages.store import Passages
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.strings import padded
from pipelines import stages
from pipelines.project import Project
from tests.pipelines import tiny_bare

WORDS = "the old mill stood by a river and nobody there had ever seen its wheel turn since winter".split()


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


def project(root: Path, lines: int = 900, **passages: Any) -> Project:
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


def test_rules_reach_the_cutting(tmp_path: Path) -> None:
    """test_mining_kills.py cuts with any number of workers."""
    prepared = project(tmp_path, 20, titles=False, cut={"rule": "sentences", "words": 60, "min_words": 20})
    stages.run(prepared, "prepare")
    store = Passages(prepared.data / "corpora/wiki100")
    passages, dropped = expected(prepared, CutParams(rule="sentences", words=60, min_words=20))
    found = [store.passage(at) for at in range(len(store))]
    assert [padded(p.text) for p in found] == list(dict.fromkeys(padded(p.text) for p in passages))
    assert {p.title for p in found} == {""}
    assert len(store) < len(passages), "without titles, what an article says twice is one passage"
    assert store.meta["dropped"] == {"duplicate": len(passages) - len(store), **dropped}
