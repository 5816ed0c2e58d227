"""The sentence store: every unit's form, every sum recounted, nothing lost without a reason."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from corpora.stores.sentences.build import build_batch, merge
from corpora.stores.sentences.clean import CleaningParams
from corpora.stores.sentences.store import Background, CorpusParams
from corpora.tokenizers import tokenizer
from haymaker.core.files.disk import sha256_file
from haymaker.core.rows.source_records import Document
from worlds.novels import write_novel

TEKKEN = tokenizer.load("tekken")
RULES = CorpusParams(
    source="x", clean=CleaningParams(front_matter=False, min_tokens=4, max_tokens=60, decontaminate=("babi",))
)
A = "The old mill stood by the river, and nobody had turned its wheel for years."
B = "She walked down to the water and waited there until the evening came."
C = "Nobody in the village knew the name of the man who had built the bridge."


def document(name: str, *sentences: str, split: str = "test") -> Document:
    return Document(name, name.title(), split, "\n\n".join(sentences))  # type: ignore[arg-type]


def build(folder: Path, *batches: Sequence[Document], rules: CorpusParams = RULES) -> Background:
    done = []
    for i, documents in enumerate(batches):
        (folder / f"batch{i}").mkdir(parents=True)
        done.append((folder / f"batch{i}", build_batch(documents, rules, [TEKKEN], folder / f"batch{i}")))
    merge(done, rules, [TEKKEN], folder / "store", {"source": "test"})
    return Background(folder / "store")


def units(store: Background) -> list[str]:
    return [bytes(store.text[a:b]).decode() for a, b in zip(store.byte_at, store.byte_at[1:], strict=False)]


@cache
def novels() -> tuple[Document, ...]:
    built = [write_novel(5, i, words=2500) for i in range(4)]
    return tuple(Document(n.doc_id, n.title, "train" if i == 3 else "test", n.text) for i, n in enumerate(built))


def test_every_sum_equals_a_recount(tmp_path: Path) -> None:
    store = build(tmp_path, novels()[:2], novels()[2:])
    found, tokens = units(store), store.tokens_at(TEKKEN.fingerprint)
    assert len(found) == store.meta["totals"]["units"] == len(tokens) - 1 > 300
    for i, unit in enumerate(found):
        assert unit[0] == " " and unit[1] != " " and "\n" not in unit and not unit.endswith(" ")
        assert store.byte_at[i + 1] - store.byte_at[i] == len(unit.encode())
        assert store.char_at[i + 1] - store.char_at[i] == len(unit)
        assert store.word_at[i + 1] - store.word_at[i] == len(unit.split())
        assert tokens[i + 1] - tokens[i] == TEKKEN.count_units([unit])[0]
    for first, last in ((0, len(found)), (17, 200), (5, 6)):
        text = "".join(found[first:last])
        assert TEKKEN.count(text) == tokens[last] - tokens[first], "units add up inside a join"
    assert (store.byte_at[0], store.char_at[0], store.word_at[0], tokens[0]) == (0, 0, 0, 0)
    assert {e.split for e in store.split("train")} == {"train"}


def test_how_batches_are_cut_changes_nothing(tmp_path: Path) -> None:
    """The same documents in one, two or four batches; repeated sentences across them included."""
    extra = document("again", A, novels()[0].text, A)
    everything = [document("first", A, B), *novels()[:2], extra, *novels()[2:]]
    cuts = {"one": [everything], "two": [everything[:3], everything[3:]], "six": [[d] for d in everything]}
    stores = {name: build(tmp_path / name, *batches) for name, batches in cuts.items()}
    files = {name: {p.name: sha256_file(p) for p in store.folder.iterdir()} for name, store in stores.items()}
    assert files["one"] == files["two"] == files["six"]
    assert len({store.digest for store in stores.values()}) == 1


def test_a_sentence_comes_once_across_batches(tmp_path: Path) -> None:
    store = build(tmp_path / "a", [document("a", A, B, A)], [document("b", B, C), document("c", A)])
    assert units(store) == [f" {s}" for s in (A, B, C)]
    assert store.meta["dropped"]["duplicate"] == 3
    assert [(e.doc_id, e.first, e.last) for e in store.documents] == [("a", 0, 2), ("b", 2, 3), ("c", 3, 3)]
    assert [e.doc_id for e in store.split("test")] == ["a", "b"], "a document of which nothing is left is not offered"
    kept = build(tmp_path / "b", [document("a", A, B, A)], rules=RULES.model_copy(update={"duplicates": True}))
    assert units(kept) == [f" {s}" for s in (A, B, A)]


def test_reasons_add_up(tmp_path: Path) -> None:
    long = "and on " * 80 + "it went."
    first = document("a", A, "Go on.", "Mary went to the kitchen.", f"So it went {long}")
    store = build(tmp_path, [first, document("b", "1 + 1 = 2; 3 * 4 = 12.", A, B, "CHAPTER II", "12")])
    assert units(store) == [f" {A}", f" {B}"]
    found = {reason: count for reason, count in store.meta["dropped"].items() if count}
    assert found == {
        "too_short": 1, "too_long": 1, "looks_like_a_fact": 1, "not_prose": 1, "duplicate": 1, "heading": 1,
        "page_number": 1,
    }  # fmt: skip
    assert store.meta["totals"]["units"] + sum(found.values()) == 9


def test_what_could_pass_for_a_fact_is_left_out_only_when_asked(tmp_path: Path) -> None:
    text = "So that evening John went to the kitchen, and nobody saw him go."
    assert units(build(tmp_path / "a", [document("a", A, text)])) == [f" {A}"]
    plain = RULES.model_copy(update={"clean": RULES.clean.model_copy(update={"decontaminate": ()})})
    assert units(build(tmp_path / "b", [document("a", A, text)], rules=plain)) == [f" {A}", f" {text}"]


def test_chinese(tmp_path: Path) -> None:
    clean = CleaningParams(splitter="cjk", front_matter=False, min_tokens=3, headings=False)
    sentences = ["那天早上，河邊沒有一個人。", "她走到水邊，一直等到天黑才回家！", "誰也不知道造橋的人叫什麼名字？"]
    rules, text = CorpusParams(source="x", language="zh", clean=clean), "".join(sentences)
    store = build(tmp_path, [Document("甲", "書", "test", text)], rules=rules)
    assert units(store) == [f" {sentence}" for sentence in sentences]
    assert store.tokens_at(TEKKEN.fingerprint)[3] == TEKKEN.count("".join(units(store)))
    assert (store.char_at[3], store.byte_at[3]) == (len(text) + 3, len(text.encode()) + 3)
    assert store.documents[0].doc_id == "甲"
