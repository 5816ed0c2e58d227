"""Search and mine shards of questions (worker side): search, then filter, sample and format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from corpora.retrieval.index import open_searcher
from corpora.retrieval.mining.locate import READ_AS_WRONG, Located, locate
from corpora.retrieval.mining.miner import Miner
from corpora.retrieval.mining.params import MiningParams
from corpora.retrieval.mining.report import Record, record
from corpora.retrieval.mining.retrieved import to_search
from corpora.retrieval.mining.search import read_hits, search, write_hits
from corpora.retrieval.mining.similarity import YARDSTICKS
from corpora.sources.reviews import reviews_of
from corpora.stores.mined import MinedQuestion, write_mined
from corpora.stores.passages.store import Passages
from generators.inputs import Inputs
from haymaker.core.params import parse
from haymaker.core.rows.source_records import Question
from pipelines.execution.worker_state import inputs_of

HITS, MINED = "hits.arrow", "mined.parquet"


def params_of(inputs: Inputs, name: str) -> MiningParams:
    """Return the parameters of a retrieval set."""
    return parse(MiningParams, inputs.params.retrieval_sets[name], where=f"retrieval_sets.{name}")


def yardsticks(index: Path) -> list[str]:
    """Return the names of the additional retrievers used to measure passage similarity."""
    return [name for name in YARDSTICKS if name == "random" or (index / name).is_dir()]


def search_shard(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Locate the gold passages of one shard of questions and search.

    Returns:
        rows: row of each question's hits, null if no gold was found; again: second searches of a FAISS index, or null.
    """
    state = _state(sent["params"], sent["data"], sent["set"], sent["mark"])
    searcher = open_searcher(state.index, state.store, state.params.retriever)
    others = {name: open_searcher(state.index, state.store, name) for name in yardsticks(state.index)}
    located = [state.located(question) for question in sent["questions"]]
    usable = [each for each in located if not each.dropped]
    write_hits(search(usable, searcher, others, state.params.top_k, len(state.store)), folder / HITS)
    rows = iter(range(len(usable)))
    found = [None if each.dropped else next(rows) for each in located]
    return {"rows": found, "again": getattr(searcher, "again", None)}


def mine_shard(sent: dict[str, Any], folder: Path) -> list[Record]:
    """Filter, sample and format a few searched questions; return one record per question."""
    state = _state(sent["params"], sent["data"], sent["set"], sent["mark"])
    records: list[Record] = []
    rows = _mined(state, sent, records)
    meta = {"tokenizers": state.store.meta["tokenizers"], "sources": {}}
    write_mined(rows, folder / MINED, meta, shown=state.params.include_released_passages)
    return records


def _mined(state: _State, sent: dict[str, Any], records: list[Record]) -> Iterator[MinedQuestion]:
    """Yield the kept questions; append the outcome of every question to `records`."""
    hits = read_hits(sent["hits"], [row for row in sent["rows"] if row is not None])
    for question in sent["questions"]:
        located = state.located(question)
        mined = None
        figures: dict[str, list[float]] = {}
        if not located.dropped:
            mined, located, figures = state.miner.mine(located, next(hits))
        records.append(record(located, mined, figures))
        if mined is not None:
            yield mined


@dataclass(frozen=True)
class _State:
    """Objects that the shards of a set share in a process."""

    inputs: Inputs
    name: str

    @cached_property
    def params(self) -> MiningParams:
        return params_of(self.inputs, self.name)

    @cached_property
    def store(self) -> Passages:
        return Passages(self.inputs.data / "corpora" / self.params.passages)

    @property
    def index(self) -> Path:
        return self.inputs.data / "indexes" / self.params.passages

    @cached_property
    def reviewed(self) -> frozenset[str]:
        """Return the ids of questions that were read: their answers need not have a word in common."""
        review = reviews_of(self.inputs.source(self.params.questions).kind).get(self.params.set)
        return frozenset(review.ids if review else ())

    @cached_property
    def miner(self) -> Miner:
        simulated = self.inputs.source(self.params.questions).info.edition == "simulated"
        return Miner(self.params, self.inputs.params.release.stream_key, self.name, self.store, simulated)

    def located(self, question: Question) -> Located:
        """Return the question with its gold passages, if they are known before the search."""
        agreed = self.params.require_annotator_agreement and question.question_id not in self.reviewed
        if question.question_id in self.params.exclude_ids:
            return Located(question, dropped=READ_AS_WRONG)
        if self.params.gold == "retrieved":
            return to_search(question, agreed=agreed)
        return locate(question, self.store, agreed=agreed)


@cache
def _state(params: str, data: Path, name: str, mark: str) -> _State:
    """Return the shared state; `mark` is the fingerprint of the result, since a process may outlive a rebuild."""
    return _State(inputs_of({"params": params, "data": data, "state": mark}), name)
