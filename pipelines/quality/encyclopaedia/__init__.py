"""The simulated encyclopaedia beside the real slice: how hard its questions are to search for, and which cheats work."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.retrieval.mining.locate import JUDGED
from corpora.stores.passages.store import Passages
from corpora.stores.sentences.split import splitter
from haymaker.rng import Stream
from haymaker.text import padded
from pipelines.progress import say
from pipelines.quality.encyclopaedia import dense, rows, sides
from pipelines.quality.encyclopaedia.rows import DISTRACTORS, KINDS, Row, line
from pipelines.quality.encyclopaedia.sides import PAIRS, Side
from pipelines.quality.figures import retrieval
from pipelines.quality.figures.gates import gates
from pipelines.quality.figures.trigrams import Trigrams

WORDS = 300_000  # of a corpus whose passages are measured, and that a model of words learns from
_HELD_BY = 100  # questions of a set whose answers are looked for in the whole corpus

Report = dict[str, Any]


def measure() -> Report:
    """Build both sides in a folder that is removed again, and measure them.

    Returns:
        sides: for each its name, passages (retrieval.passages and how many there are), sets (set -> figures) and hardness
        (bm25 and cosine -> kind -> spread); gates: pair -> the gates, with two sides.

    Raises:
        SourceError: a file of the mirror is missing or damaged.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = [_side(side) for side in sides.build(Path(folder))]
    report: Report = {"sides": found}
    if len(found) == 2:
        real, world = (each["sets"] for each in found)
        report["gates"] = {
            f"{a} / {b}": [
                dataclasses.asdict(gate) | {"excess": gate.excess, "verdict": gate.verdict}
                for gate in gates(real[a], world[b])
            ]
            for a, b in PAIRS
        }
    return report


def _side(side: Side) -> Report:
    say(f"  measuring {side.name}")
    found = {name: list(rows.search(side.pools[name], asked)) for name, asked in side.sets.items()}
    answered = {name: each for name, each in found.items() if not _judged(side, name)}
    figures = {
        name: retrieval.hardness([row.asked for row in each]) | {"lost": side.lost[name]}
        for name, each in found.items()
    }
    model, corpus = _model(side, answered), [padded(text) for text in side.main.store.search_texts()]
    for name, each in answered.items():
        figures[name] |= _cheats(each, side.main.store, model, corpus)
    hardness = {"bm25": _spreads([row.scores for each in answered.values() for row in each])}
    if embedded := dense.measure(side.main.store, answered):
        curves, cosines = embedded
        hardness["cosine"] = _spreads(cosines)
        for name, curve in curves.items():
            figures[name]["dense"] = curve
    return {"name": side.name, "passages": _passages(side.main.store), "sets": figures, "hardness": hardness}


def _cheats(found: Sequence[Row], store: Passages, model: Trigrams, corpus: Sequence[str]) -> Report:
    asked = [row.asked for row in found]
    lines = [line(row, store) for row in found if len(row.passages["mined"]) == DISTRACTORS]
    return {
        "odd": retrieval.odd_one_out(lines, model),
        "places": retrieval.places(asked),
        "guesses": retrieval.guesses(asked),
        "holders": retrieval.holders(asked[:_HELD_BY], corpus),
    }


def _judged(side: Side, name: str) -> bool:
    return any(each.question.kind in JUDGED for each in side.sets[name])


def _model(side: Side, rows: Mapping[str, Sequence[Row]]) -> Trigrams:
    """A model of words that has read a world of another seed, or articles of which no passage occurs in a line."""
    store = side.other or side.main.store
    seen: set[str] = set()
    if side.other is None:
        used = sorted(
            {int(i) for found in rows.values() for row in found for k in ("gold", "mined") for i in row.passages[k]}
        )
        seen = set(store.take(used, ["title"])["title"].to_pylist())
    texts, words = [], 0
    for number in Stream("quality", "model").walk(len(store)):
        passage = store.passage(number)
        if passage.title not in seen:
            texts.append(passage.text)
            words += len(passage.text.split())
        if words >= WORDS:
            break
    return Trigrams(texts)


def _passages(store: Passages) -> Report:
    """Articles in keyed order; those of a source that has passages alone are known by their titles."""
    ids = store.take(range(len(store)), ["article_id", "title", "text"]).to_pydict()
    articles: dict[str, list[str]] = {}
    for article, title, text in zip(*ids.values(), strict=True):
        articles.setdefault(article or title, []).append(text)
    names = Stream("quality", "passages").shuffled(sorted(articles))
    found = retrieval.passages([articles[name] for name in names], splitter("punkt"), WORDS)
    return {"corpus": len(store), "articles": len(articles), **found}


def _spreads(found: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, retrieval.Spread]:
    return {kind: retrieval.spread([score for each in found for score in each[kind]]) for kind in KINDS}
