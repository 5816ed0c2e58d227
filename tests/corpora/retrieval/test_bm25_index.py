"""The lexical index: the scores of rank-bm25 to the last bit, one order for any k and any cut into shards, damage named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from corpora.retrieval import bm25_index, bm25_shard
from corpora.retrieval.bm25_index import Lexical, LexicalParams, build_lexical, finish, index_shard, rank_pool
from corpora.retrieval.bm25_shard import build_shard
from corpora.stores.passages.build import build_store
from corpora.stores.passages.store import PassageParams, Passages
from corpora.tokenizers import tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.strings import terms as words
from tests.errors import refused
from tests.extras import few

TEKKEN = tokenizer.load("tekken")
RULES = PassageParams(source="x", duplicates=True)
FEW = [
    "the mill by the river",
    "a river and a mill and a boat",
    "the Boat",
    "nothing of the kind here",
    "Zürich in winter",
]


def store_of(folder: Path, texts: Iterable[str]) -> Passages:
    passages = [Passage(f"p{i}", "", "", "", text) for i, text in enumerate(texts)]
    build_store(passages, folder / "store", RULES, [TEKKEN], {"source": "test"})
    return Passages(folder / "store")


def index_of(folder: Path, texts: Iterable[str], **params: float) -> Lexical:
    store = store_of(folder, texts)
    build_lexical(store, folder / "lexical", LexicalParams(**params))
    return Lexical(folder / "lexical", store)


def one(index: Lexical, query: str, k: int) -> tuple[list[int], list[float]]:
    (hits,) = index.search([query], k)
    assert hits.passages.dtype == np.int64 and hits.scores.dtype == np.float32
    return hits.passages.tolist(), hits.scores.tolist()


def reference(texts: Sequence[str], query: str, k: int, epsilon: float = 0.0) -> tuple[list[int], list[float]]:
    """What rank-bm25 says, its scores rounded to 1/4096, without the passages that share no word with the query."""
    scores = np.rint(BM25Okapi([words(text) for text in texts], epsilon=epsilon).get_scores(words(query)) * 4096)
    order = [i for i in np.argsort(-scores, kind="stable").tolist() if scores[i] > 0][:k]
    return order, (scores[order] / 4096).tolist()


# ---------------------------------------------------------------------------------------------- scores and order


WORDS = [f"w{i}" for i in range(14)]
CORPORA = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join), min_size=3, max_size=90)


@few
@given(texts=CORPORA, query=st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=6).map(" ".join), data=st.data())
def test_equal_to_rank_bm25_for_any_corpus_k_and_cut(
    texts: list[str], query: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shard = data.draw(st.sampled_from([3, 64, 70, 1 << 16]))
    k = data.draw(st.integers(1, len(texts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25_index, "SHARD", shard)
        index = index_of(tmp_path_factory.mktemp("random"), texts)
        assert len(index.meta["shards"]) == -(-len(texts) // shard)
        assert one(index, query, k) == reference(texts, query, k)
        everywhere = index.scores(query, np.arange(len(texts))[::-1].copy())
    exact = BM25Okapi([words(text) for text in texts], epsilon=0).get_scores(words(query))
    assert everywhere[::-1].tolist() == (np.rint(exact * 4096) / 4096).tolist()
    assert rank_pool(query, texts).tolist() == everywhere[::-1].tolist()


def test_batches_of_queries_do_not_touch_one_another(tmp_path: Path) -> None:
    texts = [f"{a} {b} {c}" for a in WORDS for b in WORDS[:5] for c in WORDS[5:9]]
    index = index_of(tmp_path, texts)
    queries = [f"{a} {b}" for a in WORDS for b in WORDS]  # 196: more than are searched together
    together = [(hits.passages.tolist(), hits.scores.tolist()) for hits in index.search(queries, 25)]
    assert together == [one(index, query, 25) for query in queries]


def test_k1_and_b_are_those_of_the_parameters(tmp_path: Path) -> None:
    index = index_of(tmp_path, FEW, k1=0.9, b=0.4)
    exact = BM25Okapi([words(text) for text in FEW], k1=0.9, b=0.4, epsilon=0).get_scores(["boat", "mill"])
    assert index.scores("boat mill", np.arange(5)).tolist() == (np.rint(exact * 4096) / 4096).tolist()
    assert rank_pool("boat mill", FEW, LexicalParams(k1=0.9, b=0.4)).tolist() == (np.rint(exact * 4096) / 4096).tolist()
    facts = {"retriever": "lexical", "version": 2, "k1": 0.9, "b": 0.4, "store": Passages(tmp_path / "store").digest}
    assert index.fingerprint == facts
    assert (rank_pool("a", ["", "?"]).tolist(), rank_pool("a", []).tolist()) == ([0, 0], [])


# ------------------------------------------------------------------------------------------------ files and damage


def test_the_same_bytes_whatever_the_order_of_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25_index, "SHARD", 2)
    index = index_of(tmp_path, FEW)
    store, again = Passages(tmp_path / "store"), tmp_path / "again"
    facts = {number: index_shard(store, number, again) for number in (2, 0, 1)}
    meta = finish(store, again, LexicalParams(), [facts[number] for number in range(3)])
    assert meta == index.meta
    for name in (*meta["files"], "meta.json"):
        assert (again / name).read_bytes() == (tmp_path / "lexical" / name).read_bytes()


def test_the_bytes_of_a_shard_do_not_change(tmp_path: Path) -> None:
    facts = build_shard(FEW, tmp_path / "shard")
    assert facts == {"passages": 5, "words": 23, "terms": 14, "postings": 19, "pairs": 7}
    assert sha256_file(tmp_path / "shard") == "751286a1ad279151d15acad5c41fb5d451b0c19ed68a15e3ebe13e514f921645"


def test_a_shard_with_many_kinds_of_postings_has_longer_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = index_of(tmp_path / "narrow", FEW)
    assert [bm25_shard._code_type(n) for n in (1 << 16, (1 << 16) + 1)] == ["<u2", "<u4"]
    monkeypatch.setattr(bm25_shard, "_code_type", lambda pairs: "<u4")
    wide = index_of(tmp_path / "wide", FEW)
    assert one(wide, "mill boat river", 5) == one(narrow, "mill boat river", 5)
    assert wide.meta["files"]["shard-00000.bm25"]["bytes"] == narrow.meta["files"]["shard-00000.bm25"]["bytes"] + 2 * 19


def test_damage_is_one_clear_line(tmp_path: Path) -> None:
    index_of(tmp_path, FEW)
    store, shard, meta = (
        Passages(tmp_path / "store"),
        *(tmp_path / "lexical" / n for n in ("shard-00000.bm25", "meta.json")),
    )
    facts, other = json.loads(meta.read_text()), store_of(tmp_path / "other", [*FEW, "one more"])
    with refused(CorpusError, "lexical/meta.json", "passages"):
        Lexical(tmp_path / "lexical", other)
    meta.write_text(json.dumps(facts | {"version": 0}))
    with refused(CorpusError, "lexical/meta.json", 0):
        Lexical(tmp_path / "lexical", store)
    meta.write_text(json.dumps(facts))
    shard.write_bytes(left := shard.read_bytes()[:-1])
    with refused(CorpusError, "lexical/shard-00000.bm25", len(left)):
        Lexical(tmp_path / "lexical", store)


def test_whatever_byte_is_wrong_a_search_ends_or_says_damaged(tmp_path: Path) -> None:
    store, shard = index_of(tmp_path, FEW) and Passages(tmp_path / "store"), tmp_path / "lexical" / "shard-00000.bm25"
    whole, said = shard.read_bytes(), 0
    for at in range(0, len(whole), 3):
        shard.write_bytes(whole[:at] + bytes([whole[at] ^ 0x81]) + whole[at + 1 :])
        index = Lexical(tmp_path / "lexical", store)
        with refused(CorpusError, "lexical/shard-00000.bm25", "changed"):
            index.verify()
        try:
            assert all(len(hits.passages) <= 5 for hits in index.search(FEW, 5))
        except CorpusError as error:
            assert error.where.endswith("shard-00000.bm25")
            said += 1
    assert said > 30
