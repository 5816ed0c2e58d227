"""The passage store: units that add up, lookups as a dictionary finds, repeats, damage that is said in one line, and what a store costs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages import lookup as passage_lookup
from corpora.stores.passages import store as layout
from corpora.stores.passages.build import build_batch, build_store
from corpora.stores.passages.cost import BATCH_BYTES, CORE_FLOPS, PIECES, estimate
from corpora.stores.passages.lookup import Lookup, name_hash, repeats, write_lookup
from corpora.stores.passages.merge import merge
from corpora.stores.passages.store import OPENER, PassageParams, Passages, unit
from corpora.tokenizers import tokenizer
from haymaker.core.errors import CorpusError
from haymaker.core.files.disk import sha256_file
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Passage
from haymaker.core.text.strings import text_hash
from tests.errors import refused

TEKKEN, GPT2 = tokenizer.load("tekken"), tokenizer.load("gpt2")
PARAMS = PassageParams(source="x")
ADA = Passage("a-0", "a", "Ada", "", "Ada\nShe was born in London.", 0, 27, 0, 1)
ADA2 = Passage("a-1", "a", "Ada", "Life", "She wrote notes on an engine.", 28, 57, 2, 2)
BO = Passage("b-0", "b", "Bo Li", "", "Bo Li\nHe sold engines, 12 in all.", 0, 33, 0, 1)
LOOSE = Passage("p9", "", "", "", "Nobody knows where this one comes from.")


def build(folder: Path, *passages: Passage, params: PassageParams = PARAMS) -> Passages:
    build_store(passages, folder / "store", params, [TEKKEN, GPT2], {"source": "test"})
    return Passages(folder / "store")


def build_of_batches(folder: Path, batches: Sequence[Iterable[Passage]], params: PassageParams = PARAMS) -> Passages:
    done = []
    for i, some in enumerate(batches):
        (folder / f"batch{i}").mkdir(parents=True)
        result = build_batch(some, params, [TEKKEN], folder / f"batch{i}", Counter(short_rest=i))
        done.append((folder / f"batch{i}", result))
    (folder / "store").mkdir()
    merge(done, params, [TEKKEN], folder / "store", {"source": "test"})
    return Passages(folder / "store")


@cache
def many(n: int) -> tuple[Passage, ...]:
    """Articles of three passages each; one passage in seven says what an earlier one said, under another id."""
    out = []
    for i in range(n):
        says = f"Passage {i} tells of {Stream('many', i).word():x}, at length." if i % 7 else "Nothing is known of it."
        out.append(Passage(f"{i // 3}-{i % 3}", f"{i // 3}", f"T{i % 5}", "", says, i, i + 1, i, i))
    return tuple(out)


def test_lookups(tmp_path: Path) -> None:
    cafe = replace(LOOSE, passage_id="p10", title="Café  de\tFlore", text="A café.")
    band = replace(LOOSE, passage_id="p11", title="!!!", text="A band.")
    store = build(tmp_path, ADA, ADA2, BO, LOOSE, cafe, band)
    assert [store.by_id(p) for p in ("a-0", "b-0", "p9", "a", "")] == [0, 2, 3, None, None]
    assert store.by_ids(("p9", "a", "a-0", "", "zz", "a-0")) == {"a-0": 0, "p9": 3} and store.by_ids(()) == {}
    assert [store.by_article(a) for a in ("a", "b", "c", "")] == [(0, 2), (2, 3), None, None]
    assert store.by_title("Ada").tolist() == [0, 1]
    assert store.by_title("Café de Flore").tolist() == store.by_title("cafe de flore").tolist() == [4]
    assert store.by_title("!!!").tolist() == [5]
    assert np.fromfile(store.folder / "titles.i32", "<i4").tolist().count(3) == 0, "no title, no entry"
    assert store.by_title("???").tolist() == store.by_title("").tolist() == store.by_title("Bo").tolist() == []
    assert store.by_hash(text_hash("he sold ENGINES 12 in all")).tolist() == []
    assert store.by_hash(text_hash("bo li: he sold ENGINES 12 in all")).tolist() == [2]


def test_a_title_that_is_there_as_written_comes_before_one_of_the_same_words(tmp_path: Path) -> None:
    upper, lower = (
        replace(LOOSE, passage_id=name, title=name, text=f"It is {n}.") for n, name in enumerate(("US", "Us"))
    )
    store = build(tmp_path, upper, lower)
    assert [store.by_title(title).tolist() for title in ("US", "Us", "us")] == [[0], [1], [0, 1]]


def test_batches_are_slices_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("corpora.stores.passages.store", "corpora.stores.passages.merge"):
        monkeypatch.setattr(f"{module}.BATCH_ROWS", 10)
        monkeypatch.setattr(f"{module}.SHARD_BATCHES", 3)
    store = build(tmp_path, *many(100), params=PassageParams(source="x", duplicates=True))
    assert sorted(p.name for p in store.folder.glob("*.arrow")) == [layout.shard_name(i) for i in range(4)]
    assert [b.num_rows for b in store.batches()] == [10] * 10
    assert [b.num_rows for b in store.batches(27, 45)] == [3, 10, 5]
    assert [i for b in store.batches(27, 45, ["start"]) for i in b["start"].to_pylist()] == list(range(27, 45))
    assert [b.schema.names for b in store.batches(99, 500, ["end", "title"])] == [["end", "title"]]
    assert list(store.batches(100)) == []
    order = [99, 0, 31, 30, 29, 60, 0]
    assert store.take(order)["start"].to_pylist() == order
    assert [store.passage(i) for i in order] == [many(100)[i] for i in order]
    assert store.by_article("9") == (27, 30)
    assert store.by_article("33") == (99, 100), "the last article ends with the store"


def test_how_batches_are_cut_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.stores.passages.merge.BATCH_ROWS", 16)
    monkeypatch.setattr("corpora.stores.passages.build._ROWS", 7)
    given = many(300)
    cuts = {"one": [given], "odd": [given[:100], (), given[100:101], given[101:]], "each": [[p] for p in given]}
    stores = {name: build_of_batches(tmp_path / name, batches) for name, batches in cuts.items()}
    assert stores["odd"].meta["dropped"] == {"duplicate": 38, "short_rest": 1 + 2 + 3}
    files = {
        name: {p.name: sha256_file(p) for p in store.folder.iterdir() if p.name != "meta.json"}
        for name, store in stores.items()
    }
    assert files["one"] == files["odd"] == files["each"]
    assert len({store.digest for store in stores.values()}) == 1
    assert stores["one"].digest != build_of_batches(tmp_path / "less", [given[1:]]).digest


def test_a_passage_of_the_same_title_and_words_comes_once(tmp_path: Path) -> None:
    again = replace(ADA2, passage_id="c-0", article_id="c", text="She wrote NOTES, on an engine")
    other_title = replace(again, passage_id="c-1", title="Cy")
    store = build(tmp_path / "a", ADA2, again, other_title, LOOSE)
    assert [p.passage_id for p in map(store.passage, range(len(store)))] == ["a-1", "c-1", "p9"]
    assert store.meta["dropped"] == {"duplicate": 1}
    assert store.by_hash(text_hash(again.text)).tolist() == [0, 1]
    untitled = build(tmp_path / "b", ADA2, other_title, params=PassageParams(source="x", titles=False))
    assert len(untitled) == 1
    kept = build(tmp_path / "c", ADA2, again, other_title, params=PassageParams(source="x", duplicates=True))
    assert len(kept) == 3


def test_what_cannot_be_used_is_counted_by_reason(tmp_path: Path) -> None:
    odd = {
        "no_words": ["", " \n", "... !?", "—"],
        "half_a_character": ["It broke \ud83d here."],
        "holds_a_boundary": ["One ends.\n\nDocument (Title: Ada): another begins."],
    }
    given = [
        replace(LOOSE, passage_id=f"{r}{i}", text=text) for r, texts in odd.items() for i, text in enumerate(texts)
    ]
    store = build(tmp_path, LOOSE, *given, replace(ADA, title="Ada\udc00"), ADA)
    assert [store.passage(i) for i in range(len(store))] == [LOOSE, ADA]
    assert store.meta["dropped"] == {"duplicate": 0, "no_words": 4, "half_a_character": 2, "holds_a_boundary": 1}


@pytest.mark.parametrize(
    ("passages", "named"),
    [
        ([ADA, ADA2, BO, ADA], "'a-0'"),  # an id twice
        ([ADA, BO, ADA2], "'a'"),  # an article in two places
        ([ADA, LOOSE, ADA2], "'a'"),
        ([], "passage"),
    ],
)
def test_what_makes_no_store_is_refused(tmp_path: Path, passages: list[Passage], named: str) -> None:
    with refused(CorpusError, "", named):
        build(tmp_path, *passages)
    assert list(tmp_path.iterdir()) == []


def test_an_id_that_comes_twice_in_two_batches_is_named(tmp_path: Path) -> None:
    with refused(CorpusError, "", "'a-0'"):
        build_of_batches(tmp_path, [[ADA], [BO], [ADA2, replace(LOOSE, passage_id="a-0")]])


def test_a_store_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    folder = build(tmp_path, ADA, BO).folder
    shard, meta = folder / "passages-00000.arrow", folder / "meta.json"
    good, facts = shard.read_bytes(), json.loads(meta.read_text())
    shard.write_bytes(good[:-1])
    with refused(CorpusError, "store/passages-00000.arrow", len(good) - 1, len(good)):
        Passages(folder)
    shard.write_bytes(bytes(len(good)))
    with refused(CorpusError, "store/passages-00000.arrow", "damaged"):
        Passages(folder).passage(0)
    with refused(CorpusError, "store/passages-00000.arrow", "changed"):
        Passages(folder).verify()
    shard.write_bytes(good)
    Passages(folder).verify()
    meta.write_text(json.dumps(facts | {"version": 99, "files": {}}))
    with refused(CorpusError, "store", 99):
        Passages(folder)


TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80),
    st.text(alphabet="ab 'Z9.,;()▁\n\t\u00a0\u3000é漢👩‍👩‍👧", min_size=1, max_size=80),
)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12), st.integers(0, 2**32), st.booleans())
def test_units_add_up_in_any_order(tmp_path_factory: pytest.TempPathFactory, given: list[tuple[str, str]], seed: int,
                                   titles: bool) -> None:  # fmt: skip
    passages = [Passage(str(i), "", title, "", f"{text}w") for i, (title, text) in enumerate(given)]
    params = PassageParams(source="x", titles=titles, duplicates=True)
    store = build(tmp_path_factory.mktemp("store"), *passages, params=params)
    order = Stream("order", seed).shuffled(range(len(store)))
    context = OPENER + "".join(unit(p.title, p.text) for p in map(store.passage, order))
    for column, one in enumerate((TEKKEN, GPT2)):
        assert one.count(context) == one.count(OPENER) + int(store.tokens(order)[:, column].sum())


Chunk = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]
VALUES = st.lists(st.sampled_from([0, 1, 2, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]) | st.integers(0, 2**64 - 1))


def chunks(values: list[int], size: int) -> list[Chunk]:
    return [
        (np.array(values[at : at + size], np.uint64), np.arange(at, min(at + size, len(values))))
        for at in range(0, len(values), size)
    ]


@given(VALUES, st.integers(1, 9), st.integers(1, 9))
def test_finds_what_a_dictionary_finds(
    tmp_path_factory: pytest.TempPathFactory, values: list[int], size: int, held: int
) -> None:
    folder = tmp_path_factory.mktemp("lookup")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passage_lookup, "_HELD", held)
        assert write_lookup(folder, "ids", lambda: chunks(values, size), len(values)) == len(values)
        pairs = repeats(lambda: chunks(values, size), len(values)).tolist()
    lookup = Lookup(folder, "ids")
    for value in {*values, 5, 2**64 - 3}:
        assert lookup.find(value).tolist() == [i for i, known in enumerate(values) if known == value]
    assert pairs == [[i, values.index(v)] for i, v in enumerate(values) if values.index(v) < i]


def test_the_hash_of_a_name_never_changes() -> None:
    assert name_hash("12-3") == 7809481627209403378
    assert name_hash("") != name_hash(" ")


def test_a_wikipedia() -> None:
    whole = estimate(36_000_000, 1024, model="Alibaba-NLP/gte-large-en-v1.5")
    assert (whole.store_bytes, whole.lexical_bytes, whole.dense_bytes) == (
        21_672_000_000,
        10_476_000_000,
        73_728_000_000,
    )
    assert whole.work_bytes == 36_000_000 * BATCH_BYTES
    assert (whole.cut_seconds, whole.merge_seconds) == (6000, 90)
    assert whole.lexical_seconds == 2000
    weights = 24 * (4 * 1024**2 + 3 * 1024 * 4096)  # four square matrices, three between, in each of 24 layers
    assert whole.dense_flops == 36_000_000 * PIECES * (2 * weights + 24 * 4 * PIECES * 1024)
    assert whole.dense_seconds == whole.dense_flops / CORE_FLOPS
    flat = estimate(36_000_000, 1024, model="Alibaba-NLP/gte-large-en-v1.5", flat=True)
    assert flat.dense_bytes == 3 * whole.dense_bytes  # fp16 for scores, fp32 for FAISS
