"""The two sides of `haymaker quality encyclopaedia`: corpora, indexes and questions with their gold, built in a folder of their own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import sources
from corpora.retrieval.bm25_index import Lexical, LexicalParams, build_lexical
from corpora.retrieval.mining.locate import Located, locate
from corpora.retrieval.mining.sample import in_keyed_order
from corpora.sources.base import FetchContext, Source
from corpora.stores.passages.build import build_store
from corpora.stores.passages.cut import CutParams, cut
from corpora.stores.passages.store import PassageParams, Passages
from haymaker.records import Passage, Question
from pipelines.progress import say
from pipelines.project import MIRROR_VARIABLE

ARTICLES = 7_000
"""Of the simulated encyclopaedia: about as many passages as the real slice has."""
QUESTIONS = 300
"""Of a set, where both sides have so many; those whose gold is not found do not count."""
SEED, OTHER_SEED = 1, 2
_SPARE = 1.5  # questions asked for, so that enough are left when some gold is cut in two
PAIRS = (("nq", "single"), ("popqa", "longtail"), ("hotpotqa", "twohop"), ("dl19", "search"))
"""A real set, and the simulated one that plays it."""
_REAL = {"nq": "nq_mirror", "popqa": "popqa_mirror", "hotpotqa": "hotpotqa_mirror", "dl19": "msmarco_mirror"}


@dataclass(frozen=True)
class Pool:
    """A corpus and its lexical index."""

    store: Passages
    lexical: Lexical


@dataclass(frozen=True)
class Side:
    """One encyclopaedia.

    Attributes:
        name: what tables call it.
        main: its articles.
        pools: set -> what is searched; the searches of the real side have a corpus of their own.
        sets: set -> questions whose gold was found, in keyed order.
        lost: set -> share of its questions whose gold was not found.
        other: passages that no question asks about and no search finds; None: take articles of `main` that do not occur.
    """

    name: str
    main: Pool
    pools: Mapping[str, Pool]
    sets: Mapping[str, list[Located]]
    lost: Mapping[str, float]
    other: Passages | None = None


def build(folder: Path) -> list[Side]:
    """The simulated encyclopaedia, and the real slice before it where HAYMAKER_MIRROR is set.

    Args:
        folder: to build in.

    Raises:
        SourceError: a file of the mirror is missing or damaged.
    """
    mirror = os.environ.get(MIRROR_VARIABLE)
    context = FetchContext(Path(mirror).resolve() if mirror else None, folder / "cache", folder / "lock.json")
    found = [_real(folder, context)] if mirror else []
    return [*found, _world(folder, context)]


def _real(folder: Path, context: FetchContext) -> Side:
    say("  the real slice")
    wikipedia = _fetched("wikipedia_mirror", {}, folder, context)
    main = _pool(wikipedia, folder / "wikipedia")
    asking = {name: _fetched(kind, {}, folder, context) for name, kind in _REAL.items()}
    pools = dict.fromkeys(_REAL, main) | {"dl19": _pool(asking["dl19"], folder / "msmarco")}
    questions = {
        name: [question for part in ("test", "train") for question in source.questions(raw, name, part)]
        for name, (source, raw) in asking.items()
    }
    return _side("real slice", main, pools, questions)


def _world(folder: Path, context: FetchContext) -> Side:
    say(f"  a simulated encyclopaedia of {ARTICLES:,} articles")
    names = [world for _, world in PAIRS]
    count = int(_SPARE * QUESTIONS)
    options = {"seed": SEED, "articles": ARTICLES, "questions": {name: {"test": count} for name in names}}
    source, raw = _fetched("world_encyclopaedia", options, folder, context)
    main = _pool((source, raw), folder / "world")
    options = {"seed": OTHER_SEED, "articles": max(200, ARTICLES // 1400 * 200)}
    other = _pool(_fetched("world_encyclopaedia", options, folder / "other", context), folder / "other-world").store
    questions = {name: source.questions(raw, name, "test") for name in names}
    return _side("world", main, dict.fromkeys(names, main), questions, other)


def _side(
    name: str, main: Pool, pools: Mapping[str, Pool], questions: Mapping[str, list[Question]], other: Passages | None = None
) -> Side:  # fmt: skip
    sets, lost = {}, {}
    for of, asked in questions.items():
        known = [question for question in in_keyed_order(asked, "quality", of) if question.evidence]
        found = [locate(question, pools[of].store) for question in known]
        sets[of] = [each for each in found if not each.dropped][:QUESTIONS]
        lost[of] = sum(bool(each.dropped) for each in found) / max(1, len(found))
    return Side(name, main, pools, sets, lost, other)


def _fetched(kind: str, options: dict[str, Any], folder: Path, context: FetchContext) -> tuple[Source, Path]:
    source, raw = sources.create(kind, kind, options, where=kind), folder / "raw" / kind
    source.fetch(raw, context)
    return source, raw


def _pool(given: tuple[Source, Path], folder: Path) -> Pool:
    source, raw = given
    params = PassageParams(source=source.kind)
    build_store(_passages(source, raw), folder / "store", params, [], {})
    store = Passages(folder / "store")
    build_lexical(store, folder / "lexical", LexicalParams())
    return Pool(store, Lexical(folder / "lexical", store))


def _passages(source: Source, raw: Path) -> Iterator[Passage]:
    dropped: Counter[str] = Counter()
    for batch in source.batches(raw):
        if "articles" in source.info.roles:
            for article in source.articles(raw, batch):
                yield from cut(article, CutParams(), dropped)
        else:
            yield from source.passages(raw, batch)
