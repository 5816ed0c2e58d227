"""The index of a passage store: a lexical part, a dense part, or both; and the retrievers that search it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from corpora.retrieval.bm25_index import LexicalParams
from corpora.retrieval.models import DenseParams
from corpora.retrieval.search import Searcher
from corpora.stores.passages.store import Passages
from haymaker.core.errors import CorpusError, ParamsError
from haymaker.core.params import Section, nearest

INDEX_VERSION = 1
Retriever = Literal["lexical", "dense", "hybrid", "random", "released"]
RETRIEVERS: dict[str, tuple[str, ...]] = {
    "lexical": ("lexical",),
    "dense": ("dense",),
    "hybrid": ("lexical", "dense"),
    "random": (),
    "released": (),
}
"""Retriever -> the parts of an index that it needs."""


def _switch(value: Any) -> Any:
    """Return true as the default settings and false as null; other values are returned unchanged."""
    return {True: {}, False: None}[value] if isinstance(value, bool) else value


class IndexParams(Section):
    """An index (params key `indexes.<corpus>`, the name of the passage corpus): BM25 and vectors.

    Attributes:
        lexical: BM25 index. true: with the default settings; false: none.
        dense: vector index. true: with the default settings; false: none.
    """

    lexical: Annotated[
        LexicalParams | None, BeforeValidator(_switch, json_schema_input_type=bool | LexicalParams | None)
    ] = None
    dense: Annotated[DenseParams | None, BeforeValidator(_switch, json_schema_input_type=bool | DenseParams | None)] = (
        None
    )

    @model_validator(mode="after")
    def _has_a_part(self) -> Self:
        if self.lexical is None and self.dense is None:
            raise ValueError("an index needs a lexical or a dense part: write `lexical: true` for BM25")
        return self

    def parts(self) -> tuple[str, ...]:
        """The parts it has."""
        return tuple(name for name in ("lexical", "dense") if getattr(self, name) is not None)


def open_searcher(folder: Path, store: Passages, retriever: str) -> Searcher:
    """Open a retriever over a store.

    Args:
        folder: finished index; "random" and "released" need none.
        store: the passages it was built from.
        retriever: lexical, dense, hybrid (reciprocal rank fusion of both), random, or released (no search: passages of
            the publisher).
    """
    if retriever not in RETRIEVERS:
        raise ParamsError(f"unknown retriever {retriever!r}", fix=nearest(retriever, RETRIEVERS))
    for part in RETRIEVERS[retriever]:
        if not (folder / part).is_dir():
            raise CorpusError(
                f"has no {part} part, which retriever {retriever!r} needs",
                where=str(folder),
                fix=f"add `{part}` to indexes.{folder.name}, then haymaker run",
            )
    return _open(folder, store, retriever)


def _open(folder: Path, store: Passages, retriever: str) -> Searcher:
    """Import and open only the requested parts."""
    if retriever == "random":
        from corpora.retrieval.search import Random

        return Random(store)
    if retriever == "released":
        from corpora.retrieval.search import Released

        return Released(store)
    if retriever == "lexical":
        from corpora.retrieval.bm25_index import Lexical

        return Lexical(folder / "lexical", store)
    if retriever == "dense":
        from corpora.retrieval.dense import Dense

        return Dense(folder / "dense", store)
    from corpora.retrieval.bm25_index import Lexical
    from corpora.retrieval.dense import Dense
    from corpora.retrieval.fusion import DEPTH, Hybrid

    dense = Dense(folder / "dense", store)
    return Hybrid(Lexical(folder / "lexical", store), dense, min(DEPTH, dense.limit()[0]))
