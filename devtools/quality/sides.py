"""Build the two encyclopaedias to compare in a separate folder: corpora, indexes, and questions with their gold."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from corpora import sources
from corpora.retrieval.bm25_index import Lexical, LexicalParams, build_lexical
from corpora.retrieval.mining.locate import Located, locate
from corpora.retrieval.mining.miner import in_keyed_order
from corpora.sources.base import FetchContext, Source
from corpora.stores.passages.build import build_store
from corpora.stores.passages.cut import CutParams
from corpora.stores.passages.store import PassageParams, Passages
from haymaker.core.progress import say
from haymaker.core.rows.source_records import Split
from pipelines.project import MIRROR_VARIABLE
from pipelines.stages.passages import passages_of

ARTICLES = 7_000
"""Articles of the simulated encyclopaedia: gives about as many passages as the real slice."""
QUESTIONS = 300
"""Maximum number of questions per set, not counting questions without found gold."""
_SEED, _OTHER_SEED = 1, 2
_SPARE = 1.5  # factor of requested questions: some are lost because their gold is cut in two
PAIRS = (("nq", "single"), ("popqa", "longtail"), ("hotpotqa", "twohop"), ("dl19", "search"))
"""Pairs of a real set and its simulated version."""
_REAL = {"nq": "nq_mirror", "popqa": "popqa_mirror", "hotpotqa": "hotpotqa_mirror", "dl19": "msmarco_mirror"}

Pool = tuple[Passages, Lexical]
"""A corpus and its lexical index."""
Fetched = tuple[Source, Path]
_SPLITS: tuple[Split, ...] = ("test", "train")


@dataclass(frozen=True)
class Side:
    """One encyclopaedia with sets of questions."""

    name: str
    main: Passages  # its articles
    pools: Mapping[str, Pool]  # set -> corpus to search; dl19 of the real side has a separate corpus
    sets: Mapping[str, list[Located]]  # set -> questions with found gold, in keyed order
    other: Passages | None  # passages unrelated to the questions; None: use unused articles of `main`


def build(folder: Path) -> list[Side]:
    """Build the simulated encyclopaedia and, if HAYMAKER_MIRROR is set, the real slice (first in the list)."""
    mirror = os.environ.get(MIRROR_VARIABLE)
    context = FetchContext(Path(mirror).resolve() if mirror else None, folder / "cache", folder / "lock.json")
    return ([_real(folder, context)] if mirror else []) + [_simulated(folder, context)]


def _real(folder: Path, context: FetchContext) -> Side:
    say("  the real slice")
    main = _pool(*_fetched("wikipedia_mirror", {}, folder, context), folder / "wikipedia")
    asking = {name: _fetched(kind, {}, folder, context) for name, kind in _REAL.items()}
    pools = dict.fromkeys(_REAL, main) | {"dl19": _pool(*asking["dl19"], folder / "msmarco")}
    return _side("real slice", main[0], pools, asking, None)


def _simulated(folder: Path, context: FetchContext) -> Side:
    say(f"  a simulated encyclopaedia of {ARTICLES:,} articles")
    asked = {name: {"test": int(_SPARE * QUESTIONS)} for _, name in PAIRS}
    options = {"seed": _SEED, "articles": ARTICLES, "questions": asked}
    simulated = _fetched("simulated_encyclopaedia", options, folder, context)
    main = _pool(*simulated, folder / "simulated")
    options = {"seed": _OTHER_SEED, "articles": max(200, ARTICLES // 1400 * 200)}
    other, _ = _pool(
        *_fetched("simulated_encyclopaedia", options, folder / "other", context), folder / "other-simulated"
    )
    return _side("simulated", main[0], dict.fromkeys(asked, main), dict.fromkeys(asked, simulated), other)


def _side(
    name: str, main: Passages, pools: Mapping[str, Pool], asking: Mapping[str, Fetched], other: Passages | None
) -> Side:
    sets = {}
    for of, (source, raw) in asking.items():
        asked = [question for split in _SPLITS for question in source.questions(raw, of, split)]
        found = (locate(each, pools[of][0]) for each in in_keyed_order(asked, "quality", of))
        sets[of] = list(islice((each for each in found if not each.dropped), QUESTIONS))
    return Side(name, main, pools, sets, other)


def _fetched(kind: str, options: dict[str, Any], folder: Path, context: FetchContext) -> Fetched:
    source, raw = sources.create(kind, kind, options, where=kind), folder / "raw" / kind
    source.fetch(raw, context)
    return source, raw


def _pool(source: Source, raw: Path, folder: Path) -> Pool:
    batches = (passages_of(source, raw, batch, CutParams(), Counter()) for batch in source.batches(raw))
    build_store(chain.from_iterable(batches), folder / "store", PassageParams(source=source.kind), [], {})
    store = Passages(folder / "store")
    build_lexical(store, folder / "lexical", LexicalParams())
    return store, Lexical(folder / "lexical", store)
