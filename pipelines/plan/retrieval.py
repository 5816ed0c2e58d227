"""Cost estimates for passages, indexes and mined questions (rates: corpora/stores/passages/cost.py)."""

from __future__ import annotations

from dataclasses import dataclass

from corpora import sources
from corpora.retrieval.index import IndexParams
from corpora.retrieval.mining.params import MiningParams
from corpora.retrieval.snapshots import expected_bytes
from corpora.stores.passages.cost import Estimate, estimate
from corpora.stores.passages.store import PassageParams
from haymaker.core.params import parse
from pipelines.project import Project

# compressed size of a distractor in data/retrieval_sets (measured on the mirror's Wikipedia: 142 to 150)
_MINED_BYTES = 190
_MINED_PER_S = 30_000  # search results filtered per second on one core (measured on the same data)


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus of passages.

    Attributes:
        name: name in the parameters.
        passages: approximate number of passages.
        whole: whether articles stay whole; `passages` is then the equivalent number of passages.
        model: model of the dense index; empty if there is none.
        cost: disk, memory and time.
    """

    name: str
    passages: int
    whole: bool
    model: str
    cost: Estimate

    @property
    def index_bytes(self) -> int:
        """Disk space of the indexes."""
        return self.cost.lexical_bytes + self.cost.dense_bytes


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Retrieval costs of a release.

    Attributes:
        corpora: one per entry of `passages`.
        mined_bytes: disk space of data/retrieval_sets.
        seconds: stage -> time with `workers`.
        models: model name on the Hub -> bytes to download.
    """

    corpora: list[Corpus]
    mined_bytes: int
    seconds: dict[str, float]
    models: dict[str, int]

    @property
    def dense_flops(self) -> float:
        """Floating-point operations to compute all vectors."""
        return sum(corpus.cost.dense_flops for corpus in self.corpora)

    @property
    def disk_bytes(self) -> int:
        """Disk space of stores, indexes and mined questions."""
        return self.mined_bytes + sum(c.cost.store_bytes + c.index_bytes for c in self.corpora)


def make(project: Project, workers: int) -> Retrieval:
    """Return the costs of the project's `passages`, `indexes` and `retrieval_sets`."""
    params = project.params
    corpora = [_corpus(project, name) for name in params.passages]
    mined = [
        parse(MiningParams, values, where=f"retrieval_sets.{name}") for name, values in params.retrieval_sets.items()
    ]
    kept = sum(count * each.wanted(split) for each in mined for split, count in each.count.items())
    found = sum(each.top_k * sum(each.count.values()) for each in mined)
    seconds = {
        "passages": sum(c.cost.cut_seconds / workers + c.cost.merge_seconds for c in corpora),
        "index": sum((c.cost.lexical_seconds + c.cost.dense_seconds) / workers for c in corpora),
        "mine": found / _MINED_PER_S / workers,
    }
    return Retrieval(corpora, kept * _MINED_BYTES, {stage: s for stage, s in seconds.items() if s}, _models(project))


def _models(project: Project) -> dict[str, int]:
    """Return the Hub models of indexes with their download sizes."""
    indexes = (parse(IndexParams, given, where=f"indexes.{name}") for name, given in project.params.indexes.items())
    used = (each.dense for each in indexes)
    return {params.model: expected_bytes(params) for params in used if params is not None and params.on_hub}


def _corpus(project: Project, name: str) -> Corpus:
    params = project.params
    passages = parse(PassageParams, params.passages[name], where=f"passages.{name}")
    given = params.sources[passages.source]
    source = sources.create(passages.source, given.kind, given.options, where=f"sources.{passages.source}")
    count = source.passage_count()
    index = parse(IndexParams, params.indexes[name], where=f"indexes.{name}") if name in params.indexes else None
    dense = index.dense if index else None
    flat = dense is not None and dense.backend == "faiss_flat"
    cost = estimate(count, dense.dimensions if dense else None, model=dense.model if dense else "", flat=flat)
    whole = passages.cut.rule == "whole"
    return Corpus(name, count, whole, dense.model if dense else "", cost)
